import Testing

@testable import MinilabHost

@Suite("The orientation in XMP")
struct XMPOrientationTests {
  private func upright(_ text: String) -> String? {
    Metadata.uprightXMP(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("It becomes 1 as an attribute and as an element")
  func forms() {
    #expect(upright(#"<a tiff:Orientation="6" b="6"/>"#) == #"<a tiff:Orientation="1" b="6"/>"#)
    #expect(upright("<a tiff:Orientation='3'/>") == "<a tiff:Orientation='1'/>")
    #expect(
      upright("<tiff:Orientation>8</tiff:Orientation>") == "<tiff:Orientation>1</tiff:Orientation>"
    )
  }

  @Test(
    "Anything else stays as it is",
    arguments: ["", "t", "tiff:Orientation", "<a tiff:Orientation=\"1\"/>", "tiff:Orientation=6"]
  )
  func others(text: String) {
    #expect(upright(text) == nil)
  }
}
