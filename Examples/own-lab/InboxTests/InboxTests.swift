import Glibc
import InboxOperation
import MinilabKit
import Testing

/// Takes what it is given.
private final class Desk: ItemReceiver {
  var items: [SourceItem] = []
  let isStopping = false
  let stopDescriptor: Int32 = -1

  func waitForRoom() -> Bool { true }
  // Nothing more will come in a test.
  func wait(_ duration: Duration) -> Bool { false }
  func leave(_ record: [UInt8]?) {}
  func deliver(_ item: SourceItem) { items.append(item) }
}

@Suite("inbox")
struct InboxTests {
  private func folder(_ files: [String: String]) throws -> String {
    var template = Array("/tmp/inbox-XXXXXX".utf8CString)
    let path = try #require(mkdtemp(&template).map { String(cString: $0) })
    for (name, text) in files {
      let file = try #require(fopen("\(path)/\(name)", "w"))
      fputs(text, file)
      fclose(file)
    }
    return path
  }

  @Test("takes what is there by name, and leaves what is no JPEG")
  func takes() throws {
    var inbox = Inbox()
    inbox.folder = try folder(["b.jpg": "two", "a.jpg": "one", "c.txt": "no", ".d.jpg": "no"])
    inbox.count = 5
    let desk = Desk()
    try inbox.makeItems(for: desk)
    #expect(desk.items.map(\.name) == [Path("a.jpg"), Path("b.jpg")])
    #expect(desk.items.map { String(decoding: $0.bytes, as: UTF8.self) } == ["one", "two"])
    #expect(access(inbox.folder + "/a.jpg", F_OK) != 0)
    #expect(access(inbox.folder + "/c.txt", F_OK) == 0)
  }

  @Test("without its folder there is nothing to begin")
  func missing() {
    var inbox = Inbox()
    inbox.folder = "/nowhere"
    #expect(throws: ItemError.self) { try inbox.announce() }
  }
}
