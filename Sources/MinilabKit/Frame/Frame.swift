public import Vips

/// A picture on its way through the steps: where it comes from, pending geometry, and registered
/// pixel work.
///
/// A value; nothing is decoded before an output asks for pixels.
///
/// Everything is in upright space: what the viewer sees, origin top left, y down.
public struct Frame: Sendable {
  /// What is to be done, in this order.
  public enum Stage: Sendable {
    case geometry(Geometry)
    case pixels(PixelWork)
  }

  /// What the stages begin on.
  public enum Base: Sendable {
    /// The origin's pixels, which are still to be decoded.
    case origin
    /// Pixels that stand for the origin's.
    case pixels(Image)
    /// Pixels that are made when they are asked for: a composition.
    case made(Making)
  }

  public let origin: Origin
  public private(set) var base = Base.origin
  public private(set) var stages: [Stage]
  /// In whole pixels.
  ///
  /// Each step rounds its own edges, so this never depends on how pixels will be made. Nil after
  /// work whose size only pixels can tell; a step is never handed such a frame.
  public private(set) var knownSize: Size?
  /// The frame may be transparent.
  public private(set) var hasAlpha: Bool
  public private(set) var notes: [Note] = []
  /// What the last step would show of itself on a preview.
  public private(set) var guides: [Guide] = []
  /// What the last crop has kept of the whole picture, upright, in whole pixels: the box around it
  /// where it is turned.
  public internal(set) var cropBounds: PixelRectangle?
  /// From points of this frame to points of the whole picture, upright.
  ///
  /// Nil where only a step knows how it has moved pixels.
  var toPicture: AffineMap? = .identity
  /// The pixels of the base were turned already.
  private var wasTurned = false
  /// A step asked for this item to be left out of the output.
  public private(set) var isSkipped = false

  public init(_ origin: Origin) {
    self.origin = origin
    let geometry = Geometry(source: origin.size, orientation: origin.orientation)
    stages = [.geometry(geometry)]
    knownSize = geometry.size
    hasAlpha = origin.hasAlpha
  }

  /// In whole pixels.
  public var size: Size {
    guard let knownSize else { preconditionFailure("the host makes pixels before this step") }
    return knownSize
  }

  /// The frame is known to have no color: its origin has none, and nothing has brought one in.
  ///
  /// Where pixels have been made or worked on it is not known, and the pixels must be asked.
  public var isGray: Bool {
    guard case .origin = base, origin.isGray else { return false }
    return stages.allSatisfy {
      guard case .geometry(let geometry) = $0 else { return false }
      return geometry.backdrops.allSatisfy(\.color.isNeutral)
    }
  }

  /// A step has changed what the viewer sees, or the rows in which it is stored.
  public var isTouched: Bool {
    guard case .origin = base, stages.count == 1, case .geometry(let geometry)? = stages.first
    else { return true }
    return geometry != Geometry(source: origin.size, orientation: origin.orientation)
      || (isUpright && origin.orientation != .up)
  }

  /// Rows of the origin's raster have become columns, or come nearer to these than to rows.
  ///
  /// Of a composition no raster is the one whose rows count.
  public var isTurned: Bool {
    if case .made = base { return false }
    var isTurned = wasTurned
    for case .geometry(let geometry) in stages {
      let map = geometry.map
      if abs(map.xy) + abs(map.yx) > abs(map.xx) + abs(map.yy) { isTurned.toggle() }
    }
    return isTurned
  }

  /// A step asked for upright rows: a tag that says otherwise must go.
  public private(set) var isUpright = false

  /// The frame with its stored rows upright.
  public func upright() -> Frame {
    var frame = self
    frame.isUpright = true
    return frame
  }

  /// Whether a JPEG that was only turned and cropped may do without being encoded again.
  public private(set) var lossless = LosslessPolicy.perfect

  /// The frame with what a step asks for there; of several steps' wishes the strictest holds.
  public func lossless(_ policy: LosslessPolicy) -> Frame {
    var frame = self
    frame.lossless = lossless.combined(with: policy)
    return frame
  }

  /// How the origin's pixels are moved, where that is all that was done to them.
  public var move: PixelMove? {
    guard case .origin = base, stages.count == 1, case .geometry(let geometry)? = stages.first
    else { return nil }
    return geometry.move
  }

  /// The frame with its geometry edited.
  public func geometry(_ edit: (inout Geometry) -> Void) -> Frame {
    var frame = self
    var geometry = Geometry(source: size)
    if case .geometry(let pending)? = stages.last {
      geometry = pending
      frame.stages.removeLast()
    }
    let before = geometry.map
    edit(&geometry)
    frame.toPicture = toPicture.map { geometry.map.then(before.inverse).then($0) }
    if geometry.backdrops.contains(where: { !$0.color.isOpaque }) { frame.hasAlpha = true }
    frame.stages.append(.geometry(geometry))
    frame.knownSize = geometry.size
    return frame
  }

