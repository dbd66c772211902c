/// A kind of picture file, told by content and never by name.
public enum PictureFormat: String, Sendable, Codable, CaseIterable, Hashable {
  case jpeg
  case png
  case gif
  case webp
  case tiff
  case heif
  case avif
  case svg
  case pdf
  case jp2k
  case jxl
  case pnm
  case hdr
  case bmp
  case tga
  case ico
  case psd
  case dds
  case xpm
  case fits
  case exr

  /// The formats whose loaders are fit for pictures from strangers.
  public static let safe: [PictureFormat] = [.jpeg, .png, .gif, .webp, .tiff, .heif, .avif]

  /// As people write it.
  public var shown: String {
    switch self {
    case .webp: "WebP"
    case .jp2k: "JPEG 2000"
    case .jxl: "JPEG XL"
    case .hdr: "Radiance HDR"
    case .exr: "OpenEXR"
    default: rawValue.uppercased()
    }
  }

  /// With "a" or "an", as it is spoken.
  public var shownWithArticle: String {
    switch self {
    case .avif, .svg, .xpm, .ico, .exr: "an \(shown)"
    default: "a \(shown)"
    }
  }

  /// The extension of a file of this format, as an output path has it.
  public var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .tiff: "tif"
    case .heif: "heic"
    case .jp2k: "jp2"
    default: rawValue
    }
  }

  /// Lower-case extensions that promise a picture of this format.
  public var extensions: [String] {
    switch self {
    case .jpeg: ["jpg", "jpeg", "jpe", "jfif", "mpo"]
    case .png: ["png", "apng"]
    case .tiff: ["tif", "tiff"]
    case .heif: ["heic", "heif", "hif"]
    case .svg: ["svg", "svgz"]
    case .jp2k: ["jp2", "j2k", "j2c", "jpc", "jpf", "jpx"]
    case .pnm: ["ppm", "pgm", "pbm", "pnm", "pfm", "pam"]
    case .bmp: ["bmp", "dib"]
    case .tga: ["tga"]
    case .ico: ["ico", "cur"]
    case .fits: ["fits", "fit", "fts"]
    default: [rawValue]
    }
  }
}
