import MinilabKit
import Vips

/// How each format is opened: the allowed list.
///
/// A format's loader is named here and nowhere chosen by libvips, so content can never reach a
/// loader it was not told for.
struct Loader {
  enum Opening {
    /// Reads from a descriptor.
    case source
    /// Takes a file name only: `/proc/self/fd/N` behind the prefix that names ImageMagick's coder.
    case file(prefix: String)

    var isSource: Bool { if case .source = self { true } else { false } }
  }

  let operation: String
  let opening: Opening
  /// Whole-number reductions the decoder makes while it decodes, ascending.
  var reductions = [1]
  var reducing = Reducing.none
  /// Floating-point samples are 0 to 1 in the picture's own profile, and no linear light.
  var hasEncodedFloats = false

  enum Reducing {
    case none
    /// `shrink`: sample i covers pixels s·i to s·i + s, the last ones may be missing.
    case shrink
    /// `scale`: the whole picture is mapped onto the smaller one.
    case scale
  }

  static func of(_ format: PictureFormat) -> Loader {
    switch format {
    case .jpeg:
      Loader(
        operation: "jpegload_source",
        opening: .source,
        reductions: [1, 2, 4, 8],
        reducing: .shrink
      )
    case .png: Loader(operation: "pngload_source", opening: .source)
    case .gif: Loader(operation: "gifload_source", opening: .source)
    case .webp:
      Loader(
        operation: "webpload_source",
        opening: .source,
        reductions: Array(1...16),
        reducing: .scale
      )
    case .tiff: Loader(operation: "tiffload_source", opening: .source)
    case .heif, .avif: Loader(operation: "heifload_source", opening: .source)
    case .svg:
      Loader(
        operation: "svgload_source",
        opening: .source,
        reductions: Array(1...16),
        reducing: .scale
      )
    case .pdf:
      Loader(
        operation: "pdfload_source",
        opening: .source,
        reductions: Array(1...16),
        reducing: .scale
      )
    case .jp2k: Loader(operation: "jp2kload_source", opening: .source)
    case .jxl:
      Loader(operation: "jxlload_source", opening: .source, hasEncodedFloats: true)
    case .pnm: Loader(operation: "ppmload_source", opening: .source)
    case .hdr: Loader(operation: "radload_source", opening: .source)
    // `fitsload_source` takes a file's name from its source, and ours have none.
    case .fits: Loader(operation: "fitsload", opening: .file(prefix: ""))
    case .exr: Loader(operation: "openexrload", opening: .file(prefix: ""))
    case .bmp, .tga, .ico, .psd, .dds, .xpm:
      Loader(
        operation: "magickload",
        opening: .file(prefix: format.rawValue.uppercased() + ":")
      )
    }
  }

  /// Opens a picture; nothing but its header, and what the file says of itself, is read.
  func open(_ data: PictureData, _ arguments: [Argument]) throws -> Image {
    let image = try opened(data, arguments)
    switch operation {
    case "pngload_source": return try LatePNGChunks.told(by: image, data)
    case "gifload_source": return try withCanvas(image, data, arguments)
    default: return image
    }
  }

  /// A GIF whose canvas is transparent where no frame covers it.
  private func withCanvas(
    _ image: Image,
    _ data: PictureData,
    _ arguments: [Argument]
  ) throws -> Image {
    let size = Size(width: image.width, height: image.int("page-height") ?? image.height)
    guard let bytes = try GIFCanvas.mended(data, size) else { return image }
    let mended = try load(operation, from: Source(bytes: bytes), arguments).copy()
    if let pages = image.int("n-pages") { mended.set("n-pages", int: pages) }
    return mended
  }

  private func opened(_ data: PictureData, _ arguments: [Argument]) throws -> Image {
    switch opening {
    case .source:
      if let bytes = data.bytes {
        return try load(operation, from: Source(bytes: bytes), arguments)
      }
      // A descriptor of its own: libvips moves the position of the one it is given, and two
      // pipelines over one position would disturb each other.
      let own = try data.reopened()
      return try load(operation, from: Source(descriptor: own.number), arguments)
    case .file(let prefix):
      // Some open the name again when pixels are asked for: it must last as long as the data does.
      return try load(operation, fromFile: "\(prefix)/proc/self/fd/\(data.descriptor)", arguments)
    }
  }
}