  /// The frame with work on its pixels registered.
  ///
  /// The closure is handed one upright page in working pixels: gray or RGB, 8 or 16 bit, with or
  /// without straight alpha.
  public func pixels(
    size change: PixelWork.SizeChange,
    access: PixelWork.Access,
    alpha: PixelWork.Alpha = .unchanged,
    _ work: @escaping @Sendable (Image) throws -> Image
  ) -> Frame {
    var frame = self
    frame.stages.append(
      .pixels(PixelWork(size: change, access: access, alpha: alpha, step: "", run: work))
    )
    switch change {
    case .unchanged: break
    case .known(let size):
      frame.knownSize = size
      frame.toPicture = nil
    case .fromPixels:
      frame.knownSize = nil
      frame.toPicture = nil
    }
    switch alpha {
    case .unchanged: break
    case .added: frame.hasAlpha = true
    case .removed: frame.hasAlpha = false
    }
    return frame
  }

  /// The frame with upright pixels in place of all that led to them.
  ///
  /// What comes next begins on these pixels, and the origin's are not decoded for them.
  public func replaced(by image: Image) -> Frame {
    let size = Size(width: image.width, height: image.height)
    var frame = based(on: .pixels(image), size: size, hasAlpha: image.hasAlpha)
    // They show what the frame has shown, perhaps in another size.
    if let knownSize, let toPicture {
      frame.toPicture = AffineMap.scale(
        x: Double(knownSize.width) / Double(size.width),
        y: Double(knownSize.height) / Double(size.height)
      ).then(toPicture)
    }
    return frame
  }

  /// The frame with pixels in place of all that led to them, made when somebody asks for them.
  ///
  /// The closure gives working pixels of exactly that size, and may be called several times.
  ///
  /// `frames`: those whose pixels it asks for. A picture that an earlier step looks at is then decoded once
  /// for both; of one that is not told it is decoded again.
  public func replaced(
    size: Size,
    hasAlpha: Bool,
    of frames: [Frame] = [],
    _ make: @escaping @Sendable () throws -> Image
  ) -> Frame {
    let parts = frames.map { Making.Part($0, rows: 0..<size.height, isHeld: false) }
    return replaced(size: size, hasAlpha: hasAlpha, of: parts, holding: 0, make)
  }

  /// The same, with more about what it is made of: the host then knows better beforehand what that takes.
  ///
  /// - Parameters:
  ///   - size: Of the pixels.
  ///   - hasAlpha: They may be transparent.
  ///   - parts: What they are made of.
  ///   - held: What is held beside the parts, in bytes.
  ///   - make: Makes them.
  /// - Returns: The frame of these pixels.
  public func replaced(
    size: Size,
    hasAlpha: Bool,
    of parts: [Making.Part],
    holding held: Int,
    _ make: @escaping @Sendable () throws -> Image
  ) -> Frame {
    let making = Making(size: size, parts: parts, held: held, step: "", run: make)
    return based(on: .made(making), size: size, hasAlpha: hasAlpha)
  }

  private func based(on base: Base, size: Size, hasAlpha: Bool) -> Frame {
    var frame = self
    frame.wasTurned = isTurned
    frame.base = base
    frame.stages = [.geometry(Geometry(source: size))]
    frame.knownSize = size
    frame.hasAlpha = hasAlpha
    frame.toPicture = nil
    return frame
  }

  /// How the origin must be turned to give this frame, where that is all that was done to it.
  public var turnOfWholePicture: Orientation? {
    guard case .origin = base, stages.count == 1, case .geometry(let geometry)? = stages.first
    else { return nil }
    return Orientation.allCases.first { Geometry(source: origin.size, orientation: $0) == geometry }
  }

  /// The frame with a note on it.
  public func noting(_ code: Note.Code, _ text: String) -> Frame {
    var frame = self
    frame.notes.append(Note(code, text))
    return frame
  }

  /// The frame with another's notes on it, each once.
  public func noting(_ others: [Note]) -> Frame {
    var frame = self
    for note in others where !frame.notes.contains(note) { frame.notes.append(note) }
    return frame
  }

  /// The frame with something to draw on a preview of this step.
  public func showing(_ guide: Guide) -> Frame {
    var frame = self
    frame.guides.append(guide)
    return frame
  }

  /// The frame before a step, with nothing on it that earlier steps would show.
  ///
  /// For the host.
  public func withoutGuides() -> Frame {
    var frame = self
    frame.guides = []
    return frame
  }

  /// The frame marked as left out: the output is not made.
  public func skipped() -> Frame {
    var frame = self
    frame.isSkipped = true
    return frame
  }

  /// The frame after a step, whose new pixel work carries the step's id.
  ///
  /// For the host.
  public func attributed(to step: String) -> Frame {
    var frame = self
    for index in frame.stages.indices {
      guard case .pixels(var work) = frame.stages[index], work.step.isEmpty else { continue }
      work.step = step
      frame.stages[index] = .pixels(work)
    }
    if case .made(var making) = frame.base, making.step.isEmpty {
      making.step = step
      frame.base = .made(making)
    }
    return frame
  }
}
