import CaptionOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite(.vips) struct CaptionTests {
  private func trial(_ toml: String, _ image: Image) throws -> Trial {
    try Trial(Trial.operation(Caption.self, toml), on: image)
  }

  private func canvas(_ width: Int = 400, _ height: Int = 200) throws -> Image {
    try Sample.flat([40, 80, 120], width: width, height: height)
  }

  /// The box of all pixels that differ from the canvas; nil where none does.
  private func changed(_ toml: String, _ image: Image) throws -> PixelRectangle? {
    let before = try image.pixels()
    let after = try trial(toml, image).image().pixels()
    var xs: [Int] = []
    var ys: [Int] = []
    for index in before.indices where before[index] != after[index] {
      xs.append(index / image.bands % image.width)
      ys.append(index / image.bands / image.width)
    }
    guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max()
    else { return nil }
    return PixelRectangle(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }

  private func box(_ toml: String, _ width: Int = 400, _ height: Int = 200) throws -> PixelRectangle
  {
    try #require(try changed(toml, canvas(width, height)))
  }

  @Test func textIsWrittenInItsColor() throws {
    let image = try canvas()
    let made = try trial("text = \"HHHH\"\nsize = 60\ncolor = [250, 10, 20]", image).image()
    let pixels = try made.pixels()
    let full = stride(from: 0, to: pixels.count, by: 3).count {
      Array(pixels[$0..<($0 + 3)]) == [250, 10, 20]
    }
    // Four letters with two stems of about 6 × 44 each, and a bar.
    #expect((1500...5000).contains(full))
    #expect(made.bands == 3)
  }

  @Test(arguments: [
    ("north-west", 0, 0), ("north", 1, 0), ("north-east", 2, 0), ("west", 0, 1), ("center", 1, 1),
    ("east", 2, 1), ("south-west", 0, 2), ("south", 1, 2), ("south-east", 2, 2),
  ])
  func gravityAndMarginPlaceTheText(gravity: String, column: Int, row: Int) throws {
    // The box behind the text shows where it is exactly.
    let found = try box(
      "text = \"Hg\"\nsize = 40\nbackground = \"black\"\nmargin = 10\ngravity = \"\(gravity)\""
    )
    let room = (width: 400 - 20 - found.width, height: 200 - 20 - found.height)
    #expect(found.x == 10 + column * room.width / 2)
    #expect(found.y == 10 + row * room.height / 2)
  }

  @Test func theMarginIsTwoPercentOfTheShorterSide() throws {
    let plain = "text = \"Hg\"\nsize = 40\nbackground = \"black\"\ngravity = \"north-west\"\n"
    #expect(try box(plain).x == 4 && box(plain).y == 4)
    #expect(try box(plain + "margin = \"10%\"").x == 20)
  }

  @Test func theOffsetShiftsRightAndDownAndNotOutOfThePicture() throws {
    let plain =
      "text = \"Hg\"\nsize = 40\nbackground = \"black\"\nmargin = 0\ngravity = \"center\"\n"
    let middle = try box(plain)
    let shifted = try box(plain + "offset = [\"5%\", -30]")
    #expect(
      shifted
        == PixelRectangle(
          x: middle.x + 20,
          y: middle.y - 30,
          width: middle.width,
          height: middle.height
        )
    )
    let pushed = try box(plain + "offset = [5000, 5000]")
    #expect(pushed.x + pushed.width == 400 && pushed.y + pushed.height == 200)
  }

  @Test func sizeIsPixelsOrPercentOfTheHeight() throws {
    let small = try box("text = \"H\"\nsize = 40")
    let large = try box("text = \"H\"\nsize = 80")
    #expect(abs(large.height - 2 * small.height) <= 2)
    #expect(try box("text = \"H\"\nsize = \"20%\"") == small)
    // A twenty-fifth of the height.
    #expect(try box("text = \"H\"", 400, 1000) == box("text = \"H\"\nsize = 40", 400, 1000))
  }

  @Test func fontAndStyleDrawOtherLetters() throws {
    func pixels(_ keys: String) throws -> [UInt8] {
      try trial("text = \"Harbor\"\nsize = 40\n" + keys, canvas()).image().pixels()
    }
    let plain = try pixels("")
    #expect(try pixels("font = \"DejaVu Sans\"") == plain)
    #expect(try pixels("font = \"DejaVu Sans Mono\"") != plain)
    for style in ["bold", "italic", "bold-italic"] {
      let styled = try pixels("style = \"\(style)\"")
      #expect(styled != plain)
    }
  }

  @Test func paddingLiesBetweenTextAndBox() throws {
    let keys = "text = \"Hg\"\nsize = 30\nmargin = 0\nbackground = \"black\"\n"
    let none = try box(keys + "padding = 0")
    let some = try box(keys + "padding = 7")
    #expect(some.width == none.width + 14 && some.height == none.height + 14)
    // A third of the size.
    #expect(try box(keys).width == none.width + 20)
    #expect(try box(keys + "padding = \"5%\"").width == none.width + 20)
  }

  @Test func theBackgroundFillsTheBoxAndItsAlphaCounts() throws {
    let keys = "text = \".\"\nsize = 30\nmargin = 0\ngravity = \"north-west\"\n"
    let solid = try trial(keys + "background = [200, 100, 0]", canvas()).image()
    #expect(try solid.samples(x: 1, y: 1) == [200, 100, 0])
    let half = try trial(keys + "background = \"#c8640080\"", canvas()).image()
    for (one, two) in zip(try half.samples(x: 1, y: 1), [120, 90, 60]) {
      #expect(abs(Int(one) - two) <= 1)
    }
  }

  @Test func opacityIsOfTextAndBoxTogether() throws {
    let keys =
      "text = \"HHH\"\nsize = 60\ncolor = \"white\"\nbackground = \"black\"\nopacity = 0.5\n"
    let pixels = try trial(keys, canvas()).image().pixels()
    let reds = Set(stride(from: 0, to: pixels.count, by: 3).map { pixels[$0] })
    // Half of 40 and half of black or white: no box shines through a letter.
    #expect(reds.contains(20))
    #expect(reds.contains(147) || reds.contains(148))
    #expect(reds.max() ?? 255 <= 148)
    let none = try trial("text = \"H\"\nopacity = 0", canvas())
    #expect(!none.frame.isTouched)
  }

  @Test func linesAreBrokenInsideThePictureOrAtTheWidth() throws {
    let text = "text = \"a boat in the harbor at noon, and another one\"\nsize = 24\nmargin = 10\n"
    let wide = try box(text)
    #expect(wide.x >= 10 && wide.x + wide.width <= 390)
    #expect(wide.height > 40)
    let narrow = try box(text + "width = \"25%\"")
    #expect(narrow.width <= 100 && narrow.height > wide.height)
  }

  @Test func shorterLinesStandAsToldOrAsGravitySays() throws {
    func row(_ keys: String) throws -> PixelRectangle {
      // The first line alone: the second is in the lower half.
      let text = "text = \"i\\nHHHHHHHHHH\"\nsize = 30\nmargin = 0\n"
      let image = try canvas()
      let made = try trial(text + keys, image).image()
      let top = try made.extractArea(left: 0, top: 0, width: 400, height: 34)
      let pixels = try top.pixels()
      let xs = pixels.indices.filter { pixels[$0] > 150 }.map { $0 / 3 % 400 }
      let left = try #require(xs.min())
      let right = try #require(xs.max())
      return PixelRectangle(x: left, y: 0, width: right - left + 1, height: 1)
    }
    let left = try row("gravity = \"north-west\"")
    #expect(left.x < 8)
    #expect(try row("gravity = \"north-east\"").x > 380)
    let center = try row("gravity = \"north\"")
    #expect(abs(center.x + center.width / 2 - 200) <= 3)
    #expect(try row("gravity = \"north-west\"\nalign = \"right\"").x > 150)
    #expect(try row("gravity = \"north-west\"\nalign = \"center\"").x > 80)
    #expect(try row("gravity = \"north\"\nalign = \"left\"").x < 130)
  }

  @Test func aTextThatIsTooLongShrinksWithANote() throws {
    let text = String(repeating: "word ", count: 200)
    let trial = try trial("text = \"\(text)\"\nsize = 40", canvas())
    #expect(trial.frame.notes.map(\.code) == [.textShrunk])
    let found = try box("text = \"\(text)\"\nsize = 40")
    #expect(found.x >= 4 && found.y >= 4)
    #expect(found.x + found.width <= 396 && found.y + found.height <= 196)
    // As large as it can be: most of the height is used.
    #expect(found.height > 150)
    let short = try self.trial("text = \"word\"\nsize = 40", canvas())
    #expect(short.frame.notes.isEmpty)
  }

  @Test(arguments: [(1, 1), (3, 200), (200, 3), (16, 16)])
  func tinyPicturesAreWrittenOnToo(width: Int, height: Int) throws {
    for keys in ["", "\nbackground = \"red\"", "\nsize = 300", "\nmargin = 500"] {
      let image = try canvas(width, height)
      let made = try trial("text = \"Harbor at noon\"\(keys)", image).image()
      #expect(made.width == width && made.height == height)
    }
  }

  @Test func aVeryLongTextInHugeLettersIsDone() throws {
    let text = String(repeating: "W", count: 9000)
    let trial = try trial("text = \"\(text)\"\nsize = 10000", canvas())
    #expect(trial.frame.notes.map(\.code) == [.textShrunk])
  }

  @Test(arguments: ["", "   ", "\\n", "{exif:Model}", "{date}"])
  func emptyTextLeavesThePictureAsItIs(text: String) throws {
    #expect(try !trial("text = \"\(text)\"", canvas()).frame.isTouched)
  }

  @Test func aFontThatIsMissingIsNoted() throws {
    let trial = try trial("text = \"x\"\nfont = \"No Such Family\"", canvas())
    #expect(trial.frame.notes.map(\.code) == [.fontReplaced])
    #expect(trial.frame.notes.first?.text.contains("\"No Such Family\" is not installed") == true)
  }

  @Test func grayAlphaAndDepthStay() throws {
    for samples in [[90], [90, 200], [90, 80, 70, 200]] as [[UInt8]] {
      let image = try Sample.flat(samples, width: 60, height: 40)
      let made = try trial("text = \"H\"\nsize = 30", image).image()
      #expect(made.bands == samples.count && made.format == .uchar)
      #expect(try made.pixels() != image.pixels())
      #expect(try made.samples(x: 0, y: 0) == samples)
    }
    let deep = try Image(
      pixels16: [UInt16](repeating: 1000, count: 60 * 40 * 3),
      width: 60,
      height: 40,
      bands: 3
    )
    let made = try trial("text = \"H\"\nsize = 30", deep).image().pixels16()
    #expect(made.max() == 65_535 && made.first == 1000)
    let colored = try trial(
      "text = \"H\"\ncolor = \"red\"",
      Sample.flat([90], width: 60, height: 40)
    )
    .image()
    #expect(colored.bands == 3)
  }

  @Test func lettersOnTransparencyAreOpaque() throws {
    let image = try Sample.flat([0, 255, 0, 0], width: 60, height: 40)
    let pixels = try trial("text = \"H\"\nsize = 36\ncolor = \"red\"", image).image().pixels()
    var full = 0
    for start in stride(from: 0, to: pixels.count, by: 4) where pixels[start + 3] > 8 {
      // Nothing of what lay under the transparency.
      #expect(pixels[start] >= 250 && pixels[start + 1] <= 4)
      full += pixels[start + 3] == 255 ? 1 : 0
    }
    #expect(full > 50)
  }

  @Test func aVariableThatIsNoneIsAProfileError() {
    for text in ["{stm}", "{date:%Q}", "{", "}", "{exif:}", "{stem:x}"] {
      let error = #expect(throws: Problems.self) {
        try Trial.operation(Caption.self, "text = \"\(text)\"")
      }
      #expect(error?.all.count == 1, "\(text)")
    }
    let long = String(repeating: "x", count: 10_001)
    let codes = [
      ("", Problem.Code.missing), ("text = \"x\"\npadding = 3", .conflict),
      ("text = \"\(long)\"", .conflict),
    ]
    for (toml, code) in codes {
      let error = #expect(throws: Problems.self) { try Trial.operation(Caption.self, toml) }
      #expect(error?.all.map(\.code) == [code])
    }
  }
}
