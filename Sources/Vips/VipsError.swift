internal import CVips

/// What libvips says of a failure.
///
/// The text is for a log and never decides anything.
public struct VipsError: Error, Sendable, CustomStringConvertible {
  /// The operation that failed, by its libvips name.
  public let operation: String
  public let text: String
  /// What a picture of our own has thrown on the way to the pixels, where that is why.
  public let cause: (any Error)?

  public init(operation: String, text: String, cause: (any Error)? = nil) {
    self.operation = operation
    self.text = text
    self.cause = cause
  }

  public var description: String { "\(operation): \(text)" }

  /// Throws away what libvips and our own pictures still have to say of earlier failures, so that it
  /// is not taken for the cause of the next one.
  public static func forget() {
    vips_error_clear()
    _ = FailureCause.take()
  }

  /// Takes what is in libvips' one error buffer, and empties it.
  static func taken(by operation: String) -> VipsError {
    guard let buffer = vips_error_buffer_copy() else {
      return VipsError(operation: operation, text: "", cause: FailureCause.take())
    }
    defer { g_free(buffer) }
    return VipsError(
      operation: operation,
      text: String(cString: buffer).trimmingTrailingNewlines,
      cause: FailureCause.take()
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
