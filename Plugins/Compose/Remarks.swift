import MinilabKit

/// What has become of layers in another way than the profile says at first sight: each kind is one
/// note, which names some.
struct Remarks: Sendable {
  /// Frames that the unit does not have.
  var missing: [String] = []
  /// Left out because they must lie inside the canvas.
  var stickingOut: [String] = []
  var outside: [String] = []
  var enlarged: [String] = []

  var notes: [Note] {
    [
      note(.layerLeftOut, missing, "left out, as the unit has fewer pictures"),
      note(.layerLeftOut, stickingOut, "left out, not wholly inside the canvas"),
      note(.layerOutside, outside, "wholly outside the canvas"),
      note(.enlarged, enlarged, "larger than the picture is"),
    ]
    .compactMap { $0 }
  }

  /// More names than these help nobody.
  private static let most = 3

  private func note(_ code: Note.Code, _ names: [String], _ text: String) -> Note? {
    guard !names.isEmpty else { return nil }
    let rest = names.count - Self.most
    let more = rest > 0 ? "; and \(rest) more" : ""
    return Note(code, "\(text): \(names.prefix(Self.most).joined(separator: "; "))\(more)")
  }
}
