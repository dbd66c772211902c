import FoundationEssentials
import MinilabKit

/// A message as a line: JSON, in which no raw newline can stand.
enum Line {
  static func encode(_ message: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // TOML has infinity and not-a-number.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return Array(try encoder.encode(message)) + [newline]
  }

  static func decode<Message: Decodable>(
    _ type: Message.Type,
    from line: some Sequence<UInt8>
  )
    throws -> Message
  {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    return try decoder.decode(type, from: Data(line))
  }
}

/// Cuts what comes from a descriptor into lines.
struct LineReader {
  private var portion = [UInt8](repeating: 0, count: 1 << 16)
  private var bytes: [UInt8] = []
  /// Where the first line that was not handed out begins.
  private var start = 0
  /// Up to here there is no newline.
  private var searched = 0

  enum Outcome {
    case read
    case nothingYet
    case end
  }

  /// Bytes of the line that is not complete yet.
  var pending: Int { bytes.count - start }

  /// Reads once.
  mutating func read(from descriptor: Int32) throws(SystemError) -> Outcome {
    let result = portion.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in try System.read(descriptor, into: buffer) }
    }
    guard let count = try result.get() else { return .nothingYet }
    bytes.removeFirst(start)
    searched -= start
    start = 0
    bytes += portion[..<count]
    return count == 0 ? .end : .read
  }

  /// The next whole line without its newline.
  mutating func next() -> ArraySlice<UInt8>? {
    guard let end = bytes[searched...].firstIndex(of: newline) else {
      searched = bytes.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
    }
    return bytes[start..<end]
  }
}

/// What is to be written to a descriptor that may not take it all at once.
struct LineWriter {
  private var bytes: [UInt8] = []
  private var start = 0

  var isEmpty: Bool { start == bytes.count }

  mutating func add(_ line: [UInt8]) {
    bytes += line
  }

  /// Writes what the descriptor takes now.
  mutating func write(to descriptor: Int32) throws(SystemError) {
    while !isEmpty {
      let count = try bytes.withUnsafeBytes { buffer in
        Result { () throws(SystemError) in
          try System.write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[start...]))
        }
      }.get()
      guard let count else { return }
      start += count
    }
    bytes.removeAll(keepingCapacity: true)
    start = 0
  }
}

private let newline = UInt8(ascii: "\n")
