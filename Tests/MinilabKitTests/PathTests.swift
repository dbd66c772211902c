import MinilabKit
import Testing

@Suite struct PathTests {
  @Test func keepsBytesThatAreNoText() {
    let path = Path(bytes: [0x61, 0xff, 0x2e, 0x6a, 0x70, 0x67])
    #expect(path.text == nil)
    #expect(path.bytes == [0x61, 0xff, 0x2e, 0x6a, 0x70, 0x67])
    #expect(path.escaped == "a\\xff.jpg")
  }

  @Test func escapesOnlyTheBadBytes() {
    #expect(Path(bytes: Array("é".utf8) + [0xc3]).escaped == "é\\xc3")
    #expect(Path(bytes: [0xf0, 0x9f] + Array("ok".utf8)).escaped == "\\xf0\\x9fok")
    #expect(Path("plain ★").escaped == "plain ★")
  }

  @Test func whatIsShownStaysOnOneLine() {
    #expect(Path("a\nb\tc\u{1b}[31m").shown == "a\\nb\\tc\\x1b[31m")
  }

  @Test(arguments: [
    ("a/b.jpg", "a", "b.jpg", "b", "jpg"), ("b.jpg", "", "b.jpg", "b", "jpg"),
    ("/b.tar.gz", "/", "b.tar.gz", "b.tar", "gz"), (".hidden", "", ".hidden", ".hidden", ""),
    ("a.b/c", "a.b", "c", "c", ""), ("x.", "", "x.", "x", ""),
  ])
  func hasParts(path: String, folder: String, name: String, stem: String, ext: String) {
    let path = Path(path)
    #expect(path.folder == Path(folder))
    #expect(path.lastComponent == Path(name))
    #expect(path.stem == Path(stem))
    #expect(path.fileExtension == Path(ext))
  }

  @Test func appendsAsFoldersNest() {
    #expect(Path("a").appending("b") == Path("a/b"))
    #expect(Path("a/").appending("b") == Path("a/b"))
    #expect(Path("").appending("b") == Path("b"))
    #expect(Path("a").appending("/b") == Path("/b"))
  }

  @Test func isOrderedByBytes() {
    #expect(Path("B") < Path("a"))
    #expect(Path(bytes: [0x7f]) < Path(bytes: [0x80]))
    #expect(Path("a") < Path("a/b"))
  }
}
