import MinilabKit
import NaivePictures
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Pictures that would become too large", .vips)
struct SizeLimitTests {
  private static let output = "[[output]]\nname = \"png\"\nformat = \"png\"\n"

  private func error(_ toml: String, probing: Bool = false) throws -> ItemError? {
    let bench = try Workbench(toml + Self.output)
    let bytes = try NaivePicture.synthetic(20, 10).encoded(.png)
    if probing {
      return try bench.probe(bench.folder.write(bytes, to: "in/a.png")).error
    }
    return try bench.process(bytes, named: "a.png").result.error
  }

  @Test(
    "A step whose size is known is refused from the header (field report 29)",
    arguments: [
      "op = \"resize\"\nwidth = 1000000\nheight = 1000000\nfit = \"stretch\"\nenlarge = true",
      "op = \"resize\"\nwidth = \"1000000%\"\nheight = 10\nfit = \"stretch\"\nenlarge = true",
      "op = \"pad\"\nborder = 100000", "op = \"pad\"\nsize = [1000000, 1000000]",
      "op = \"pad\"\naspect = \"1000000:0.001\"",
    ],
    [true, false]
  )
  func known(step: String, probing: Bool) throws {
    let small = "[input]\nmax-pixels = 200\n"
    let error = try #require(
      try error("\(small)[[step]]\nid = \"big\"\n\(step)\n", probing: probing)
    )
    #expect(error.code == .tooManyPixels)
    #expect(error.step == "big")
  }

  @Test("So is one that is made smaller again later")
  func between() throws {
    let steps =
      "[[step]]\nop = \"pad\"\nborder = 100000\n[[step]]\nop = \"crop\"\nsize = [5, 5]\n"
    #expect(try error(steps)?.step == "pad")
  }

  @Test("A size that only pixels tell is refused before they are made")
  func fromPixels() throws {
    let zoom = "[[step]]\nop = \"vips\"\noperation = \"zoom\"\nxfac = 100000\nyfac = 100000\n"
    #expect(try error(zoom)?.code == .tooManyPixels)
    let crop = "[[step]]\nop = \"crop\"\nsize = [5, 5]\n"
    #expect(try error(zoom + crop)?.step == "vips")
  }

  @Test("The limit itself is allowed")
  func limit() throws {
    let limit = SizeLimit(maxPixels: 200)
    try limit.check(Size(width: 20, height: 10), after: "a")
    #expect(throws: ItemError.self) { try limit.check(Size(width: 67, height: 3), after: "a") }
    #expect(throws: ItemError.self) {
      try SizeLimit(maxPixels: .max).check(Size(width: 10_000_001, height: 1), after: "a")
    }
  }

  @Test("Pixels that no output can have are the fault of the step that made them")
  func unusable() throws {
    let step = "[[step]]\nid = \"odd\"\nop = \"vips\"\noperation = \"cast\"\nformat = \"char\"\n"
    let error = try #require(try error(step))
    #expect(error.code == .unsupported)
    #expect(error.step == "odd")
  }
}
