import MinilabKit

/// What a worker is told of a sheet that a person has asked for, beside the profile.
struct PreviewRequest: Codable {
  /// The names of the outputs whose steps are shown.
  var outputs: [String]
  /// Only this step, large; 0 for the picture as it comes in.
  var step: Int?
  var guides = true
  var format: PictureFormat

  /// What is written: a sheet under a name that says its place in the plan.
  ///
  /// - Returns: nil where the format cannot be written.
  func output(_ operations: [OperationEntry]) -> Output? {
    let place = Place(argument: "preview")
    func entry(_ key: String, _ value: Node.Value) -> Node.Entry {
      Node.Entry(key: key, keyPlace: place, node: Node(value, at: place))
    }
    var entries = [
      entry("name", .string("preview")), entry("kind", .string("sheet")),
      entry("path", .string("sheet-{index}.{ext}")), entry("format", .string(format.rawValue)),
      entry("metadata", .string("none")),
    ]
    // Text and thin lines suffer before anything else does.
    if Self.lossy.contains(format) { entries.append(entry("quality", .integer(92))) }
    var problems: [Problem] = []
    return OutputDecoder(operations: operations).output(
      Node(.table(entries), at: place),
      &problems
    )
  }

  private static let lossy: Set<PictureFormat> = [.jpeg, .webp, .avif, .heif]
}
