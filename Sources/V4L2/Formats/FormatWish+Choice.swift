extension FormatWish {
  /// What to ask for, of what a device offers.
  ///
  /// Formats of the device itself come before those that libv4l2 makes of others; then the size
  /// counts; then MJPEG, which needs no conversion and little of the bus, before RGB, before formats
  /// with less color.
  ///
  /// `device`: its name, for the error.
  /// Throws `noSuchFormat`.
  public func choice(
    from formats: [OfferedFormat],
    of device: String
  ) throws(VideoError) -> FormatChoice {
    let readable = formats.filter { $0.pixelFormat != nil && !$0.sizes.isEmpty }
    let wanted = readable.filter { pixelFormat == nil || $0.pixelFormat == pixelFormat }
    let native = wanted.filter { !$0.isEmulated }
    var best: (choice: FormatChoice, rank: [Int])?
    for format in native.isEmpty ? wanted : native {
      guard let pixelFormat = format.pixelFormat,
        let preference = Self.preferred.firstIndex(of: pixelFormat)
      else { continue }
      for sizes in format.sizes {
        let size = nearest(of: sizes)
        let rank = [distance(size), -size.width * size.height, preference]
        if let best, !rank.lexicographicallyPrecedes(best.rank) { continue }
        best = (
          FormatChoice(
            code: format.code,
            pixelFormat: pixelFormat,
            size: size,
            interval: interval(of: sizes.intervals),
            isEmulated: format.isEmulated
          ),
          rank
        )
      }
    }
    guard let best else {
      var names: [String] = []
      for format in readable {
        if let name = format.pixelFormat?.rawValue, !names.contains(name) { names.append(name) }
      }
      throw VideoError(device, .noSuchFormat(offered: names))
    }
    return best.choice
  }

  private static let preferred: [PixelFormat] = [
    .mjpeg, .rgb24, .bgr24, .yuyv, .uyvy, .nv12, .grey,
  ]

  /// Nil for the largest.
  private var target: FrameSize? {
    switch size {
    case .photo: return nil
    case .high: return FrameSize(width: 1920, height: 1080)
    case .medium: return FrameSize(width: 1280, height: 720)
    case .low: return FrameSize(width: 640, height: 480)
    case .near(let size): return size
    }
  }

  private func nearest(of sizes: OfferedSizes) -> FrameSize {
    guard let target else { return FrameSize(width: sizes.width.most, height: sizes.height.most) }
    return sizes.nearest(to: target)
  }

  /// How far a size is from what is wanted, in pixels of both sides.
  private func distance(_ size: FrameSize) -> Int {
    guard let target else { return 0 }
    return abs(size.width - target.width) + abs(size.height - target.height)
  }

  private func interval(of offered: [OfferedIntervals]) -> FrameInterval? {
    guard rate > 0 else { return offered.first?.shortest }
    let slowEnough = 1 / rate * (1 + 1e-9)
    var best: FrameInterval?
    for intervals in offered {
      var candidate = intervals.longest
      if candidate.seconds > slowEnough && !intervals.isSingle {
        // The wish itself, where it lies in the range.
        let wish = FrameInterval(1000, Int((rate * 1000).rounded(.up)))
        candidate =
          intervals.shortest.seconds > slowEnough ? intervals.shortest : wish ?? intervals.shortest
      }
      guard let chosen = best else {
        best = candidate
        continue
      }
      let isBetter =
        candidate.seconds <= slowEnough
        ? chosen.seconds > slowEnough || candidate.seconds > chosen.seconds
        : candidate.seconds < chosen.seconds
      if isBetter { best = candidate }
    }
    return best
  }
}
