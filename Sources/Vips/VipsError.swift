internal import CVips

/// What libvips says of a failure.
///
/// The text is for a log and never decides anything.
public struct VipsError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The operation that failed, by its libvips name.
  public let operation: String
  public let text: String

  public init(operation: String, text: String) {
    self.operation = operation
    self.text = text
  }

  public var description: String { "\(operation): \(text)" }

  /// Takes what is in libvips' one error buffer, and empties it.
  static func taken(by operation: String) -> VipsError {
    guard let buffer = vips_error_buffer_copy() else {
      return VipsError(operation: operation, text: "")
    }
    defer { g_free(buffer) }
    return VipsError(
      operation: operation,
      text: String(cString: buffer).trimmingTrailingNewlines
    )
  }
}

extension String {
  fileprivate var trimmingTrailingNewlines: String {
    var text = self[...]
    while text.last?.isNewline == true { text.removeLast() }
    return String(text)
  }
}
