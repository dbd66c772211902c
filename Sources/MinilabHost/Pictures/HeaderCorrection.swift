import MinilabKit
import PictureMetadata
import Vips

/// Where libvips makes of a header what the file does not say.
///
/// It takes a resolution without a unit, which tells only how wide a pixel is for its height, for pixels
/// in a millimeter, and 72 dpi for what a JPEG, or its EXIF, does not say. A PNG's profile that does not
/// fit goes unmentioned.
struct HeaderCorrection {
  typealias Density = (across: Double, down: Double)

  /// In pixels per millimeter; nil where what libvips says is so.
  private var density: Density?
  /// The start of a profile that cannot be used.
  private var profile: [UInt8]?

  /// Libvips' own way to say that nobody knows.
  private static let unknown = (across: 1.0, down: 1.0)

  init(_ header: Image, _ format: PictureFormat, _ data: PictureData) {
    var blocks = MetadataBlocks()
    blocks.exif = header.blob("exif-data")
    switch format {
    case .tiff: if !header.has("resolution-unit") { density = Self.unknown }
    case .jpeg: if !blocks.hasDensity { density = Self.jfif(data) ?? Self.unknown }
    case .png:
      let said = readPNG(header, data)
      if !blocks.hasDensity { density = said ?? Self.unknown }
    default: if blocks.exif != nil, !blocks.hasDensity { density = Self.unknown }
    }
    if let density, density == header.resolution { self.density = nil }
  }

  /// The same picture as its file has it.
  func applied(to image: Image) throws -> Image {
    if density == nil, profile == nil { return image }
    let (across, down) = density ?? image.resolution
    let copy = try image.copy([.init("xres", .double(across)), .init("yres", .double(down))])
    if let profile { copy.set("icc-profile-data", blob: profile) }
    return copy
  }

  // MARK: JPEG

  /// Of segments before the pixels.
  private static let mostSegments = 1000

  /// Of JFIF's segment (JFIF 1.02): dots per inch or per centimeter.
  private static func jfif(_ data: PictureData) -> Density? {
    var offset = 2
    for _ in 0..<mostSegments {
      guard let bytes = try? data.read(at: offset, count: 16) else { return nil }
      let head = Head(bytes[...])
      guard head.byte(0) == 0xff, let marker = head.byte(1), marker != 0xda,
        let length = head.big16(at: 2)
      else { return nil }
      if marker == 0xe0, head.has("JFIF\0", at: 4) { return density(head) }
      // A marker may have more of its first byte before it.
      offset += marker == 0xff ? 1 : 2 + length
    }
    return nil
  }

  private static func density(_ jfif: Head) -> Density? {
    guard let across = jfif.big16(at: 12), let down = jfif.big16(at: 14), across > 0, down > 0
    else { return nil }
    switch jfif.byte(11) {
    case 1: return (Double(across) / 25.4, Double(down) / 25.4)
    case 2: return (Double(across) / 10, Double(down) / 10)
    default: return nil
    }
  }

  // MARK: PNG

  /// Of chunks before the pixels.
  private static let mostChunks = 1000

  /// Looks for a profile that libpng has passed over.
  ///
  /// - Returns: the resolution that the file says; nil where that is of no unit, or none.
  private mutating func readPNG(_ header: Image, _ data: PictureData) -> Density? {
    var offset = 8
    var density: Density?
    var unread: [UInt8]?
    var isTold = false
    for _ in 0..<Self.mostChunks {
      // A length, a name, and as much as is needed of what is inside.
      guard let bytes = try? data.read(at: offset, count: 17) else { break }
      let head = Head(bytes[...])
      guard let length = head.big32(at: 0), bytes.count >= 8 else { break }
      switch String(decoding: bytes[4..<8], as: UTF8.self) {
      case "pHYs":
        // In a meter, where the unit is 1.
        if let across = head.big32(at: 8), let down = head.big32(at: 12), head.byte(16) == 1 {
          density = (Double(across) / 1000, Double(down) / 1000)
        }
      case "iCCP": unread = Array(bytes.dropFirst(4))
      // These are the better word on colors.
      case "sRGB", "cICP": isTold = true
      case "IDAT":
        if !isTold, !header.has("icc-profile-data") { profile = unread }
        return density
      default: break
      }
      offset += 12 + length
    }
    return density
  }
}
