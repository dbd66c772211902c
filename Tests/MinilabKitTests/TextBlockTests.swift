import MinilabKit
import TestSupport
import Testing
import Vips

@Suite("Text as a picture", .vips)
struct TextBlockTests {
  private func coverage(_ block: TextBlock) throws -> Image { try #require(try block.coverage()) }

  private func size(_ block: TextBlock) throws -> [Int] {
    let image = try coverage(block)
    return [image.width, image.height]
  }

  @Test("letters cover something, and most of the box nothing")
  func covers() throws {
    let image = try coverage(TextBlock("Harbor", size: 40))
    #expect(image.bands == 1 && image.format == .uchar)
    let pixels = try image.pixels()
    #expect(pixels.max() == 255 && pixels.min() == 0)
    // About 0.7 em of a capital, and 1.16 em of a line.
    #expect((44...50).contains(image.height))
  }

  @Test("twice the size is twice the picture")
  func sizes() throws {
    let small = try size(TextBlock("Harbor", size: 40))
    let large = try size(TextBlock("Harbor", size: 80))
    for (one, two) in zip(small, large) { #expect(abs(two - 2 * one) <= 3) }
  }

  @Test("blocks of one font have their base lines at one height, whatever their letters")
  func lines() throws {
    let heights = try Set(["ace", "fgjp", "Ág", "x"].map { try size(TextBlock($0, size: 40))[1] })
    #expect(heights.count == 1)
    let one = try #require(heights.first)
    #expect(try size(TextBlock("a\nb\nc", size: 40))[1] == 3 * one)
    #expect(try size(TextBlock("a\r\nb", size: 40))[1] == 2 * one)
    // Round letters without stems stand on the line: their lowest ink is where that of an "x" is.
    func lowest(_ text: String) throws -> Int {
      let image = try coverage(TextBlock(text, size: 40))
      let pixels = try image.pixels()
      return try #require(
        (0..<image.height).last { y in
          pixels[(y * image.width)..<((y + 1) * image.width)].contains { $0 > 127 }
        }
      )
    }
    #expect(abs(try lowest("x") - lowest("H")) <= 1)
    #expect(try lowest("g") > lowest("x") + 4)
  }

  @Test("nothing in the text is markup", arguments: ["<b>x</b>", "&amp;", "a & b", "\"'<>&"])
  func plain(_ text: String) throws {
    // A bold x would be narrower than the letters of its tags.
    let image = try coverage(TextBlock(text, size: 30))
    #expect(image.width > 12 * text.count)
  }

  @Test(
    "no text fails",
    arguments: [
      "😀 🏳️‍🌈", "שלום עולם", "مرحبا", "漢字", "a\0b", "\u{1}\u{7f}x", "x\u{202e}y", "e\u{301}", "\t.",
      "\u{10ffff}", "%s %n", "{stem}",
    ]
  )
  func hostile(_ text: String) throws {
    #expect(try coverage(TextBlock(text, size: 20, width: 100)).pixels().contains { $0 > 0 })
  }

  @Test("blank text has no picture", arguments: ["", " ", "\n\n", "\u{200b}", "\u{a0}\t", "\u{0}"])
  func blank(_ text: String) throws {
    #expect(try TextBlock(text, size: 20).coverage() == nil)
  }

  @Test("long lines are broken at the width, a long word anywhere")
  func width() throws {
    for text in ["a boat in the harbor at noon", "Donaudampfschifffahrtsgesellschaft"] {
      var block = TextBlock(text, size: 20)
      let free = try size(block)
      block.width = 120
      let broken = try size(block)
      #expect(free[0] > 200)
      #expect(broken[0] <= 120)
      #expect(broken[1] >= 2 * free[1])
    }
  }

  @Test("shorter lines stand where the alignment says")
  func alignment() throws {
    func firstInk(_ alignment: TextBlock.Alignment) throws -> Int {
      let block = TextBlock("i\nHHHHHHHH", size: 40, alignment: alignment, width: 400)
      let image = try coverage(block)
      let pixels = try image.pixels()
      let line = image.height / 2
      return try #require(
        (0..<image.width).first { x in
          (0..<line).contains { pixels[$0 * image.width + x] > 127 }
        }
      )
    }
    let left = try firstInk(.left)
    let center = try firstInk(.center)
    let right = try firstInk(.right)
    #expect(left < 10)
    #expect(abs(center - (left + right) / 2) <= 4)
    #expect(right > 200)
  }

  @Test("styles and families draw other letters")
  func styles() throws {
    let plain = try coverage(TextBlock("Harbor", size: 40)).pixels()
    for style in TextBlock.Style.allCases where style != .regular {
      #expect(try coverage(TextBlock("Harbor", style: style, size: 40)).pixels() != plain)
    }
    let mono = try coverage(TextBlock("Harbor", font: "DejaVu Sans Mono", size: 40)).pixels()
    #expect(mono != plain)
    let bold = try coverage(TextBlock("Harbor", style: .bold, size: 40)).average()
    #expect(try bold > coverage(TextBlock("Harbor", size: 40)).average() * 1.1)
  }

  @Test("the machine says which fonts it has")
  func fonts() {
    #expect(Fonts.match(Fonts.usual) == .found)
    #expect(Fonts.match("dejavusans") == .found)
    #expect(Fonts.match("No Such Family, DejaVu Serif") == .found)
    #expect(Fonts.match("serif") == .found)
    guard case .replaced = Fonts.match("No Such Family") else {
      Issue.record("found a font that is not there")
      return
    }
  }
}
