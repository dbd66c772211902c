import MinilabKit

/// One thing on the way to an output, as `--explain` tells it.
struct WayStep: Codable, Equatable {
  enum Kind: String, Codable {
    case decode
    /// Pixels that a step makes of several pictures.
    case make
    /// Whole pixels at their own size.
    case cut
    case reduce
    case stretch
    case interpolate
    /// What lies around a picture is put around it.
    case surround
    case work
    /// The pixels are held for other outputs.
    case hold
    /// What was held is taken.
    case reuse
    case encode
  }

  var kind: Kind
  var from: Dimensions?
  var to: Dimensions
  /// Where a cut begins, in stored pixels.
  var at: [Int]?
  /// Of a decoder: its name, and by how much it reduces.
  var loader: String?
  var shrink: Int?
  /// The whole picture is held; else rows come and go.
  var isWhole: Bool?
  /// How many samples are averaged into one before a kernel, along each axis.
  var box: [Int]?
  var kernel: String?
  /// What is left for the kernel, along each axis.
  var factor: [Double]?
  /// The EXIF orientation whose turn comes last.
  var turn: Int?
  /// The step of pixel work.
  var step: String?
  var quality: Int?
  /// The encoder keeps every pixel; nil where the format leaves no choice.
  var isLossless: Bool?
  /// Of how many pictures that go the same way; nil for one.
  var count: Int?
  /// What is held for it, in bytes.
  var bytes = 0
}

/// A size as messages have it.
struct Dimensions: Codable, Equatable {
  var width: Int
  var height: Int

  init(_ size: Size) {
    width = size.width
    height = size.height
  }

  var shown: String { "\(width)×\(height)" }
}

/// What making something takes.
struct Estimate: Codable, Equatable {
  /// The most memory that is held at a time for it beside an idle worker, in bytes.
  var memory: Int
  /// Time, where decoding a megapixel of JPEG takes 1.
  var cost: Double
}
