import FoundationEssentials

/// Lists within a cell, as text.
enum JSON {
  static func text(of value: some Encodable) -> String {
    // What is written here has nothing in it that JSON has not.
    guard let line = try? Line.encode(value) else { return "[]" }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  /// Nil for what is none, as in a ledger that somebody has edited.
  static func value<Value: Decodable>(_ type: Value.Type, from text: String) -> Value? {
    try? Line.decode(type, from: Array(text.utf8))
  }
}
