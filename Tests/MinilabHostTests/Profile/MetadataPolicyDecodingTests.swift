import MinilabKit
import PictureMetadata
import Testing

@testable import MinilabHost

@Suite("The key metadata of an output")
struct MetadataPolicyDecodingTests {
  private func decode(_ value: Node.Value) -> (policy: MetadataPolicy?, problems: [Problem]) {
    var problems: [Problem] = []
    let node = Node(value, at: Place(file: Path("p.toml"), line: 1, column: 1))
    let policy = MetadataPolicy.decode(node, as: Field("metadata"), &problems)
    return (policy, problems)
  }

  private func list(_ names: [String]) -> Node.Value {
    .array(names.map { Node(.string($0), at: Place(file: Path("p.toml"), line: 1, column: 1)) })
  }

  @Test("four words and a list", arguments: ["all", "none", "copyright", "no-location"])
  func words(word: String) {
    let (policy, problems) = decode(.string(word))
    #expect(problems.isEmpty)
    #expect(policy?.literal == "\"\(word)\"")
  }

  @Test("a list is read and written")
  func names() {
    let names = ["iptc", "exif:Artist", "xmp:dc:*"]
    let (policy, problems) = decode(list(names))
    #expect(problems.isEmpty)
    #expect(policy == .only(names.compactMap { MetadataName($0) }))
    #expect(policy?.literal == "[\"iptc\", \"exif:Artist\", \"xmp:dc:*\"]")
  }

  @Test("a list that nobody writes is one problem")
  func long() {
    let (policy, problems) = decode(list(Array(repeating: "exif:Zrtist", count: 30_000)))
    #expect(policy == nil)
    #expect(problems.map(\.code) == [.outOfRange])
  }

  @Test(
    "a misspelt word or name is told with the nearest",
    arguments: [
      (["copyrigt"], "copyright"), (["exif:Artst", "x"], "exif:Artist"),
      (["xmp:dc:rigths", "x"], "xmp:dc:rights"), (["xmp:dx:rights", "x"], "xmp:dc:rights"),
      (["itpc", "x"], "iptc"),
    ]
  )
  func nearest(written: [String], meant: String) {
    let (policy, problems) = decode(written.count == 1 ? .string(written[0]) : list(written))
    #expect(policy == nil)
    #expect(problems.count == written.count)
    #expect(problems.first?.expected.contains("did you mean \"\(meant)\"") == true, "\(problems)")
  }
}
