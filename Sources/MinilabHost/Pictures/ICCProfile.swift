import MinilabKit
import Vips

/// What can be read from an ICC profile's header and description (ICC.1:2010, 7.2 and 9.2.41)
/// without converting anything.
struct ICCProfile {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Why the profile cannot be a picture's, in words; nil where it fits.
  func fault(isGray: Bool) -> String? {
    guard bytes.count >= 132, text(at: 36, count: 4) == "acsp", isLoadable else {
      return "is broken"
    }
    let space = text(at: 16, count: 4)
    let wanted = isGray ? "GRAY" : "RGB "
    return space == wanted ? nil : "is for \(space.trimmed) and the picture is \(wanted.trimmed)"
  }

  /// Its description says that it is sRGB, so nothing needs converting.
  var isSRGB: Bool {
    guard bytes.count >= 132, text(at: 16, count: 4) == "RGB " else { return false }
    return description.contains("sRGB")
  }

  /// The `desc` tag, as ASCII (version 2) or UTF-16 (version 4, `mluc`).
  var description: String {
    let count = min(number(at: 128), 256)
    for index in 0..<count {
      let entry = 132 + index * 12
      guard text(at: entry, count: 4) == "desc" else { continue }
      let start = number(at: entry + 4)
      let length = min(number(at: entry + 8), 1024)
      guard start >= 0, start + length <= bytes.count, length > 12 else { return "" }
      // Either form is ASCII with or without zero bytes between the letters.
      return String(
        decoding: bytes[(start + 12)..<(start + length)].filter { (0x20...0x7e).contains($0) },
        as: UTF8.self
      )
    }
    return ""
  }

  /// The color management library takes it: asked with one pixel.
  private var isLoadable: Bool {
    let isGray = text(at: 16, count: 4) == "GRAY"
    do {
      let pixel = try Image(
        pixels: [UInt8](repeating: 0, count: isGray ? 1 : 3),
        width: 1,
        height: 1,
        bands: isGray ? 1 : 3
      )
      pixel.set("icc-profile-data", blob: bytes)
      guard ["GRAY", "RGB "].contains(text(at: 16, count: 4)) else { return true }
      _ = try pixel.toSRGB(depth: 8).pixels()
      return true
    } catch {
      return false
    }
  }

  private func number(at offset: Int) -> Int {
    guard offset >= 0, offset + 4 <= bytes.count else { return 0 }
    return bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  private func text(at offset: Int, count: Int) -> String {
    guard offset >= 0, offset + count <= bytes.count else { return "" }
    return String(decoding: bytes[offset..<(offset + count)], as: UTF8.self)
  }
}

extension String {
  fileprivate var trimmed: String { String(self.drop { $0 == " " }.prefix { $0 != " " }) }
}
