import FoundationEssentials
import V4L2

/// What another process must put back, should this one be killed: which device, and its controls as they
/// were.
struct SavedControls: Codable {
  let device: String
  let record: ControlRecord

  init(_ device: String, _ record: ControlRecord) {
    self.device = device
    self.record = record
  }

  /// Nil where the bytes are none of ours.
  init?(_ bytes: [UInt8]) {
    guard let saved = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
    self = saved
  }

  var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
}
