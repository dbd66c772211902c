public import MinilabKit

/// A number of bytes, as people write it: `"200KB"`, `"1.5MiB"`, 4096.
public struct ByteCount: ParameterValue, Equatable {
  public let bytes: Int
  /// As written.
  private let given: String

  public init(_ bytes: Int) {
    self.bytes = bytes
    given = bytes.literal
  }

  /// Thousands of millions of bytes.
  public init(gigabytes count: Int) {
    bytes = count * 1_000_000_000
    given = "\(count)GB".literal
  }

  /// IEC 80000-13: K is a thousand, Ki is 1024.
  private static let units: [(name: String, bytes: Double)] = [
    ("kib", 1024), ("mib", 1_048_576), ("gib", 1_073_741_824), ("tib", 1_099_511_627_776),
    ("kb", 1e3), ("mb", 1e6), ("gb", 1e9), ("tb", 1e12), ("b", 1),
  ]
  /// More than any file system holds in one file, and exact as a floating-point number.
  private static let most = 1e15

  init?(_ text: String) {
    let word = text.lowercased()
    guard let unit = Self.units.first(where: { word.hasSuffix($0.name) }) else { return nil }
    let number = digits(word.dropLast(unit.name.count).filter { $0 != " " }) ?? "_"
    guard number.allSatisfy({ $0 == "." || $0.isASCII && $0.isNumber }),
      let value = Double(number), value * unit.bytes >= 1, value * unit.bytes <= Self.most
    else { return nil }
    bytes = Int(value * unit.bytes)
    given = text.literal
  }

  public static var schema: Schema { .any([.string, .integer]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    switch node.value {
    case .integer(let number) where number >= 1 && Double(number) <= most:
      return Self(Int(number))
    case .string(let text):
      if let count = Self(text) { return count }
    default: break
    }
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: field.key,
        expected: "a number of bytes such as \"200KB\", \"1.5MiB\" or 4096",
        received: node.shown
      )
    )
    return nil
  }

  public var literal: String { given }

  /// As messages have it.
  var shown: String { given.filter { $0 != "\"" } + (given.first == "\"" ? "" : " bytes") }
}
