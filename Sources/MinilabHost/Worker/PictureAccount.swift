import MinilabKit
import Vips

/// What a header tells of a picture.
struct PictureAccount: Codable, Equatable {
  var path: Path
  var format: PictureFormat
  var loader: String
  /// As it is stored.
  var size: Dimensions
  /// The tag, 1 where there is none.
  var orientation: Int
  /// As its decoder hands it over.
  var samples: Samples
  /// As steps are handed it.
  var working: Samples
  var pages: Int
  var isProgressive: Bool
  /// By how much the decoder can reduce it.
  var reductions: [Int]

  init(_ picture: OpenedPicture) {
    let facts = picture.facts
    path = picture.path
    format = picture.origin.format
    loader = facts.decoder?.loader ?? ""
    size = Dimensions(facts.size)
    orientation = picture.header.orientation
    samples = Samples(picture.headerImage)
    working = Samples(
      color: picture.origin.isGray ? .gray : .rgb,
      bands: facts.bands,
      bits: 8 * facts.sampleSize
    )
    pages = picture.header.pages
    isProgressive = facts.decoder?.isProgressive ?? false
    reductions = facts.reductions
  }
}

/// What a pixel is made of.
struct Samples: Codable, Equatable {
  enum Color: String, Codable {
    case gray
    case rgb
    case cmyk
    case lab
    case xyz
    /// Of linear light.
    case linear
    case other
  }

  var color: Color
  /// Alpha and inks beside the color's included.
  var bands: Int
  /// Of one band.
  var bits: Int

  /// For people; gray and RGB are told by their bands.
  var shown: String {
    let numbers = "\(bands) × \(bits) bit"
    return switch color {
    case .gray, .rgb: numbers
    case .cmyk: "CMYK, \(numbers)"
    case .lab: "Lab, \(numbers)"
    case .xyz: "XYZ, \(numbers)"
    case .linear: "linear light, \(numbers)"
    case .other: "unusual color, \(numbers)"
    }
  }
}

extension Samples {
  /// Of a picture of which no more than its header was read.
  fileprivate init(_ header: Image) {
    color =
      switch header.interpretation {
      case .gray, .gray16: .gray
      case .srgb, .rgb16: .rgb
      case .cmyk: .cmyk
      case .lab: .lab
      case .xyz: .xyz
      case .scrgb: .linear
      case .other: .other
      }
    bands = header.bands
    bits = 8 * header.byteCount / max(1, header.width * header.height * header.bands)
  }
}
