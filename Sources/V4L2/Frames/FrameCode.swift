/// The number of a frame as two rows of black and white cells: its bits, and bits that check them.
enum FrameCode {
  static let numberBits = 20
  static let columns = 16
  static let rows = 2
  /// Of the picture's height.
  static let top = 3.0 / 8
  static let rowHeight = 1.0 / 8

  /// The cells in reading order; true is white.
  static func cells(of number: Int) -> [Bool] {
    let word = UInt32(number) << checkBits | check(number)
    return (0..<32).map { word >> UInt32(31 - $0) & 1 == 1 }
  }

  /// Nil where the cells check wrong.
  static func number(of cells: [Bool]) -> Int? {
    let word = cells.reduce(UInt32(0)) { $0 << 1 | ($1 ? 1 : 0) }
    let number = Int(word >> checkBits)
    return word & (1 << checkBits - 1) == check(number) ? number : nil
  }

  private static let checkBits: UInt32 = 12

  /// The remainder of a division by x^12 + x^11 + x^3 + x^2 + x + 1, started with ones so that there are always cells of
  /// both colors.
  private static func check(_ number: Int) -> UInt32 {
    var rest: UInt32 = 0xFFF
    for bit in (0..<numberBits).reversed() {
      let top = rest >> 11 & 1 ^ UInt32(number >> bit & 1)
      rest = rest << 1 & 0xFFF ^ (top == 1 ? 0x80F : 0)
    }
    return rest
  }
}
