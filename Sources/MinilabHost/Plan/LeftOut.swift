import MinilabKit

/// What the walk saw and did not take, by kind: nothing is passed over in silence.
struct LeftOut: Equatable, Sendable {
  /// Files whose content is no picture; FIFOs, devices and sockets, which are never opened.
  var notAPicture = 0
  /// Files and folders whose name begins with a dot.
  ///
  /// A folder counts once.
  var hidden = 0
  /// Symbolic links that were not followed, or lead to what is taken already.
  var link = 0
  /// Pictures of a format that the profile does not open.
  private(set) var formatOff = 0
  /// The first of these, to tell of.
  private(set) var firstOff: Off?
  /// Camera raw.
  var raw = 0

  /// A picture of a format that is off.
  struct Off: Equatable, Sendable {
    /// As people know it.
    var path: Path
    var format: PictureFormat

    /// What it is, and what opens it.
    var shown: String {
      "\(path.shown) is \(format.shown), which --set '\(InputPolicy.opening(format))' opens"
    }
  }

  mutating func add(_ off: Off) {
    formatOff += 1
    firstOff = firstOff ?? off
  }

  var total: Int { notAPicture + hidden + link + formatOff + raw }

  /// The counts under the names that reports have.
  var counts: [(name: String, count: Int)] {
    [
      ("not-a-picture", notAPicture), ("hidden", hidden), ("link", link),
      ("format-off", formatOff), ("raw", raw),
    ]
  }
}
