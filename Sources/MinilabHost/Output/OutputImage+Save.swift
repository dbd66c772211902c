import MinilabKit
import Vips

extension OutputImage {
  /// Computes the pixels and writes the file, with whichever quality is wanted.
  ///
  /// `finish`: makes of what the saver has written what the file is to be.
  ///
  /// - Returns: what was chosen on the way, and what the file could not hold.
  /// - Throws: `ItemError` where no quality gives a file that is small enough.
  func save(
    to file: TemporaryFile,
    finish: (TemporaryFile) throws -> Void = { _ in }
  ) throws -> [Note] {
    func write(_ image: OutputImage, _ encoder: any PictureEncoder) throws -> [Note] {
      let lost = try image.write(encoder, to: file)
      try finish(file)
      return lost
    }
    guard encoder.searched == .automatic || settings.maxBytes != nil else {
      return try write(self, encoder)
    }
    let held = try withPixelsInMemory()
    let (encoder, chosen) = try held.chosen()
    guard let limit = settings.maxBytes else { return try write(held, encoder) + chosen }
    return try QualitySearch(file: file, limit: limit, output: settings.name)
      .save(with: encoder, chosen) { try write(held, $0) }
  }

  /// The encoder with a quality that is known, and what is to be told of it.
  private func chosen() throws -> (any PictureEncoder, [Note]) {
    guard encoder.searched == .automatic else { return (encoder, []) }
    let found = try AutomaticQuality(of: image, encoder, on: settings.background).lowest()
    return (encoder.with(quality: found), [Note(.qualityChosen, AutomaticQuality.text(found))])
  }
}
