import Glibc
import MinilabKit
import TestSupport
import Vips

/// Takes items as a run does, and keeps them.
final class Desk: ItemReceiver {
  private(set) var items: [SourceItem] = []
  /// What was left to be put back, each time.
  private(set) var records: [[UInt8]?] = []
  /// How long the source has asked to wait.
  private(set) var waits: [Duration] = []
  /// Wants no more after so many.
  private let most: Int
  /// Called with each item.
  var onItem: () -> Void = {}
  private let ends: (read: Int32, write: Int32)

  init(most: Int = .max) throws {
    self.most = most
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
    self.ends = (ends[0], ends[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  var isStopping: Bool { items.count >= most }
  var stopDescriptor: Int32 { ends.read }
  func waitForRoom() -> Bool { !isStopping }

  func wait(_ duration: Duration) -> Bool {
    waits.append(duration)
    usleep(UInt32(max(0, min(duration / .microseconds(1), 100_000))))
    return !isStopping
  }

  func leave(_ record: [UInt8]?) { records.append(record) }

  func deliver(_ item: SourceItem) {
    items.append(item)
    onItem()
    if isStopping { interrupt() }
  }

  /// Ends what the source waits for in `poll`.
  func interrupt() { _ = write(ends.write, [0 as UInt8], 1) }
}

extension SourceItem {
  /// The picture, decoded by libvips.
  var image: Image {
    get throws {
      try load(format == .jpeg ? "jpegload_source" : "pngload_source", from: Source(bytes: bytes))
    }
  }

  /// A value of its EXIF as libvips words it, without what stands behind.
  func exif(_ field: String) throws -> String? {
    try image.string(field).map { String($0.prefix { $0 != "(" }).trimmed }
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
