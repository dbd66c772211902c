public import MinilabKit

/// Cuts a rectangle out of the picture; never scales.
public struct Crop: ImageOperation {
  public static let name = "crop"
  public static let version = 1
  public static let summary = "Cut a rectangle out of the picture: by edges, size, or aspect."
  public static let parameters: [Parameter<Self>] = [
    Parameter("rect", \.rect, unit: .pixels, help: "Left, top, width and height."),
    Parameter("size", \.size, in: 1...1_000_000, unit: .pixels, help: "Width and height."),
    Parameter("aspect", \.aspect, help: "The largest rectangle of this aspect."),
    Parameter(
      "gravity",
      \.gravity,
      help: """
        Where a `size` or `aspect` is cut: `attention` finds what people look at, `entropy` where \
        most is to be seen.
        """
    ),
    Parameter(
      "focus",
      \.focus,
      unit: .pixels,
      help: "A point kept as near the middle as the picture allows, in place of `gravity`."
    ),
    Parameter(
      "clamp",
      \.clamp,
      help: "A `rect` that sticks out is `cut`, or `move`d inside if it fits, or `reject`ed."
    ),
    Parameter(
      "min-size",
      \.minSize,
      in: 0...1_000_000,
      unit: .pixels,
      help: "A `rect` with a shorter side grows in place, and stays inside the picture."
    ),
  ]
  public static let rules: [Rule<Self>] = [
    .atMostOne(of: ["rect", "size", "aspect"]),
    .atMostOne(of: ["gravity", "focus"]),
    .requires("gravity", oneOf: ["size", "aspect"]),
    .requires("focus", oneOf: ["size", "aspect"]),
    .requires("clamp", oneOf: ["rect"]),
    .requires("min-size", oneOf: ["rect"]),
    Rule("a rect with a width and a height", keys: ["rect"]) { crop, _ in
      guard let rect = crop.rect else { return nil }
      let sides = [rect.width, rect.height].map { $0.pixels(of: 1000) }
      return sides.allSatisfy { $0 > 0 } ? nil : rect.literal
    },
  ]
  public static let examples = [
    Example("The center half.", ""),
    Example("A rectangle in pixels.", "rect = [10, 20, 30, 40]"),
    Example("The right half.", "rect = [\"50%\", 0, \"50%\", \"100%\"]"),
    Example("A square around what people look at.", "aspect = \"square\"\ngravity = \"attention\""),
    Example("4:3 with a point near the middle.", "aspect = \"4:3\"\nfocus = [\"1/3\", \"30%\"]"),
    Example("The lower right corner.", "size = [32, 32]\ngravity = \"south-east\""),
  ]

