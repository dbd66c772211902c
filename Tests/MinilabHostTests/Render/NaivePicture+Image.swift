import NaivePictures
import Vips

extension NaivePicture {
  /// The samples of a picture in libvips, 8 or 16 bit.
  init(_ image: Image) throws {
    let (width, height, bands) = (image.width, image.height, image.bands)
    switch image.format {
    case .ushort:
      self.init(width: width, height: height, bands: bands, words: try image.pixels16())
    default:
      self.init(width: width, height: height, bands: bands, bytes: try image.pixels())
    }
  }

  /// 8 bit, rounded and clipped.
  func image() throws -> Image {
    try Image(pixels: bytes, width: width, height: height, bands: bands)
  }

  /// 16 bit, rounded and clipped.
  func image16() throws -> Image {
    try Image(pixels16: words, width: width, height: height, bands: bands)
  }
}
