import MinilabKit
import Vips

/// Where libvips makes of a header what the file does not say.
///
/// It takes a resolution without a unit, which tells only how wide a pixel is for its height, for pixels
/// in a millimeter, and 72 dpi for what a JPEG does not say. A PNG's profile that does not fit goes
/// unmentioned.
struct HeaderCorrection {
  /// In pixels per millimeter; nil where what libvips says is so.
  private var density: (across: Double, down: Double)?
  /// The start of a profile that cannot be used.
  private var profile: [UInt8]?

  /// Libvips' own way to say that nobody knows.
  private static let unknown = (across: 1.0, down: 1.0)

  init(_ header: Image, _ format: PictureFormat, _ data: PictureData) {
    let unit = header.string("exif-ifd0-ResolutionUnit")?.first
    switch format {
    case .jpeg:
      let isSaid = ["X", "Y"].allSatisfy { header.has("exif-ifd0-\($0)Resolution") }
      if isSaid, unit == "2" || unit == "3" { return }
      density = Self.jfif(data) ?? Self.unknown
    case .tiff: if !header.has("resolution-unit") { density = Self.unknown }
    case .png: readPNG(header, data)
    default: if unit == "1" { density = Self.unknown }
    }
  }

  /// The same picture as its file has it.
  func applied(to image: Image) throws -> Image {
    if density == nil, profile == nil { return image }
    let (across, down) = density ?? image.resolution
    let copy = try image.copy([.init("xres", .double(across)), .init("yres", .double(down))])
    if let profile { copy.set("icc-profile-data", blob: profile) }
    return copy
  }

  /// Of JFIF's segment (JFIF 1.02): dots per inch or per centimeter.
  private static func jfif(_ data: PictureData) -> (across: Double, down: Double)? {
    guard let file = try? data.reopened(),
      let fields = (try? JPEGSegments(file.number))?.segments.first(where: \.isJFIF)?.data,
      fields.count >= 12
    else { return nil }
    let length: Double
    switch fields[7] {
    case 1: length = 25.4
    case 2: length = 10
    default: return nil
    }
    let across = Double(Int(fields[8]) << 8 | Int(fields[9]))
    let down = Double(Int(fields[10]) << 8 | Int(fields[11]))
    return across > 0 && down > 0 ? (across / length, down / length) : nil
  }

  /// Of chunks before the pixels.
  private static let mostChunks = 1000

  private mutating func readPNG(_ header: Image, _ data: PictureData) {
    var offset = 8
    var unread: [UInt8]?
    for _ in 0..<Self.mostChunks {
      // A length, a name, and as much as is needed of what is inside.
      guard let head = try? data.read(at: offset, count: 17), head.count >= 8 else { break }
      let length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
      switch String(decoding: head[4..<8], as: UTF8.self) {
      // A unit of 1 is a meter.
      case "pHYs" where head.count == 17 && length == 9 && head[16] != 1: density = Self.unknown
      case "iCCP": unread = Array(head.dropFirst(4))
      // These are the better word on colors.
      case "sRGB", "cICP":
        return
      case "IDAT":
        if !header.has("icc-profile-data") { profile = unread }
        return
      default: break
      }
      offset += 12 + length
    }
  }
}
