public import MinilabKit

/// Keeps the sharpest picture of a group.
public struct Sharpest: GroupOperation {
  public static let name = "sharpest"
  public static let version = 1
  public static let summary = "Keep the sharpest of several pictures, as of a burst."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "side",
      \.side,
      in: 16...4096,
      unit: .pixels,
      help: "The pictures are compared this large; less overlooks fine blur, and noise."
    )
  ]
  public static let examples = [
    Example("Compared at 512 pixels.", ""),
    Example("Quick.", "side = 128"),
  ]

  public var side = 512

  public init() {}

  public func apply(to frames: [Frame], in context: Context) throws -> Frame {
    let size = frames[0].size
    // Which one it will be is not known while only headers are read; the size must be.
    if let other = frames.first(where: { $0.size != size }) {
      throw context.error(
        .unsupported,
        expected: "pictures of one size, \(size)",
        received: "one of \(other.size)"
      )
    }
    let hasAlpha = frames.contains(where: \.hasAlpha)
    let best = try best(of: frames, in: context)
    return frames[0].replaced(size: size, hasAlpha: hasAlpha, of: [frames[best]]) {
      try context.image(of: frames[best]).addingAlpha(hasAlpha)
    }
  }

  /// The place of the frame with the steepest edges; of equal ones the first.
  private func best(of frames: [Frame], in context: Context) throws -> Int {
    var best = (place: 0, edges: -1.0)
    for (place, frame) in frames.enumerated() {
      guard let small = try context.reduction(of: frame, to: side) else { return 0 }
      let colors = try small.extractBands(0, count: small.isGray ? 1 : 3)
      let edges = try colors.call("sobel").average() / small.sampleMaximum
      if edges > best.edges { best = (place, edges) }
    }
    return best.place
  }
}
