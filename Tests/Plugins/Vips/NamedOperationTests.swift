import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips
import VipsOperation

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
