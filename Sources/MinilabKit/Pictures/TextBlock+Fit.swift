public import Vips

extension TextBlock {
  /// Text drawn to fit a box.
  public struct Fitted: Sendable {
    /// As of `TextBlock.coverage()`.
    public let coverage: Image
    /// Of the letters, in pixels: what was asked for, or less.
    public let size: Double
    /// Even at the smallest size the end did not fit.
    public let isCut: Bool
  }

  /// The text drawn no larger than a box: its lines broken at the box's width, and where they are then
  /// too many, in smaller letters.
  ///
  /// Nil where nothing can be seen.
  ///
  /// - Throws: `VipsError`.
  public func fitted(in box: Size) throws -> Fitted? {
    if isBlank { return nil }
    // Cairo, which draws the letters, counts up to 32767.
    let box = Size(width: min(box.width, 30_000), height: min(box.height, 30_000))
    var block = self
    block.width = min(width ?? box.width, box.width)
    block.size = try estimatedSize(in: box)
    while true {
      let (coverage, overhang) = try block.coverageInside(box.width)
      let fits = overhang <= 0 && coverage.height <= box.height
      if fits || block.size <= 1 {
        let cut = try coverage.extractArea(
          left: 0,
          top: 0,
          width: min(coverage.width, box.width),
          height: min(coverage.height, box.height)
        )
        return Fitted(coverage: cut, size: block.size, isCut: !fits)
      }
      block.size = max(1, block.size * 0.96)
    }
  }

  /// The letters may lean out of their line a little: then lines are made that much shorter.
  private func coverageInside(_ width: Int) throws -> (coverage: Image, overhang: Int) {
    var block = self
    var image = try drawnLines(block)
    let overhang = image.width - width
    if overhang > 0, Double(overhang) < size / 3, let lines = block.width {
      block.width = max(1, lines - overhang)
      image = try drawnLines(block)
    }
    return (image, image.width - width)
  }

  private func drawnLines(_ block: TextBlock) throws -> Image {
    guard let image = try block.coverage() else {
      throw VipsError(operation: "text", text: "drew nothing")
    }
    return image
  }

  /// The largest size that should do, told by small letters: a long text in large ones would take
  /// more memory than the picture it is for.
  private func estimatedSize(in box: Size) throws -> Double {
    let largest = max(1, min(size, sizeThatSurelyIsEnough(in: box)))
    if estimatedHeight(at: largest, box) <= Double(box.height) { return largest }
    var fitting = 1.0
    var tooLarge = largest
    for _ in 0..<8 where tooLarge > fitting * 1.01 {
      let middle = (fitting + tooLarge) / 2
      if estimatedHeight(at: middle, box) <= Double(box.height) {
        fitting = middle
      } else {
        tooLarge = middle
      }
    }
    return fitting
  }

  /// No larger letters could fit: the narrowest of usual fonts take a quarter of an em, and a line more
  /// than one.
  private func sizeThatSurelyIsEnough(in box: Size) -> Double {
    let letters = text.count { !$0.isWhitespace }
    let lines = text.count { $0.isNewline } + 1
    let area = Double(box.width) * Double(box.height)
    return min(
      Double(box.height) / Double(lines),
      (area / (0.25 * Double(max(1, letters)))).squareRoot()
    )
  }

  /// Infinite where even small letters are too many to be drawn.
  private func estimatedHeight(at size: Double, _ box: Size) -> Double {
    var small = self
    small.size = min(size, 16)
    let scale = small.size / size
    let lines = min(width ?? box.width, box.width)
    small.width = max(1, Int(Double(lines) * scale))
    guard let drawn = try? drawnLines(small) else { return .infinity }
    return Double(drawn.height) / scale
  }
}
