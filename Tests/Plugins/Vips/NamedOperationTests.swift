import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

@testable import VipsOperation

@Suite(.vips) struct NamedOperationTests {
  private func problems(_ toml: String) -> [Problem] {
    do {
      _ = try Trial.operation(NamedOperation.self, toml)
      return []
    } catch let error as Problems {
      return error.all
    } catch {
      return []
    }
  }

  @Test func runsAnOperationByName() throws {
    let image = try Sample.gradient(width: 8, height: 8)
    let operation = try Trial.operation(NamedOperation.self, "operation = \"invert\"")
    let result = try Trial(operation, on: image).image()
    #expect(try result.pixels() == image.pixels().map { 255 - $0 })
  }

  @Test func handsOverNumbersArraysWordsAndSwitches() throws {
    let image = try Sample.flat([10, 20, 30], width: 4, height: 4)
    let linear = try Trial.operation(
      NamedOperation.self,
      "operation = \"linear\"\na = [2, 2, 2]\nb = 5\nuchar = true"
    )
    #expect(try Trial(linear, on: image).image().samples(x: 0, y: 0) == [25, 45, 65])
    let flip = try Trial.operation(
      NamedOperation.self,
      "operation = \"flip\"\ndirection = \"vertical\""
    )
    let gradient = try Sample.gradient(width: 4, height: 4)
    #expect(
      try Trial(flip, on: gradient).image().samples(x: 0, y: 0)
        == gradient.samples(x: 0, y: 3)
    )
  }

  @Test func whatTheOperationGivesBecomesWorkingPixels() throws {
    let image = try Sample.gradient(width: 8, height: 8)
    for name in ["gamma", "sobel", "stats"] where name != "stats" {
      let operation = try Trial.operation(NamedOperation.self, "operation = \"\(name)\"")
      let result = try Trial(operation, on: image).image()
      #expect(result.format == .uchar || result.format == .ushort)
    }
  }

  /// With options that keep the disc in its place; `MASK` is a picture of weights.
  private static let mixing: [(operation: String, options: String)] = [
    ("conv", "mask = MASK"), ("conva", "mask = MASK"),
    ("convf", "mask = MASK"), ("convi", "mask = MASK"), ("convsep", "mask = LINE"),
    ("gaussblur", "sigma = 1.5"),
    ("rank", "width = 3\nheight = 3\nindex = 6"), ("reduce", "hshrink = 2.5\nvshrink = 2.5"),
    ("reduceh", "hshrink = 2.5"), ("reducev", "vshrink = 2.5"), ("resize", "scale = 0.4"),
    ("sharpen", "sigma = 1.5"), ("sharpen", ""), ("shrink", "hshrink = 3\nvshrink = 3"),
    ("shrinkh", "hshrink = 3"), ("shrinkv", "vshrink = 3"),
    // Of these libvips takes care.
    ("affine", "matrix = [0.9, 0.3, -0.3, 0.9]"), ("similarity", "angle = 20"),
    ("rotate", "angle = 20"),
    ("thumbnail_image", "width = 15"),
  ]

  @Test(arguments: mixing.indices)
  func transparentPixelsLendNoColor(_ index: Int) throws {
    let (operation, options) = Self.mixing[index]
    let folder = try ScratchFolder()
    func mask(_ name: String, _ width: Int, _ height: Int) throws -> String {
      let ones = try Sample.flat([1], width: width, height: height)
      let target = try Target()
      try ones.save("pngsave_target", to: target)
      return try "\"\(folder.write(target.bytes, to: name).shown)\""
    }
    let toml =
      try "operation = \"\(operation)\"\n"
      + options.replacing("MASK", with: mask("mask.png", 3, 3))
      .replacing("LINE", with: mask("line.png", 3, 1))
    let step = try Trial.operation(NamedOperation.self, toml)
    let seen = try [0, 255].map { (hidden: UInt8) in
      let disc = try Sample.disc([200, 30, 10], outside: [hidden, hidden, hidden], side: 40)
      let image = try Trial(step, on: disc).image()
      #expect(image.bands == 4 && image.format == .uchar)
      let pixels = try image.pixels()
      return stride(from: 0, to: pixels.count, by: 4).map { start -> [UInt8] in
        pixels[start + 3] == 0 ? [0, 0, 0, 0] : Array(pixels[start..<(start + 4)])
      }
    }
    #expect(seen[0].contains { $0[3] > 0 } && seen[0] == seen[1])
  }

  @Test func everyOperationThatMixesPixelsIsTried() {
    let tried = Set(Self.mixing.map(\.operation))
    #expect(NamedOperation.mixing.isSubset(of: tried))
    #expect(NamedOperation.mixing.isSubset(of: NamedOperation.allowedNames))
  }

  /// On single pixels nothing is multiplied in: what is hidden is treated as any other.
  @Test func operationsOnSinglePixelsAreHandedStraightColors() throws {
    let disc = try Sample.disc([200, 30, 10], outside: [9, 8, 7], side: 8)
    let operation = try Trial.operation(
      NamedOperation.self,
      "operation = \"linear\"\na = [2, 2, 2, 1]\nb = 0\nuchar = true"
    )
    #expect(try Trial(operation, on: disc).image().samples(x: 0, y: 0) == [18, 16, 14, 0])
  }

  @Test func theSizeIsLeftToThePixels() throws {
    let operation = try Trial.operation(
      NamedOperation.self,
      "operation = \"zoom\"\nxfac = 2\nyfac = 3"
    )
    let trial = try Trial(operation, on: Sample.gradient(width: 4, height: 4))
    #expect(trial.frame.knownSize == nil)
    #expect(try trial.image().height == 12)
  }

  @Test(arguments: [
    "system", "pngload", "jpegsave", "thumbnail", "profile_load", "text", "black", "rawsave_fd",
    "VipsForeignLoadPngFile", "../x", "",
  ])
  func nothingThatLoadsSavesOrRunsAProgram(name: String) {
    #expect(problems("operation = \"\(name)\"").map(\.code) == [.unknownOperation])
  }

  @Test func aMisspeltNameGetsTheNearest() {
    let problem = problems("operation = \"cany\"").first
    #expect(problem?.expected.contains("\"canny\"") == true)
  }

  @Test func optionsAreCheckedByIntrospection() {
    #expect(problems("operation = \"canny\"\nsigm = 1").map(\.code) == [.unknownKey])
    #expect(problems("operation = \"canny\"\nsigma = \"x\"").map(\.code) == [.wrongType])
    #expect(problems("operation = \"canny\"\nsigma = 100000").map(\.code) == [.outOfRange])
    #expect(problems("operation = \"flip\"").map(\.code) == [.missing])
    #expect(
      problems("operation = \"flip\"\ndirection = \"up\"").first?.expected.contains("vertical")
        == true
    )
  }

  @Test func aboutAHundredAndSixtyOperationsCanBeNamed() {
    #expect(NamedOperation.allowedNames.count > 120)
  }
}
