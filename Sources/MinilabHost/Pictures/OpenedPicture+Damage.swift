import MinilabKit

extension OpenedPicture {
  /// What is to be said of a file that was cut off where no decoder says it.
  ///
  /// - Throws: where the profile wants no damaged picture.
  func damageNotes() throws(ItemError) -> [Note] {
    if reader.isMended { return [DamageCheck.used] }
    // A JPEG's decoder says it.
    guard reader.format == .png, (try? EndMark.isMissing(in: reader.data, .png)) == true else {
      return []
    }
    if policy.damaged == .reject { throw EndMark.missing(.png) }
    return [DamageCheck.used]
  }
}
