import MinilabKit

/// What has become of a unit that no worker has to see.
enum UnitFate: Equatable, Sendable {
  case failed(ItemError)
  case skipped(SkipReason)
}

extension ItemError {
  /// The error of a group that lacks pictures, where the profile fails such.
  ///
  /// - Parameters:
  ///   - count: how many items it has.
  ///   - wanted: how many it should have; nil where none is lacking but those that have failed.
  ///   - failed: the first member that has failed, with its error.
  /// - Returns: what names it, or the counts.
  static func incompleteGroup(
    of count: Int,
    wanted: Int?,
    _ failed: (name: Path, error: ItemError)?
  ) -> ItemError {
    let expected = "a complete group (gather.incomplete = \"fail\")"
    guard let (name, error) = failed else {
      return ItemError(
        .incompleteGroup,
        expected: expected,
        received: "\(count) of \(wanted ?? count) pictures"
      )
    }
    return ItemError(
      .incompleteGroup,
      expected: expected,
      received: "that \(name.shown) failed: \(error.text)"
    )
  }
}
