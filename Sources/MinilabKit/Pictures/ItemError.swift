/// Why an item failed, as data.
///
/// It costs this item and nothing else.
public struct ItemError: Error, Sendable, Codable, Hashable {
  /// Codes are stable: scripts read them.
  public enum Code: String, Sendable, Codable, CaseIterable {
    case crashed
    case cropOutside = "crop-outside"
    case damaged
    /// Somebody else uses the camera, or it shares a bus that is full.
    case deviceBusy = "device-busy"
    /// The camera reports an error.
    case deviceFailed = "device-failed"
    /// The camera is not there, or no longer.
    case deviceMissing = "device-missing"
    /// The camera may not be used by this user.
    case deviceRefused = "device-refused"
    /// The camera delivers nothing.
    case deviceTimeout = "device-timeout"
    case diskFull = "disk-full"
    /// A file stands under an output's name of which the ledger knows nothing.
    case exists
    case formatLimit = "format-limit"
    case formatNotWritten = "format-not-written"
    case incompleteGroup = "incomplete-group"
    case noFont = "no-font"
    case notAPicture = "not-a-picture"
    /// The profile forbids a note that this item has.
    case noteForbidden = "note-forbidden"
    case operationFailed = "operation-failed"
    case outOfMemory = "out-of-memory"
    /// The device or the network folder of the results fails.
    case outputLost = "output-lost"
    case outputPath = "output-path"
    case pagesRejected = "pages-rejected"
    /// A shape has no area, or none of it lies on the picture.
    case shapeOutside = "shape-outside"
    case timeout
    /// The output would have more bytes than the profile allows.
    case tooLarge = "too-large"
    /// The file has more bytes than the profile allows.
    case tooManyBytes = "too-many-bytes"
    /// A group has more pictures than the profile allows.
    case tooManyPictures = "too-many-pictures"
    case tooManyPixels = "too-many-pixels"
    /// The decoder has warned of the picture more often than the profile allows.
    case tooManyWarnings = "too-many-warnings"
    case unreadable
    case unsupported
    case writeFailed = "write-failed"
  }

  public let code: Code
  /// The step's id, where a step is to blame.
  public var step: String?
  public let expected: String
  public let received: String

  public init(_ code: Code, step: String? = nil, expected: String, received: String) {
    self.code = code
    self.step = step
    self.expected = expected
    self.received = received
  }

  /// The one description.
  public var text: String {
    let subject = step.map { "\($0): " } ?? ""
    // Names of steps and outputs are anybody's text, and this is one line.
    return Path("\(subject)expected \(expected), found \(received)").shown
  }
}
