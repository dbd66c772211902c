import Glibc

/// A file path: bytes from the walk to the report, never a pattern and never assumed to be UTF-8.
public struct Path: Sendable, Hashable, Comparable {
  public let bytes: [UInt8]

  public init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  public init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The order of bytes, which is the order of a plan.
  public static func < (left: Path, right: Path) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }

  public var isEmpty: Bool { bytes.isEmpty }
  public var isAbsolute: Bool { bytes.first == slash }

  /// The text, where the bytes are valid UTF-8.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// For people: bytes that are no UTF-8 show as `\xHH`, control characters as they are escaped
  /// in C, so that a name can never break a line or color a terminal.
  public var shown: String {
    var shown = ""
    for scalar in escaped.unicodeScalars {
      switch scalar {
      case "\n": shown += "\\n"
      case "\t": shown += "\\t"
      case "\r": shown += "\\r"
      case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value):
        shown += hexEscape(UInt8(scalar.value))
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  /// For JSON: the text if it is valid UTF-8; else its bad bytes as `\xHH`.
  public var escaped: String {
    if let text { return text }
    var escaped = ""
    var rest = bytes[...]
    while !rest.isEmpty {
      // A valid sequence of UTF-8 has at most four bytes.
      let length = (1...min(4, rest.count)).first {
        String(validating: rest.prefix($0), as: UTF8.self) != nil
      }
      if let length {
        escaped += String(decoding: rest.prefix(length), as: UTF8.self)
        rest = rest.dropFirst(length)
      } else {
        escaped += hexEscape(rest[rest.startIndex])
        rest = rest.dropFirst()
      }
    }
    return escaped
  }

  /// The path of something below this one.
  ///
  /// An absolute path stays itself.
  public func appending(_ other: Path) -> Path {
    if isEmpty || other.isAbsolute { return other }
    if other.isEmpty { return self }
    return Path(bytes: bytes.last == slash ? bytes + other.bytes : bytes + [slash] + other.bytes)
  }

  public func appending(_ name: String) -> Path { appending(Path(name)) }

  /// What stands behind the last slash.
  public var lastComponent: Path {
    guard let index = bytes.lastIndex(of: slash) else { return self }
    return Path(bytes: bytes[(index + 1)...])
  }

  /// What stands before the last slash; `/` for a file of the root, empty for a bare name.
  public var folder: Path {
    guard let index = bytes.lastIndex(of: slash) else { return Path("") }
    return Path(bytes: bytes[..<max(index, 1)])
  }

  /// The last component without its extension.
  ///
  /// A leading dot begins no extension.
  public var stem: Path {
    let name = lastComponent.bytes
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return Path(bytes: name) }
    return Path(bytes: name[..<dot])
  }

  /// The extension of the last component without its dot, empty where there is none.
  public var fileExtension: Path {
    let name = lastComponent.bytes
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return Path("") }
    return Path(bytes: name[(dot + 1)...])
  }

  /// Hands the path to a system call, ended by NUL.
  @discardableResult
  public func withCString<Result, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let characters = bytes.map { CChar(bitPattern: $0) } + [0]
    // `withUnsafeBufferPointer` rethrows untyped; the pointer is valid for the call's length.
    return try characters.withUnsafeBufferPointer { buffer throws(Failure) in
      guard let base = buffer.baseAddress else { preconditionFailure("an array with a NUL") }
      return try body(base)
    }
  }

  /// True for a regular file that this process may read.
  public var isReadableFile: Bool {
    withCString { path in
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        && access(path, R_OK) == 0
    }
  }
}

extension Path: Codable {
  /// JSON of the worker protocol: text where it is UTF-8, else an array of bytes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self.init(text)
    } else {
      self.init(bytes: try container.decode([UInt8].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let text { try container.encode(text) } else { try container.encode(bytes) }
  }
}

private let slash = UInt8(ascii: "/")

private func hexEscape(_ byte: UInt8) -> String {
  let digits = Array("0123456789abcdef")
  return "\\x\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
}
