import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Profiles with sheets")
struct SheetProfileTests {
  private func problems(_ output: String) throws -> [String] {
    let folder = try ScratchFolder()
    let file = try folder.write("profile = 1\n[[output]]\n" + output, to: "a.toml")
    do {
      _ = try ProfileLoader.load(file, operations: .builtin)
      return []
    } catch {
      return error.all.map { "\($0.place.line):\($0.place.column) \($0.expected), \($0.received)" }
    }
  }

  @Test("the kind and guides of an output")
  func keys() throws {
    #expect(try problems("kind = \"sheet\"\nguides = false\n") == [])
    #expect(try problems("kind = \"picture\"\n") == [])
    #expect(try problems("kind = \"shet\"\n").first?.hasPrefix("3:8 ") == true)
  }

  @Test("guides are a sheet's")
  func guides() throws {
    #expect(
      try problems("guides = true\n") == [
        "3:1 kind = \"sheet\" together with guides, kind = \"picture\""
      ]
    )
  }

  @Test("a sheet's path cannot have its size: only its texts tell it")
  func path() throws {
    #expect(
      try problems("kind = \"sheet\"\npath = \"{stem}-{width}.{ext}\"\n") == [
        "4:8 steps whose size is known before pixels are read, for {width} and {height}, "
          + "a sheet, whose size its texts decide"
      ]
    )
  }

  @Test("a step that names a sheet gets the picture that the sheet's steps make", .vips)
  func named() throws {
    let bench = try Workbench(
      """
      [[output]]
      name = "a"
      kind = "sheet"
      format = "png"
        [[output.step]]
        op = "crop"
        rect = [0, 0, 12, 9]
      [[output]]
      name = "b"
      format = "png"
        [[output.step]]
        op = "compose"
        canvas = [20, 20]
        background = "red"
          [[output.step.layer]]
          source = "output:a"
          gravity = "north-west"
      """
    )
    let picture = NaivePicture.synthetic(30, 20)
    let outcome = try bench.process(picture.encoded(.png), named: "a.png")
    #expect(outcome.result.error == nil)
    let result = try outcome.picture(1)
    #expect(result.width == 20 && result.height == 20)
    for (x, y) in [(0, 0), (11, 8)] {
      #expect(Array(result.pixel(x, y).prefix(3)) == picture.pixel(x, y).map { $0.rounded() })
    }
    #expect(Array(result.pixel(12, 9).prefix(3)) == [255, 0, 0])
  }
}
