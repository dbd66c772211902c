extension Frame {
  /// The frame with what it shows of the whole picture put down as what a crop has kept.
  ///
  /// For steps that cut: the report carries the rectangle as `crop-bounds`. Where only a step knows
  /// how it has moved pixels, as on a larger canvas, there is none.
  public func reportingCrop() -> Frame {
    var frame = self
    frame.cropBounds = toPicture.flatMap { map in
      let corners = size.corners.map { map($0) }
      let picture = PixelRectangle(origin.orientation.upright(origin.size))
      let box = PixelRectangle(around: corners).intersection(picture)
      return box.isEmpty ? nil : box
    }
    return frame
  }

  /// The frame with its place on the picture unknown, as a crop's is that looks at pixels while there
  /// are none yet.
  public func withUnknownPlace() -> Frame {
    var frame = self
    frame.cropBounds = nil
    frame.toPicture = nil
    return frame
  }
}

extension PixelRectangle {
  /// The whole pixels that hold all these points.
  ///
  /// A point that is off a pixel's edge by rounding alone takes no further pixel.
  public init(around points: [Point]) {
    let tolerance = 1e-6
    func edge(_ value: Double, _ rule: FloatingPointRoundingRule) -> Int {
      // No picture has so many pixels, and any sum of two such edges is still a number.
      Int(min(max(value, -1e15), 1e15).rounded(rule))
    }
    let left = edge((points.map(\.x).min() ?? 0) + tolerance, .down)
    let top = edge((points.map(\.y).min() ?? 0) + tolerance, .down)
    let right = edge((points.map(\.x).max() ?? 0) - tolerance, .up)
    let bottom = edge((points.map(\.y).max() ?? 0) - tolerance, .up)
    self.init(x: left, y: top, width: right - left, height: bottom - top)
  }
}
