import MinilabKit

// What coordinator and source process say to each other: one JSON object a line, over pipes.

/// From the coordinator to the source process.
///
/// The end of the requests says that no more items are wanted.
enum SourceRequest: Codable {
  /// First, and once.
  case setup(SourceSetup)
  case announce
  case begin
  /// So many more items may be delivered.
  case room(Int)
  /// Another source process was killed, and left this word.
  case restore([UInt8])
}

/// From the source process to the coordinator.
enum SourceReply: Codable {
  case announced(SourceAnnouncement)
  case item(CapturedItem)
  /// What is to be put back should this process be killed.
  case left([UInt8]?)
  /// What was asked for has failed.
  case failed(ItemError)
  /// What was asked for is done.
  case ended
}

extension SourceReply {
  /// The files that it tells of are where captured files are.
  var makesSense: Bool {
    guard case .item(let item) = self else { return true }
    let name = item.name.bytes
    return !name.isEmpty && name.count <= longestName && !name.contains(0)
      && !name.contains(UInt8(ascii: "/")) && !name.elementsEqual(".".utf8)
      && !name.elementsEqual("..".utf8)
  }
}

struct SourceSetup: Codable {
  /// The resolved profile: after `extends` and `--set`.
  var profile: Node
  /// The output root, where items are wanted.
  var output: Path?
}

/// An item whose file is complete.
struct CapturedItem: Codable {
  /// Among the captured files.
  var name: Path
  var format: PictureFormat
  var taken: WallClock
  var facts: CaptureFacts
}

/// What a worker must know of a captured picture beside its file.
struct CaptureFacts: Codable {
  /// The part of either side, around the middle, that is the picture.
  var middle: Double
  /// An output is never a copy of the file.
  var isRaw: Bool
  /// What was said of it when it was taken.
  var notes: [Note]
}
