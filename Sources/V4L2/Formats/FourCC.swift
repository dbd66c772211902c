/// The four characters by which V4L2 names a pixel format.
public struct FourCC: Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// From four ASCII characters; further ones are left out, and missing ones are spaces.
  public init(_ text: String) {
    let bytes = text.utf8.prefix(4) + Array(repeating: UInt8(ascii: " "), count: 4)
    rawValue = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// As people write it, without the spaces at the end.
  public var description: String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) & 0x7f }
    let shown = bytes.map { 0x20...0x7e ~= $0 ? $0 : UInt8(ascii: "?") }
    return String(decoding: shown.reversed().drop { $0 == 0x20 }.reversed(), as: UTF8.self)
  }
}

extension PixelFormat {
  /// The names that devices have for the format; the usual one first.
  public var codes: [FourCC] {
    switch self {
    case .mjpeg: return [FourCC("MJPG"), FourCC("JPEG")]
    case .yuyv: return [FourCC("YUYV")]
    case .uyvy: return [FourCC("UYVY")]
    case .nv12: return [FourCC("NV12")]
    case .grey: return [FourCC("GREY")]
    case .rgb24: return [FourCC("RGB3")]
    case .bgr24: return [FourCC("BGR3")]
    }
  }

  /// Nil where the format is none that can be read here.
  public init?(_ code: FourCC) {
    guard let format = Self.allCases.first(where: { $0.codes.contains(code) }) else { return nil }
    self = format
  }
}
