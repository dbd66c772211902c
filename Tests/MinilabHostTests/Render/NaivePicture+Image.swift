import NaivePictures
import Vips

extension NaivePicture {
  /// The samples of a picture in libvips, 8 or 16 bit.
  init(_ image: Image) throws {
    let samples =
      switch image.format {
      case .ushort: try image.pixels16().map(Double.init)
      default: try image.pixels().map(Double.init)
      }
    self.init(width: image.width, height: image.height, bands: image.bands, samples: samples)
  }

  /// 8 bit, rounded and clipped.
  func image() throws -> Image {
    try Image(
      pixels: samples.map { UInt8(min(255, max(0, $0.rounded()))) },
      width: width,
      height: height,
      bands: bands
    )
  }

  /// 16 bit, rounded and clipped.
  func image16() throws -> Image {
    try Image(
      pixels16: samples.map { UInt16(min(65_535, max(0, $0.rounded()))) },
      width: width,
      height: height,
      bands: bands
    )
  }
}
