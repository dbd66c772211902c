import MinilabKit

/// The operations of these tests: each kind of parameter that a profile can go wrong with.
let sampleOperations: [OperationEntry] = [.init(Cut.self), .init(Shrink.self), .init(Stamp.self)]

struct Cut: ImageOperation {
  enum Gravity: String, CaseIterable, ParameterChoice {
    case center
    case north
  }

  static let name = "cut"
  static let version = 1
  static let summary = "Cut."
  static let parameters: [Parameter<Self>] = [
    Parameter("aspect", \.aspect, help: "Width to height."),
    Parameter("rect", \.rect, help: "The rectangle."),
    Parameter("gravity", \.gravity, help: "Which part."),
  ]
  static let rules: [Rule<Self>] = [.atMostOne(of: ["aspect", "rect"])]
  static let examples: [Example] = []

  var aspect: String?
  var rect: LengthRectangle?
  var gravity = Gravity.center

  func apply(to frame: Frame, in context: Context) throws -> Frame { frame }
}

struct Shrink: ImageOperation {
  static let name = "shrink"
  static let version = 1
  static let summary = "Shrink."
  static let parameters: [Parameter<Self>] = [
    Parameter("side", \.side, in: 1...10_000, unit: .pixels, help: "The longer side.")
  ]
  static let examples: [Example] = []

  var side = 100

  func apply(to frame: Frame, in context: Context) throws -> Frame { frame }
}

struct Stamp: ImageOperation {
  static let name = "stamp"
  static let version = 1
  static let summary = "Stamp."
  static let parameters: [Parameter<Self>] = [
    Parameter("file", \.file, help: "What is stamped.")
  ]
  static let examples: [Example] = []

  var file: FileReference?

  func apply(to frame: Frame, in context: Context) throws -> Frame { frame }
}
