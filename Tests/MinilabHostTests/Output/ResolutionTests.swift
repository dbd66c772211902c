import MinilabKit
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("The resolution for print", .vips)
struct ResolutionTests {
  @Test(
    "a file names the resolution that is asked for",
    arguments: ["jpeg", "png", "tiff"],
    ["all", "none"]
  )
  func resolution(format: String, metadata: String) throws {
    let bench = try Workbench(
      """
      [[output]]
      format = "\(format)"
      metadata = "\(metadata)"
      resolution = 300
      """
    )
    let file = try Sample.gradient(width: 12, height: 9).encoded(.png)
    let outcome = try bench.process(file, named: "a.png")
    let made = try outcome.image()
    #expect(abs(made.resolution.x - 300 / 25.4) < 0.01)
    #expect(abs(made.resolution.y - 300 / 25.4) < 0.01)
    #expect(!outcome.noteCodes.contains(.copied))
  }

  @Test("without it the picture's own stays")
  func kept() throws {
    let bench = try Workbench("[[output]]\nformat = \"png\"\n[[step]]\nop = \"blur\"")
    let picture = try Sample.gradient(width: 12, height: 9)
      .copy([.init("xres", .double(4)), .init("yres", .double(4))])
    let outcome = try bench.process(picture.encoded(.png), named: "a.png")
    #expect(abs(try outcome.image().resolution.x - 4) < 0.01)
  }
}
