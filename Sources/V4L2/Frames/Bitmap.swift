/// A picture as rows of 8-bit samples of full range, interleaved, without padding.
public struct Bitmap: Sendable, Equatable {
  /// In pixels.
  public var width: Int
  public var height: Int
  /// Samples of a pixel: 1 of gray; 3 of red, green and blue.
  public var bands: Int
  /// `width * height * bands` of them, row by row from the top.
  public var samples: [UInt8]

  public init(width: Int, height: Int, bands: Int, samples: [UInt8]) {
    precondition(samples.count == width * height * bands, "width × height × bands samples")
    self.width = width
    self.height = height
    self.bands = bands
    self.samples = samples
  }
}
