import MinilabKit

/// What a file holds, as far as its first bytes tell.
enum FileContent: Equatable {
  case picture(PictureFormat)
  /// A camera's own raw format: never opened as the thumbnail it contains.
  case raw
  case noPicture

  /// Reads the first bytes of a file, at most `headLength` of them.
  ///
  /// The name counts only for the formats that have no signature of their own (TGA, SVGZ) and for
  /// camera raw, which mostly looks like TIFF.
  init(of head: Head, extension fileExtension: String) {
    let format = signatures.first { $0.matches(head, fileExtension) }?.format
    if head.isRaw || (format == .tiff && rawExtensions.contains(fileExtension)) {
      self = .raw
    } else if let format {
      self = .picture(format)
    } else {
      self = .noPicture
    }
  }

  /// How much of a file is read to tell its format, in bytes.
  static let headLength = 4096
}

/// How the content of a format begins.
private struct Signature {
  let format: PictureFormat
  let matches: @Sendable (_ head: Head, _ fileExtension: String) -> Bool

  init(_ format: PictureFormat, _ matches: @escaping @Sendable (Head, String) -> Bool) {
    self.format = format
    self.matches = matches
  }

  init(_ format: PictureFormat, _ matches: @escaping @Sendable (Head) -> Bool) {
    self.init(format) { head, _ in matches(head) }
  }
}

/// Every format that is told, frequent ones first.
///
/// No two match the same bytes.
private let signatures: [Signature] = [
  Signature(.jpeg) { head, fileExtension in
    // Some writers leave junk before the first marker; decoders step over it.
    head.begins([0xff, 0xd8, 0xff])
      || head.begins([0xff, 0xd8]) && PictureFormat.jpeg.extensions.contains(fileExtension)
  },
  Signature(.png) { $0.begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  Signature(.webp) { $0.begins("RIFF") && $0.has("WEBPVP8", at: 8) },
  Signature(.gif) { $0.begins("GIF87a") || $0.begins("GIF89a") },
  Signature(.tiff, \.isTIFF),
  Signature(.avif) { $0.brandedFormat == .avif },
  Signature(.heif) { $0.brandedFormat == .heif },
  Signature(.svg) { $0.isSVG || ($1 == "svgz" && $0.begins([0x1f, 0x8b, 0x08])) },
  Signature(.pdf, \.isPDF),
  Signature(.jp2k) {
    $0.begins([0, 0, 0, 12]) && $0.has("jP  \r\n", at: 4) && $0.has([0x87, 0x0a], at: 10)
      || $0.begins([0xff, 0x4f, 0xff, 0x51])
  },
  Signature(.jxl) {
    $0.begins([0, 0, 0, 12]) && $0.has("JXL \r\n", at: 4) && $0.has([0x87, 0x0a], at: 10)
      || $0.begins([0xff, 0x0a])
  },
  Signature(.pnm, \.isPNM),
  Signature(.hdr) { $0.begins("#?RADIANCE\n") || $0.begins("#?RGBE\n") },
  Signature(.bmp, \.isBMP),
  Signature(.tga) { $1 == "tga" && $0.isTGA },
  Signature(.ico, \.isIcon),
  Signature(.psd) { $0.begins("8BPS") && ($0.has([0, 1], at: 4) || $0.has([0, 2], at: 4)) },
  Signature(.dds) { $0.begins("DDS ") && $0.little32(at: 4) == 124 },
  Signature(.xpm) { $0.begins("/* XPM */") },
  Signature(.fits) { $0.begins("SIMPLE  =") },
  Signature(.exr) { $0.begins([0x76, 0x2f, 0x31, 0x01]) },
]

/// Lower-case extensions of cameras' raw formats.
private let rawExtensions: Set<String> = [
  "3fr", "arw", "cap", "cr2", "cr3", "crw", "dcr", "dcs", "dng", "erf", "fff", "gpr", "iiq", "k25",
  "kdc", "mef", "mos", "mrw", "nef", "nrw", "orf", "ori", "pef", "ptx", "raf", "raw", "rw2", "rwl",
  "sr2", "srf", "srw", "x3f",
]

extension Head {
  /// Classic TIFF or BigTIFF, in either byte order.
  var isTIFF: Bool {
    begins([0x49, 0x49, 42, 0]) || begins([0x4d, 0x4d, 0, 42])
      || begins([0x49, 0x49, 43, 0, 8, 0, 0, 0]) || begins([0x4d, 0x4d, 0, 43, 0, 8, 0, 0])
  }

  /// Raw formats that say so themselves, whatever the file is called.
  var isRaw: Bool {
    isTIFF && has("CR", at: 8) && byte(10) == 2  // Canon CR2
      || has("ftypcrx ", at: 4)  // Canon CR3
      || begins("II") && has("HEAPCCDR", at: 6)  // Canon CRW
      || begins("FUJIFILMCCD-RAW")
      || begins("IIRO") || begins("IIRS") || begins("MMOR")  // Olympus
      || begins([0x49, 0x49, 0x55, 0])  // Panasonic
      || begins([0, 0x4d, 0x52, 0x4d])  // Minolta
      || begins("FOVb")  // Sigma
  }

  /// `%PDF-1.7` at the start of a line of the first kilobyte; readers allow for what precedes it.
  var isPDF: Bool {
    guard let first = bytes.indices.first else { return false }
    let last = min(bytes.count, 1024)
    return (0..<last).contains { offset in
      has("%PDF-", at: offset) && isDigit(offset + 5) && byte(offset + 6) == UInt8(ascii: ".")
        && (offset == 0 || [0x0a, 0x0d, 0x00, 0xbf].contains(bytes[first + offset - 1]))
    }
  }

  /// A Windows or OS/2 bitmap: the size of its second header is one of a few.
  var isBMP: Bool {
    begins("BM") && [12, 16, 40, 52, 56, 64, 108, 124].contains(little32(at: 14))
  }

  /// An icon or a cursor whose first entry lies behind the directory.
  var isIcon: Bool {
    guard begins([0, 0, 1, 0]) || begins([0, 0, 2, 0]), let count = little16(at: 4), count > 0,
      let length = little32(at: 14), let offset = little32(at: 18)
    else { return false }
    // A cursor has its hot spot where an icon has planes and bits.
    let isCursor = byte(2) == 2
    guard isCursor || [0, 1].contains(little16(at: 10)),
      isCursor || [0, 1, 2, 4, 8, 16, 24, 32].contains(little16(at: 12))
    else { return false }
    return length > 0 && offset >= 6 + 16 * count
  }

  /// TGA has no signature: every field of its header must agree with the others.
  var isTGA: Bool {
    guard bytes.count >= 18, let mapped = byte(1), let type = byte(2), let depth = byte(16),
      let descriptor = byte(17), let width = little16(at: 12), let height = little16(at: 14),
      let mapLength = little16(at: 5), let mapDepth = byte(7)
    else { return false }
    guard width > 0, height > 0, mapped <= 1, descriptor & 0xc0 == 0, descriptor & 0x0f <= 8 else {
      return false
    }
    switch type {
    case 1, 9:
      return mapped == 1 && mapLength > 0 && [15, 16, 24, 32].contains(mapDepth)
        && [8, 16].contains(depth)
    case 2, 10: return [15, 16, 24, 32].contains(depth)
    case 3, 11: return [8, 16].contains(depth)
    default: return false
    }
  }
}
