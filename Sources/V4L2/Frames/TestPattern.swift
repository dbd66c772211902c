/// A moving picture that tells which frame it is, which way is up, and whether its colors are right: what a
/// camera shows that is not there.
///
/// From top to bottom, in eighths of the height:
/// - 3: bars in white, yellow, cyan, green, magenta, red, blue and black, from the left;
/// - 2: the number of the frame in two rows of sixteen black and white cells, for programs;
/// - 2: the number in digits, and the letter F, for people;
/// - 1: a ramp from black to white, and a red block that moves along it.
///
/// The same number and size give the same bytes, always.
public struct TestPattern: Sendable, Equatable {
  /// In pixels.
  public let width: Int
  public let height: Int

  /// In pixels, of either side.
  public static let sides = 32...FrameLayout.longestSide

  /// Frames are counted from 0 to here, and then from 0 again.
  public static let lastNumber = (1 << FrameCode.numberBits) - 1

  /// Nil where a side is outside of `sides`.
  public init?(width: Int, height: Int) {
    guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
    self.width = width
    self.height = height
  }

  /// The bars from the left: red, green, blue.
  ///
  /// Three quarters of full light, but for white: no conversion cuts them off.
  public static let bars: [[UInt8]] = [
    [255, 255, 255], [191, 191, 0], [0, 191, 191], [0, 191, 0],
    [191, 0, 191], [191, 0, 0], [0, 0, 191], [0, 0, 0],
  ]

  /// The frame of that number, in red, green and blue.
  public func bitmap(number: Int) -> Bitmap {
    let rows = TestPatternRows(self, number: number)
    var samples: [UInt8] = []
    samples.reserveCapacity(width * height * 3)
    for y in 0..<height { samples += rows[y] }
    return Bitmap(width: width, height: height, bands: 3, samples: samples)
  }

  /// What the number becomes that is read back.
  static func wrapped(_ number: Int) -> Int { number & lastNumber }
}