  public var rect: LengthRectangle?
  public var size: Pair<Length>?
  public var aspect: Aspect?
  public var gravity = CropGravity.fixed(.center)
  public var focus: Pair<Length>?
  public var clamp = Clamp.cut
  public var minSize = 0

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    if let rect {
      return try cropped(frame, to: rounded(rect, in: frame.size), in: context)
    }
    if let aspect {
      return try placed(frame, aspect.inside(frame.size), in: context)
    }
    if let size {
      let wanted = Size(
        width: max(1, Int(size.x.pixels(of: frame.size.width).rounded())),
        height: max(1, Int(size.y.pixels(of: frame.size.height).rounded()))
      )
      let box = Size(
        width: min(wanted.width, frame.size.width),
        height: min(wanted.height, frame.size.height)
      )
      let result = try placed(frame, box, in: context)
      if box == wanted { return result }
      return result.noting(
        .cropClamped,
        "\(wanted) is larger than the picture of \(frame.size); cut to \(box)"
      )
    }
    let half = LengthRectangle(
      x: .fraction(0.25),
      y: .fraction(0.25),
      width: .fraction(0.5),
      height: .fraction(0.5)
    )
    return try cropped(frame, to: rounded(half, in: frame.size), in: context)
  }

  /// Edges are rounded, not sizes, so that neighbors tile without gap or overlap.
  private func rounded(_ rect: LengthRectangle, in size: Size) -> PixelRectangle {
    let x = rect.x.pixels(of: size.width)
    let y = rect.y.pixels(of: size.height)
    let left = Int(x.rounded())
    let top = Int(y.rounded())
    let right = Int((x + rect.width.pixels(of: size.width)).rounded())
    let bottom = Int((y + rect.height.pixels(of: size.height)).rounded())
    // What is thinner than a pixel is still something.
    return PixelRectangle(
      x: left,
      y: top,
      width: max(1, right - left),
      height: max(1, bottom - top)
    )
  }

  // MARK: A rectangle

  private func cropped(
    _ frame: Frame,
    to wanted: PixelRectangle,
    in context: Context
  ) throws -> Frame {
    let picture = PixelRectangle(frame.size)
    guard !wanted.intersection(picture).isEmpty else {
      throw context.error(
        .cropOutside,
        expected: "a rectangle inside the picture \(picture)",
        received: "\(wanted) outside it"
      )
    }
    let grown = wanted.grown(toAtLeast: minSize, inside: frame.size)
    if picture.contains(grown) {
      return frame.geometry { $0.crop(to: grown) }
    }
    let clamped =
      switch clamp {
      case .cut: grown.intersection(picture)
      case .move: grown.moved(inside: frame.size).intersection(picture)
      case .reject:
        throw context.error(
          .cropOutside,
          expected: "a rectangle inside the picture \(picture)",
          received: "\(grown), which sticks out"
        )
      }
    return frame.geometry { $0.crop(to: clamped) }
      .noting(.cropClamped, "\(grown) sticks out of \(picture); \(clamped) was cropped")
  }

  // MARK: A size that must be placed

  private func placed(_ frame: Frame, _ box: Size, in context: Context) throws -> Frame {
    if box == frame.size { return frame }
    let (x, y) = try position(of: box, in: frame, context)
    return frame.geometry {
      $0.crop(to: PixelRectangle(x: x, y: y, width: box.width, height: box.height))
    }
  }

  private func position(
    of box: Size,
    in frame: Frame,
    _ context: Context
  ) throws -> (x: Int, y: Int) {
    let size = frame.size
    if let focus {
      func start(_ point: Length, _ length: Int, _ side: Int) -> Int {
        let middle = point.pixels(of: side) - Double(length) / 2
        return min(max(0, Int(middle.rounded())), side - length)
      }
      return (start(focus.x, box.width, size.width), start(focus.y, box.height, size.height))
    }
    switch gravity {
    case .fixed(let gravity):
      return gravity.position(of: box, on: size)
    case .interesting(let kind):
      // While only headers are read any place does: the size is the same everywhere.
      guard let small = try context.reduction(of: frame, to: Self.lookingSide) else {
        return Gravity.center.position(of: box, on: size)
      }
      return try kind.position(of: box, in: size, seenOn: small)
    }
  }

  /// What `attention` and `entropy` look at has at most this side, so that the place they find
  /// depends on nothing else.
  private static let lookingSide = 256
}

/// What becomes of a rectangle that sticks out.
public enum Clamp: String, CaseIterable, ParameterChoice {
  case cut
  case move
  case reject
}

extension PixelRectangle {
  /// Sides shorter than `least` grow about their middle, as far as the picture has room.
  fileprivate func grown(toAtLeast least: Int, inside size: Size) -> PixelRectangle {
    func grow(_ start: Int, _ length: Int, _ side: Int) -> (Int, Int) {
      let wanted = min(least, side)
      guard length < wanted else { return (start, length) }
      let moved = start - (wanted - length) / 2
      return (min(max(0, moved), side - wanted), wanted)
    }
    let (x, width) = grow(x, width, size.width)
    let (y, height) = grow(y, height, size.height)
    return PixelRectangle(x: x, y: y, width: width, height: height)
  }

  /// Moved the least way that brings it inside, as far as it fits.
  fileprivate func moved(inside size: Size) -> PixelRectangle {
    PixelRectangle(
      x: max(0, min(x, size.width - width)),
      y: max(0, min(y, size.height - height)),
      width: width,
      height: height
    )
  }
}
