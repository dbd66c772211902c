/// Why no picture can be made of a frame.
public enum FrameError: Error, Sendable, Equatable {
  /// A JPEG frame where pixels are wanted: a JPEG decoder has to read it.
  case compressed
  /// A frame of pixels where a JPEG file is wanted.
  case notCompressed
  /// Fewer bytes than the rows of the frame need.
  case short(expected: Int, received: Int)
  /// Sides, or bytes from row to row, that no frame has.
  case badLayout(width: Int, height: Int, bytesPerLine: Int)
  /// The bytes do not begin as a JPEG does, or hold no picture.
  case noJPEG
  /// The JPEG stops before its end marker.
  case truncated
  /// A part of the JPEG contradicts the others; the text says which.
  case damaged(String)
  /// A kind of JPEG that cameras do not send and common programs do not read; the text names it.
  case unsupported(String)
}

extension FrameError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .compressed: "the frame is a JPEG, and a decoder has to read it"
    case .notCompressed: "the frame holds pixels and is no JPEG"
    case .short(let expected, let received):
      "a whole frame has \(expected) bytes, and this one has \(received)"
    case .badLayout(let width, let height, let bytesPerLine):
      "no frame has \(width) × \(height) pixels in rows of \(bytesPerLine) bytes"
    case .noJPEG: "the frame does not begin as a JPEG, or holds no picture"
    case .truncated: "the JPEG stops before its end marker"
    case .damaged(let part): "the JPEG is damaged: \(part)"
    case .unsupported(let kind): "\(kind) is not supported"
    }
  }
}
