public import MinilabKit
public import Vips

/// How one format is written: its options as a parameter table, its limits, its libvips saver.
public protocol PictureEncoder: ParameterTable {
  static var format: PictureFormat { get }
  /// The longest side that the format can hold, in pixels.
  static var longestSide: Int { get }
  static var holdsAlpha: Bool { get }
  /// The most bits a channel, where the options allow it.
  var depth: Int { get }
  /// The name of the libvips operation that saves to a target.
  static var saver: String { get }
  /// What the saver is told.
  var arguments: [Argument] { get }
}

extension PictureEncoder {
  public static var holdsAlpha: Bool { true }
  public var depth: Int { 8 }
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
