import Glibc
public import MinilabKit

/// Takes JPEG files out of a folder as they appear there, as a scanner or a camera's own program leaves
/// them.
public struct Inbox: SourceOperation {
  public static let name = "inbox"
  public static let version = 1
  public static let summary = "Take pictures out of a folder, as they are put there."
  public static let parameters: [Parameter<Self>] = [
    Parameter("folder", \.folder, required: true, help: "Whoever puts a file here renames it in."),
    Parameter("count", \.count, in: 1...1e9, help: "How many are taken."),
  ]
  public static let examples = [Example("A day's scans.", "folder = \"/srv/scans\"\ncount = 500")]

  public var folder = ""
  public var count = 1

  public init() {}

  public var itemCount: Int { count }

  public func announce() throws -> SourceAnnouncement {
    guard access(folder, R_OK | W_OK) == 0 else {
      throw ItemError(.unreadable, expected: "a folder", received: "none at \(folder)")
    }
    return SourceAnnouncement(name: "inbox", format: .jpeg, facts: [.init("folder", folder)])
  }

  public func makeItems(for receiver: any ItemReceiver) throws {
    var made = 0
    while made < count, receiver.waitForRoom() {
      guard let name = firstName(), let file = fopen("\(folder)/\(name)", "r") else {
        guard receiver.wait(.milliseconds(200)) else { return }
        continue
      }
      defer { fclose(file) }
      var status = stat()
      fstat(fileno(file), &status)
      var bytes = Array(repeating: UInt8(0), count: Int(status.st_size))
      let length = fread(&bytes, 1, bytes.count, file)
      try receiver.deliver(
        SourceItem(
          name: Path(name),
          format: .jpeg,
          bytes: Array(bytes[..<length]),
          taken: WallClock(fileTime: Int64(status.st_mtim.tv_sec))
        )
      )
      // From here on the run has it.
      unlink("\(folder)/\(name)")
      made += 1
    }
  }

  private func firstName() -> String? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
      )
    }
    return names.filter { $0.hasSuffix(".jpg") && !$0.hasPrefix(".") }.min()
  }
}
