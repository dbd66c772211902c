internal import Glibc

/// From luma and color differences to red, green and blue.
///
/// In products of 16-bit numbers of which the upper half is kept, so that the compiler finds
/// instructions for eight pixels at once on every processor; what comes out is within a quarter of
/// a level of the exact number before it is rounded.
struct ColorDecoder {
  /// What a color sample is multiplied with before it comes here: the weights of its interpolation.
  static let chromaScale = 16

  /// Factors, times 2^13.
  private let luma: Int16
  private let redOfCr: Int16
  private let greenOfCb: Int16
  private let greenOfCr: Int16
  private let blueOfCb: Int16
  /// Of black and of half a level, in sixteenths of a level.
  private let offset: Int16

  init(_ matrix: ColorMatrix) {
    let one = 8192.0
    let color = one / matrix.differenceScale
    func whole(_ number: Double) -> Int16 { Int16(number.rounded()) }
    luma = whole(one / matrix.lumaScale)
    redOfCr = whole(color * 2 * (1 - matrix.red))
    blueOfCb = whole(color * 2 * (1 - matrix.blue))
    greenOfCb = whole(-color * 2 * (1 - matrix.blue) * matrix.blue / matrix.green)
    greenOfCr = whole(-color * 2 * (1 - matrix.red) * matrix.red / matrix.green)
    // Each product loses half a sixteenth when it is cut.
    offset = whole(16 * (0.5 - matrix.black / matrix.lumaScale) + 1)
  }

  /// Converts a row.
  ///
  /// - Parameters:
  func convert(
    luma row: UnsafePointer<UInt8>,
    cb: UnsafePointer<Int16>,
    cr: UnsafePointer<Int16>,
    count: Int,
    into words: UnsafeMutablePointer<UInt32>
  ) {
    for x in 0..<count {
      let light = upper(Int16(row[x]) &<< 7, luma) &+ offset
      let blue = cb[x] &<< 3
      let red = cr[x] &<< 3
      let r = level(light &+ upper(red, redOfCr))
      let g = level(light &+ upper(blue, greenOfCb) &+ upper(red, greenOfCr))
      let b = level(light &+ upper(blue, blueOfCb))
      words[x] = UInt32(r) | UInt32(g) &<< 8 | UInt32(b) &<< 16
    }
  }

  @inline(__always)
  private func upper(_ a: Int16, _ b: Int16) -> Int16 {
    Int16(truncatingIfNeeded: (Int32(a) &* Int32(b)) &>> 16)
  }

  @inline(__always)
  private func level(_ sixteenths: Int16) -> UInt8 {
    UInt8(truncatingIfNeeded: max(0, min(255, sixteenths &>> 4)))
  }
}
