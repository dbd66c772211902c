import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("metadata = \"none\"", .vips)
struct MetadataPolicyTests {
  private func bench(_ format: String) throws -> Workbench {
    try Workbench(
      """
      [[step]]
      op = "orient"
      [[output]]
      format = "\(format)"
      metadata = "none"
      color = "keep"
      """
    )
  }

  /// A JPEG with an orientation and a text.
  private func picture() throws -> [UInt8] {
    let plain = try Sample.gradient(width: 40, height: 24).encoded(
      .jpeg,
      [
        .init("strip", .bool(true))
      ]
    )
    return inserting(0xe1, exifBlock(orientation: 6, description: "A secret place"), into: plain)
  }

  @Test("Nothing is left, in any format", arguments: ["jpeg", "png", "webp", "tiff"])
  func nothingLeft(format: String) throws {
    let outcome = try bench(format).process(picture(), named: "a.jpg")
    let bytes = try outcome.bytes()
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("A secret place"))
    let image = try outcome.image()
    #expect(image.width == 24 && image.height == 40)
    #expect(!image.has("exif-data"))
    #expect((image.int("orientation") ?? 1) == 1)
  }

  @Test("A WebP without its EXIF is a whole WebP, with alpha and profile too")
  func webp() throws {
    let profile = matrixProfile(.displayP3, gamma: 2.2)
    let disc = try Sample.disc([255, 0, 0], outside: [0, 0, 0], side: 32).copy()
    disc.set("icc-profile-data", blob: profile)
    let outcome = try bench("webp").process(disc.encoded(.png), named: "a.png")
    let bytes = try outcome.bytes()
    #expect(bytes.count - 8 == bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) })
    let image = try outcome.image()
    #expect(image.hasAlpha && image.blob("icc-profile-data") == profile)
    #expect(!image.has("exif-data"))
    #expect(try image.samples(x: 16, y: 16)[3] == 255)
  }
}
