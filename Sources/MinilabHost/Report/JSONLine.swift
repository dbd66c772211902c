import FoundationEssentials
import MinilabKit

/// One JSON object on one line, its keys in the order in which they were added.
struct JSONLine {
  private var keys: [(name: String, value: String)] = []

  init(event: String) {
    add("event", event)
  }

  init() {}

  /// The object without a newline.
  var text: String {
    "{" + keys.map { "\(Self.quoted($0.name)):\($0.value)" }.joined(separator: ",") + "}"
  }

  mutating func add(_ name: String, _ value: String) {
    keys.append((name, Self.quoted(value)))
  }

  mutating func add(_ name: String, _ value: Int) {
    keys.append((name, "\(value)"))
  }

  mutating func add(_ name: String, _ values: [Int]) {
    keys.append((name, "[" + values.map(String.init).joined(separator: ",") + "]"))
  }

  /// Rounded to milliseconds.
  mutating func add(_ name: String, seconds: Double) {
    keys.append((name, Self.rounded(seconds, digits: 3)))
  }

  mutating func add(_ name: String, _ value: Bool) { keys.append((name, "\(value)")) }

  /// Rounded to thousandths.
  mutating func add(_ name: String, numbers: [Double]) {
    let texts = numbers.map { Self.rounded($0, digits: 3) }
    keys.append((name, "[" + texts.joined(separator: ",") + "]"))
  }

  /// Rounded to thousandths.
  mutating func add(_ name: String, number: Double) { add(name, seconds: number) }

  /// The text of a path, and its bytes beside it where they are not UTF-8.
  mutating func add(_ name: String, _ path: Path) {
    add(name, path.escaped)
    if path.text == nil { add("\(name)-base64", Data(path.bytes).base64EncodedString()) }
  }

  /// The texts of paths, and the bytes of all of them beside it where one is not UTF-8.
  mutating func add(_ name: String, _ paths: [Path]) {
    add(name, texts: paths.map(\.escaped))
    if paths.contains(where: { $0.text == nil }) {
      add("\(name)-base64", texts: paths.map { Data($0.bytes).base64EncodedString() })
    }
  }

  private mutating func add(_ name: String, texts: [String]) {
    keys.append((name, "[" + texts.map(Self.quoted).joined(separator: ",") + "]"))
  }

  mutating func add(_ name: String, _ build: (inout JSONLine) -> Void) {
    keys.append((name, Self.object(build)))
  }

  mutating func add<Value>(
    _ name: String,
    each values: [Value],
    _ build: (inout JSONLine, Value) -> Void
  ) {
    let objects = values.map { value in Self.object { build(&$0, value) } }
    keys.append((name, "[" + objects.joined(separator: ",") + "]"))
  }

  private static func object(_ build: (inout JSONLine) -> Void) -> String {
    var object = JSONLine()
    build(&object)
    return object.text
  }

  /// A number with a fixed count of digits behind its point.
  static func rounded(_ value: Double, digits: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    guard value.isFinite, value.magnitude < 1e12 else { return "0" }
    let whole = Int((value * Double(scale)).rounded())
    let part = String(whole.magnitude % UInt(scale))
    let sign = whole < 0 ? "-" : ""
    let zeros = String(repeating: "0", count: digits - part.count)
    return "\(sign)\(whole.magnitude / UInt(scale)).\(zeros)\(part)"
  }

  private static func quoted(_ text: String) -> String {
    JSONText.string(text).indented()
  }
}
