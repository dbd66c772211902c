/// Digits and the letter F of 3 × 5 squares, which a person reads at any size.
enum BlockFont {
  static let width = 3
  static let height = 5

  /// The squares of a row are three bits, the left one the highest.
  static let digits: [[UInt8]] = [
    [7, 5, 5, 5, 7], [2, 6, 2, 2, 7], [7, 1, 7, 4, 7], [7, 1, 7, 1, 7], [5, 5, 7, 1, 1],
    [7, 4, 7, 1, 7], [7, 4, 7, 5, 7], [7, 1, 1, 1, 1], [7, 5, 7, 5, 7], [7, 5, 7, 1, 7],
  ]

  /// The letter that looks different in each of the eight ways to turn and mirror a picture.
  static let orientationMark: [UInt8] = [7, 4, 6, 4, 4]
}
