extension Frame {
  /// The frame before a step writes on it: with a note where the font that is asked for is not
  /// installed, and another one takes its place.
  ///
  /// `font`: as of `TextBlock.font`.
  ///
  /// - Throws: `ItemError` where this machine has no font at all.
  public func checkingFont(_ font: String, in context: Context) throws -> Frame {
    switch Fonts.match(font) {
    case .found: return self
    case .replaced(let other):
      return noting(
        .fontReplaced,
        "\(context.step): the font \(font.literal) is not installed; \(other.literal) was used"
      )
    case .none:
      throw context.error(
        .noFont,
        expected: "a font to write with (\(Fonts.usual), for one)",
        received: "none on this machine"
      )
    }
  }
}
