#if DEBUG
import MinilabKit
import Vips

/// Puts the pictures of a group side by side, their tops in line: the simplest of its kind, for
/// tests of what a host does with groups.
struct SideBySide: GroupOperation {
  static let name = "side-by-side"
  static let version = 1
  static let summary = "Put pictures side by side."
  static let parameters: [Parameter<Self>] = [
    Parameter("beside", \.beside, help: "An output whose picture is put last.")
  ]
  static let examples: [Example] = []

  var beside: String?

  init() {}

  var neededOutputs: [String] { beside.map { [$0] } ?? [] }

  func apply(to frames: [Frame], in context: Context) throws -> Frame {
    let frames = frames + (beside.flatMap(context.output).map { [$0] } ?? [])
    let size = Size(
      width: frames.reduce(0) { $0 + $1.size.width },
      height: frames.map(\.size.height).max() ?? 1
    )
    return frames[0].replaced(size: size, hasAlpha: frames.contains(where: \.hasAlpha)) {
      var row = try context.image(of: frames[0])
      for frame in frames.dropFirst() {
        let call = try OperationCall("join")
        try call.set("in1", .image(row))
        try call.set("in2", .image(context.image(of: frame)))
        try call.set("direction", .enumeration("horizontal"))
        try call.set("expand", .bool(true))
        row = try call.run().image
      }
      return row
    }
  }
}

/// Refuses pictures that are wider than it may be, and leaves out those that are less high.
struct Refuse: ImageOperation {
  static let name = "refuse"
  static let version = 1
  static let summary = "Refuse pictures."
  static let parameters: [Parameter<Self>] = [
    Parameter("wider", \.wider, help: "The width that is accepted."),
    Parameter("lower", \.lower, help: "Less high ones are left out."),
    Parameter("pixels", \.pixels, help: "Let only pixels tell the size."),
  ]
  static let examples: [Example] = []

  var wider = 1_000_000
  var lower = 0
  var pixels = false

  init() {}

  func apply(to frame: Frame, in context: Context) throws -> Frame {
    if frame.size.width > wider {
      throw context.error(
        .cropOutside,
        expected: "a width of at most \(wider)",
        received: "\(frame.size)"
      )
    }
    if frame.size.height < lower { return frame.skipped() }
    return pixels ? frame.pixels(size: .fromPixels, access: .sequential) { $0 } : frame
  }
}
#endif
