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

  /// EXIF with 300 pixels to a unit; nil names none.
  private func exif(unit: UInt8?, hasNumbers: Bool = true) -> [UInt8] {
    func entry(_ tag: [UInt8], _ type: UInt8, _ value: [UInt8]) -> [UInt8] {
      tag + [0, type, 0, 0, 0, 1] + value
    }
    var entries: [[UInt8]] = []
    // Behind three entries.
    let place: [UInt8] = [0, 0, 0, 50]
    if hasNumbers { entries = [entry([1, 0x1a], 5, place), entry([1, 0x1b], 5, place)] }
    if let unit { entries.append(entry([1, 0x28], 3, [0, unit, 0, 0])) }
    let filling = [UInt8](repeating: 0, count: 12 * (3 - entries.count))
    return Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, UInt8(entries.count)]
      + entries.flatMap(\.self) + [0, 0, 0, 0] + filling + [0, 0, 1, 44, 0, 0, 0, 1]
  }

  /// JFIF with 300 and 150 of a unit.
  private func jfif(unit: UInt8) -> [UInt8] {
    Array("JFIF\0".utf8) + [1, 2, unit, 1, 44, 0, 150, 0, 0]
  }

  /// Pixels per inch and the unit that a file names, across, in PNG, TIFF and JPEG.
  private func densities(_ file: [UInt8], _ name: String) throws -> [Int?] {
    let bench = try Workbench(
      "[[step]]\nop = \"blur\"\n"
        + ["png", "tiff", "jpeg"].map { "[[output]]\nname = \"\($0)\"\nformat = \"\($0)\"\n" }
        .joined()
    )
    let outcome = try bench.process(file, named: name)
    let png = try outcome.bytes(0)
    let place = try #require(png.indices.first { png[$0...].starts(with: "pHYs".utf8) })
    let meters = png[(place + 4)..<(place + 8)].reduce(0) { $0 << 8 | Int($1) }
    let tiff = try outcome.image(1)
    let jpeg = try outcome.bytes(2)
    let mark = jpeg.indices.first { jpeg[$0...].starts(with: "JFIF".utf8) }
    return [
      png[place + 12] == 1 ? Int((Double(meters) * 0.0254).rounded()) : nil,
      tiff.has("resolution-unit") ? Int((tiff.resolution.x * 25.4).rounded()) : nil,
      mark.map { Int(jpeg[$0 + 8]) << 8 | Int(jpeg[$0 + 9]) },
    ]
  }

  @Test("a resolution without a unit is none, and none is made up where nothing is said")
  func withoutUnit() throws {
    let plain = try Sample.gradient(width: 12, height: 9).encoded(
      .jpeg,
      [.init("strip", .bool(true))]
    )
    let none = [Int?](repeating: nil, count: 3)
    let some = [Int?](repeating: 300, count: 3)
    #expect(try densities(plain, "a.jpg") == none)
    #expect(try densities(inserting(0xe1, exif(unit: 1), into: plain), "a.jpg") == none)
    #expect(try densities(inserting(0xe0, jfif(unit: 0), into: plain), "a.jpg") == none)
    #expect(try densities(inserting(0xe1, exif(unit: 2), into: plain), "a.jpg") == some)
    let both = inserting(0xe0, jfif(unit: 1), into: inserting(0xe1, exif(unit: 1), into: plain))
    #expect(try densities(both, "a.jpg") == some)
    let silent = inserting(0xe1, exif(unit: 2, hasNumbers: false), into: plain)
    #expect(try densities(silent, "a.jpg") == none)
    #expect(try densities(inserting(0xe0, jfif(unit: 1), into: silent), "a.jpg") == some)
    // An inch is meant.
    #expect(try densities(inserting(0xe1, exif(unit: nil), into: plain), "a.jpg") == some)
  }

  @Test("so is that of a PNG, whatever stands before it, and EXIF without a unit takes none away")
  func pngWithoutUnit() throws {
    let png = try Sample.gradient(width: 12, height: 9).encoded(.png)
    let place = try #require(png.indices.first { png[$0...].starts(with: "pHYs".utf8) }) - 4
    func density(_ chunks: (name: String, data: [UInt8])...) throws -> Int? {
      let added = chunks.flatMap { PNGChunks.chunk($0.name, $0.data) }
      return try densities(png[..<place] + added + png[(place + 21)...], "a.png").first ?? nil
    }
    let exif = Array(exif(unit: 1).dropFirst(6))
    // 300 dpi are 11811 pixels in a meter.
    let said: [UInt8] = [0, 0, 0x2e, 0x23, 0, 0, 0x2e, 0x23, 1]
    #expect(try density(("pHYs", [0, 0, 1, 44, 0, 0, 0, 150, 0])) == nil)
    #expect(try density(("sRGB", [0]), ("pHYs", [0, 0, 1, 44, 0, 0, 0, 150, 0])) == nil)
    #expect(try density(("eXIf", exif)) == nil)
    #expect(try density(("pHYs", said)) == 300)
    #expect(try density(("pHYs", said), ("eXIf", exif)) == 300)
  }
}
