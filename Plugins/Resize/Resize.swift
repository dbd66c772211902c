public import MinilabKit

/// Gives the picture a size.
public struct Resize: ImageOperation {
  public static let name = "resize"
  public static let version = 1
  public static let summary = "Resize the picture to a box: inside it, covering it, or exactly."
  public static let parameters: [Parameter<Self>] = [
    Parameter("width", \.width, in: 1...1_000_000, unit: .pixels, help: "Of the box."),
    Parameter("height", \.height, in: 1...1_000_000, unit: .pixels, help: "Of the box."),
    Parameter(
      "fit",
      \.fit,
      help: """
        `contain` keeps the whole picture inside the box, `cover` fills the box and cuts what \
        sticks out, `stretch` changes the aspect.
        """
    ),
    Parameter(
      "enlarge",
      \.enlarge,
      help: "Also make small pictures larger; without it they keep their size."
    ),
    Parameter("linear", \.linear, help: "Resize in linear light."),
  ]
  public static let rules: [Rule<Self>] = [
    .atLeastOne(of: ["width", "height"]),
    Rule("both width and height with fit = \"cover\"", keys: ["fit"]) { resize, given in
      resize.fit == .cover && !given.isSuperset(of: ["width", "height"]) ? "one of them" : nil
    },
  ]
  public static let examples = [
    Example("At most 800 pixels wide.", "width = 800"),
    Example("A tile of 300 × 300, full.", "width = 300\nheight = 300\nfit = \"cover\""),
    Example(
      "Exactly 200 × 100, whatever the aspect, larger if need be.",
      "width = 200\nheight = 100\nfit = \"stretch\"\nenlarge = true"
    ),
    Example("Half the size, averaged in linear light.", "width = \"50%\"\nlinear = true"),
  ]

  public var width: Length?
  public var height: Length?
  public var fit = Fit.contain
  public var enlarge = false
  public var linear = false

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    let size = frame.size
    // A side that is not given follows the other.
    let wantedX = width.map { max(1, $0.pixels(of: size.width)) / Double(size.width) }
    let wantedY = height.map { max(1, $0.pixels(of: size.height)) / Double(size.height) }
    guard let scaleX = wantedX ?? wantedY, let scaleY = wantedY ?? wantedX else { return frame }
    let (fittedX, fittedY) = fit.factors(scaleX, scaleY)
    let full = size.scaled(limited(fittedX), limited(fittedY))
    return fit == .cover
      ? covering(frame, full, size.scaled(scaleX, scaleY)) : resized(frame, full)
  }

  private func limited(_ scale: Double) -> Double { enlarge ? scale : min(1, scale) }

  private func resized(_ frame: Frame, _ wanted: Size) -> Frame {
    if wanted == frame.size { return frame }
    return enlarging(frame, wanted, frame.geometry { $0.resize(to: wanted, linear: linear) })
  }

  /// Fills the box, and cuts off what sticks out.
  ///
  /// A box that is larger than the picture, where enlarging is off, is cut to it.
  ///
  /// `full`: what the whole picture becomes.
  private func covering(_ frame: Frame, _ full: Size, _ wanted: Size) -> Frame {
    let box = Size(
      width: min(full.width, wanted.width),
      height: min(full.height, wanted.height)
    )
    if box == frame.size { return frame }
    return enlarging(frame, full, frame.geometry { $0.cover(box, linear: linear) })
  }

  private func enlarging(_ frame: Frame, _ full: Size, _ result: Frame) -> Frame {
    guard full.width > frame.size.width || full.height > frame.size.height else { return result }
    return result.noting(.enlarged, "enlarged from \(frame.size) to \(full)")
  }
}
