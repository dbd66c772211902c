import MinilabKit

/// One picture, text or background on the canvas.
struct Piece: Sendable {
  /// Where its pixels lie, all of it on the canvas.
  let area: PixelRectangle
  let mode: BlendMode
  let opacity: Double
  /// It lies at an angle: while it streams, the larger picture it is interpolated from is held.
  let isTurned: Bool
  /// Makes its pixels, of the area's size, in the composition's form; with alpha where it has any.
  let pixels: @Sendable () throws -> Image
  /// Makes one band of 8 bit for the area, which multiplies the alpha; nil where all is seen.
  let mask: (@Sendable () throws -> Image)?
  /// What is thrown where libvips cannot make them.
  let failure: ItemError
}

extension Piece {
  /// An error of libvips does not say which of many pictures it is about.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as VipsError where error.cause == nil {
      throw failure
    }
  }
}
