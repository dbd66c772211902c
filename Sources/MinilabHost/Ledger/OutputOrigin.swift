import MinilabKit

/// What an output was made of, where that lay in other folders than what has its name now.
///
/// Two folders may hold different pictures of one name. In one run these clash; of two runs the second one
/// would take the place of what the first has made.
struct OutputOrigin: Codable, Equatable {
  /// The first file, its folder included; of what was captured its name alone.
  let file: Path
  /// Of each file, in the order of the unit's members; nil where it is not known.
  let digests: [ContentDigest?]

  /// Nil where a file of the unit, or one of its input roots, is among the inputs: then it is the same picture
  /// in another state, or one that has come to its place.
  ///
  /// `inputs`: what has the output's name now.
  init?(_ unit: LedgerUnit, replacedBy inputs: [LedgerInput]) {
    guard let first = unit.inputs.first, first.root != inputs.first?.root else { return nil }
    let roots = Set(inputs.map(\.root))
    let files = Set(inputs.map(\.file))
    if unit.inputs.contains(where: { roots.contains($0.root) || files.contains($0.file) }) {
      return nil
    }
    file = first.file
    digests = unit.inputs.map(\.digest)
  }

  /// The inputs are what the output was made of, in another place.
  func isSame(as inputs: inout InputWatch) -> Bool {
    guard digests.count == inputs.paths.count else { return false }
    for (place, digest) in digests.enumerated() {
      guard let digest, digest == inputs.digest(place) else { return false }
    }
    return true
  }
}

extension LedgerInput {
  /// With its root.
  fileprivate var file: Path { root.appending(path) }
}

extension ItemError {
  /// What stands under an output's name was made of another picture, which may be wanted as well.
  static func exists(_ path: Path, of origin: OutputOrigin) -> ItemError {
    let kind =
      origin.file.isAbsolute ? "a picture of another folder" : "a picture that was captured"
    return ItemError(
      .exists,
      expected:
        "no file at \(path.shown), or one that was made of this picture (--force replaces it)",
      received: "one of \(kind): \(origin.file.shown)"
    )
  }
}
