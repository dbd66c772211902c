#if DEBUG
import Glibc
import MinilabKit

/// A source of pictures of one pixel, that does what its mood says.
struct Moody: SourceOperation {
  enum Mood: String, CaseIterable, ParameterChoice {
    case eager
    /// Makes one picture and is never heard of again.
    case mute
    /// Makes one and dies.
    case dying
    /// Makes one and cannot go on.
    case broken
  }

  static let name = "moody"
  static let version = 1
  static let summary = "Make pictures of one pixel."
  static let parameters: [Parameter<Self>] = [
    Parameter("mood", \.mood, help: "What it does."),
    Parameter("count", \.count, help: "How many pictures."),
    Parameter("log", \.log, help: "A file for what it has seen."),
  ]
  static let examples: [Example] = []

  var mood = Mood.eager
  var count = 1
  var log = ""

  var itemCount: Int { count }
  var longestSilence: Duration? { .milliseconds(1500) }

  func announce() -> SourceAnnouncement { SourceAnnouncement(name: "moody", format: .gif) }

  func makeItems(for receiver: any ItemReceiver) throws {
    try receiver.leave(Array(log.utf8))
    var most = 0
    for index in 1...count {
      guard receiver.waitForRoom() else { break }
      try receiver.deliver(
        SourceItem(
          name: Path("moody-\(index).gif"),
          format: .gif,
          bytes: Self.pixel,
          taken: WallClock(seconds: Int64(index))
        )
      )
      most = max(most, waiting)
      switch mood {
      case .eager: break
      case .mute: while true { sleep(1000) }
      case .dying: abort()
      case .broken:
        throw ItemError(.deviceFailed, expected: "another picture", received: "a broken source")
      }
    }
    write("most \(most)")
    try receiver.leave(nil)
  }

  func restore(_ record: [UInt8]) throws {
    guard record == Array(log.utf8) else { return }
    write("restored")
  }

  /// Pictures that were delivered and are not done.
  private var waiting: Int {
    guard let stream = opendir("out/.minilab/captured") else { return 0 }
    defer { closedir(stream) }
    var count = 0
    while readdir(stream) != nil { count += 1 }
    return count - 2
  }

  private func write(_ text: String) {
    guard let file = fopen(log, "a") else { return }
    fputs(text + "\n", file)
    fclose(file)
  }

  private static let pixel: [UInt8] =
    Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0]
    + [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]
}
#endif
