import ComposeOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@Suite("Sources and rules of a composition", .vips) struct SourceTests {
  private func code(_ toml: String) -> [Problem.Code] {
    do {
      _ = try Trial.operation(Compose.self, toml)
      return []
    } catch let error as Problems {
      return error.all.map(\.code)
    } catch {
      return []
    }
  }

  @Test func framesAreCountedFromOne() throws {
    let images = [try noise(4, 4), try noise(4, 4, seed: 2), try noise(4, 4, seed: 3)]
    for number in 1...3 {
      let result = try composed("[[layer]]\nsource = \"frame:\(number)\"", images)
      #expect(try result.pixels() == images[number - 1].pixels())
    }
    #expect(try composed("[[layer]]\nsource = \"frame\"", images).pixels() == images[0].pixels())
  }

  /// The last group of a run is often smaller: its collage has an empty place.
  @Test func aFrameThatTheUnitDoesNotHaveIsLeftOut() throws {
    let trial = try trial(
      "background = \"black\"\n[[layer]]\nsource = \"frame\"\n[[layer]]\nsource = \"frame:5\"",
      [noise(4, 4), noise(4, 4, seed: 2)]
    )
    #expect(trial.frame.notes.map(\.code) == [.layerLeftOut])
    #expect(trial.frame.notes[0].text.contains("frame:5 of 2"))
    #expect(try trial.image().pixels() == noise(4, 4).pixels())
  }

  @Test func anOutputIsALayer() throws {
    let made = try noise(6, 5, seed: 9)
    let step = try Trial.operation(
      Compose.self,
      "canvas = \"fit\"\n[[layer]]\nsource = \"output:large\""
    )
    #expect(step.neededOutputs == ["large"])
    let result = try Trial(step, on: [noise(3, 3)], outputs: ["large": made]).image()
    #expect(try result.pixels() == made.pixels())
  }

  @Test func aFileIsALayerAndUpright() throws {
    let folder = try ScratchFolder()
    let picture = try noise(6, 4, seed: 9)
    let tagged = try picture.copy()
    // Stored on its side.
    tagged.set("orientation", int: 6)
    let target = try Target()
    try tagged.save("tiffsave_target", to: target)
    let path = try folder.write(target.bytes, to: "mark.tif")
    let result = try composed(
      "canvas = \"fit\"\n[[layer]]\nsource = \"\(path.shown)\"",
      [noise(3, 3)]
    )
    #expect([result.width, result.height] == [4, 6])
    #expect(try result.pixels() == picture.rotate(quarterTurns: 1).pixels())
  }

  @Test func aFileThatIsNoPictureIsNamed() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("not a picture", to: "mark.png")
    let error = #expect(throws: ItemError.self) {
      try trial("[[layer]]\nsource = \"\(path.shown)\"", [noise(3, 3)])
    }
    #expect(error?.code == .notAPicture && error?.step == "compose")
    #expect(error?.text.contains("mark.png") == true)
  }

  /// Pixels are missing, and the end mark is there.
  private func brokenPNG() throws -> [UInt8] {
    let target = try Target()
    try noise(40, 40).save("pngsave_target", to: target)
    return target.bytes.prefix(1500) + target.bytes.suffix(12)
  }

  @Test func aBrokenFileIsNamedWhenItsPixelsFail() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(brokenPNG(), to: "mark.png")
    let trial = try trial("[[layer]]\nsource = \"\(path.shown)\"", [noise(3, 3)])
    let error = #expect(throws: VipsError.self) { try trial.image() }
    let cause = error?.cause as? ItemError
    #expect(cause?.code == .damaged && cause?.text.contains("mark.png") == true)
  }

  @Test func aBrokenMaskOfALayerIsNamedAndNotThePicture() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(brokenPNG(), to: "mask.png")
    let trial = try trial(
      "[[layer]]\nsource = \"frame\"\nshape = { shape = \"image\", file = \"\(path.shown)\" }",
      [noise(3, 3)]
    )
    let error = #expect(throws: VipsError.self) { try trial.image() }
    let cause = error?.cause as? ItemError
    #expect(cause?.code == .damaged && cause?.step == "compose")
    #expect(cause?.text.contains("mask.png") == true)
  }

  /// Sides past what whole numbers hold must not end the worker.
  @Test(arguments: ["", "width = 1\nfit = \"cover\"\n", "angle = 3\n"])
  func aLayerOfAbsurdSizeIsRefused(more: String) throws {
    let thin = try noise(1, 1).embed(left: 0, top: 0, width: 1_000_000, height: 1, extend: "copy")
    let error = #expect(throws: ItemError.self) {
      try trial(
        "canvas = [1, 1000000]\nscale = 1000\n[[layer]]\nsource = \"frame\"\n"
          + "height = \"1000000%\"\n" + more,
        [thin]
      )
    }
    #expect(error?.code == .tooManyPixels && error?.text.contains("layer 1") == true)
  }

  @Test func whatIsWrongIsSaidAtOnce() {
    let frame = "[[layer]]\nsource = \"frame\"\n"
    #expect(code("[[layer]]\nwidth = 3") == [.missing])
    #expect(code("[[layer]]\nsource = \"frame:0\"") == [.wrongType])
    #expect(code("[[layer]]\nsource = \"frame:x\"") == [.wrongType])
    #expect(code("[[layer]]\nsource = \"nowhere.png\"") == [.noSuchFile])
    #expect(code("background = \"whit\"") == [.noSuchFile])
    #expect(code("background = \"#12\"") == [.wrongType])
    #expect(code("canvas = \"fitt\"") == [.wrongType])
    #expect(code("canvas = [0, 10]") == [.outOfRange])
    #expect(code("canvas = [10]") == [.wrongType])
    #expect(code("scale = 0") == [.outOfRange])
    #expect(code("layout = \"free\"") == [.conflict])
    #expect(code(frame + "width = 3\nzoom = 2") == [.conflict])
    #expect(code(frame + "height = 3\nzoom = 2") == [.conflict])
    #expect(code(frame + "center = [1, 1]\ngravity = \"west\"") == [.conflict])
    #expect(code(frame + "offset = [1, 1]") == [.conflict])
    #expect(code(frame + "fit = \"cover\"") == [.conflict])
    #expect(code(frame + "fit = \"cover\"\nwidth = 3") == [.conflict])
    #expect(code(frame + "width = 0") == [.conflict])
    #expect(code(frame + "opacity = 1.1") == [.outOfRange])
    for key in ["gap = 1", "tile = [3, 3]", "fit = \"cover\"", "caption = \"x\"", "columns = 2"] {
      #expect(code(key + "\n" + frame) == [.conflict], "\(key)")
      #expect(code(key) == [], "\(key)")
    }
    #expect(code("layout = \"strip\"\ncolumns = 2") == [.conflict])
    #expect(code("caption-size = 3") == [.conflict])
    #expect(code("caption-color = \"red\"") == [.conflict])
    #expect(code("caption-font = \"Serif\"") == [.conflict])
    #expect(code("caption = \"{nam}\"") == [.unknownKey])
  }
}
