public import MinilabKit
public import Vips

/// How one format is written: its options as a parameter table, its limits, its libvips saver.
public protocol PictureEncoder: ParameterTable {
  static var format: PictureFormat { get }
  /// The longest side that the format can hold, in pixels.
  static var longestSide: Int { get }
  static var holdsAlpha: Bool { get }
  /// The most bits of a channel that are written of themselves, 8 or 16.
  var depth: Int { get }
  /// Bits of a channel that the output asks for.
  var wantedDepth: Int? { get }
  /// How fewer than 8 bits are handed to the saver.
  var lowDepth: LowDepth { get }
  /// The quality that may be searched for; nil where the options leave none to choose.
  var searched: Quality? { get }
  /// The name of the libvips operation that saves to a target.
  static var saver: String { get }

  func with(quality: Int) -> Self
  /// For a page of a file that has several.
  var forPages: Self { get }
  /// The saver chooses a palette, and reduces the depth itself.
  func makesPalette(of image: Image) -> Bool
  /// What the saver is told of a picture.
  func arguments(for image: Image) -> [Argument]
}

/// What a saver makes fewer than 8 bits of.
public enum LowDepth: Sendable {
  /// The levels themselves: 0 to 3 for 2 bits.
  case levels
  /// The high bits of 8, and of gray alone.
  case grayAlone
}

extension PictureEncoder {
  public static var holdsAlpha: Bool { true }
  public var depth: Int { 8 }
  public var wantedDepth: Int? { nil }
  public var lowDepth: LowDepth { .levels }
  public var searched: Quality? { nil }

  public func with(quality: Int) -> Self { self }
  public var forPages: Self { self }
  public func makesPalette(of image: Image) -> Bool { false }

  /// A copy with one option changed.
  func with<Value>(_ option: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
    var copy = self
    copy[keyPath: option] = value
    return copy
  }

  /// The bits of a channel that are written where a picture has so many.
  func depth(from bits: Int) -> Int { wantedDepth ?? min(bits, depth) }
}

extension Parameter where Owner: PictureEncoder {
  static func quality(
    _ keyPath: any WritableKeyPath<Owner, Quality> & Sendable,
    help: String = "Higher is better and larger."
  ) -> Self {
    Parameter(
      "quality",
      keyPath,
      in: 1...100,
      help: help + " `auto` looks for the lowest at which nothing is seen."
    )
  }

  static func bitDepth(
    _ keyPath: any WritableKeyPath<Owner, (some NumberChoice)?> & Sendable,
    help: String
  ) -> Self {
    Parameter("bit-depth", keyPath, help: help)
  }
}

extension Rule where Owner: PictureEncoder {
  /// A quality of `auto` needs something to be chosen.
  static func qualityToChoose(
    _ keyPath: any KeyPath<Owner, Quality> & Sendable,
    isLossless: @escaping @Sendable (Owner) -> Bool
  ) -> Self {
    Rule("a lossy picture for quality = \"auto\"", keys: ["quality"]) { options, _ in
      options[keyPath: keyPath] == .automatic && isLossless(options) ? "a lossless one" : nil
    }
  }
}

/// Every format that can be written, sorted by name.
public let pictureEncoders: [any PictureEncoder.Type] = [
  AVIFEncoder.self,
  GIFEncoder.self,
  HEIFEncoder.self,
  JPEGEncoder.self,
  JXLEncoder.self,
  PNGEncoder.self,
  TIFFEncoder.self,
  WebPEncoder.self,
]
