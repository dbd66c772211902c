import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("The same input and profile give the same bytes", .vips)
struct SameBytesTests {
  private let profile = """
    [[step]]
    op = "orient"
    [[step]]
    op = "crop"
    aspect = "4:3"
    gravity = "attention"
    [[output]]
    name = "large"
    format = "jpeg"
    progressive = true
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 300
      sharpen = true
    [[output]]
    name = "small"
    format = "webp"
      [[output.step]]
      op = "rotate"
      angle = 3
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 90
    [[output]]
    name = "full"
    format = "png"
      [[output.step]]
      op = "blur"
      sigma = 4
    [[output]]
    name = "palette"
    format = "gif"
    [[output]]
    name = "film"
    format = "avif"
    effort = 1
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 120
    """

  private func pictures() throws -> [(name: String, bytes: [UInt8])] {
    let large = NaivePicture.synthetic(700, 500)
    return [
      ("a.jpg", try jpeg(large, exif: exifBlock(orientation: 6))),
      ("b.png", try NaivePicture.synthetic(430, 310, bands: 4).encoded(.png)),
      ("c.webp", try large.encoded(.webp)),
      ("d.tif", try large.encoded(.tiff, deep: true)),
    ]
  }

  /// By picture, and then by output.
  private func made(
    _ pictures: [(name: String, bytes: [UInt8])],
    threads: Int,
    bound: Int = PixelStore.usualBound
  ) throws -> [String: [[UInt8]]] {
    let bench = try Workbench(profile, threads: threads)
    bench.processor.pixelBound = bound
    var made: [String: [[UInt8]]] = [:]
    for (name, bytes) in pictures {
      let outcome = try bench.process(bytes, named: name)
      // In the profile's order, whatever their names.
      #expect(outcome.result.outputs.map(\.format) == [.jpeg, .webp, .png, .gif, .avif])
      made[name] = try outcome.files.indices.map { try outcome.bytes($0) }
    }
    return made
  }

  @Test("whatever the threads, and whatever a worker did before")
  func threadsAndOrder() throws {
    let pictures = try pictures()
    let first = try made(pictures, threads: 1)
    #expect(first.count == pictures.count)
    #expect(try made(pictures.reversed(), threads: 1) == first)
    #expect(try made(pictures, threads: 2) == first)
    #expect(try made(pictures, threads: 8) == first)
  }

  @Test("whether there is room to hold what outputs have in common, or for a part of it, or none")
  func memory() throws {
    let pictures = try pictures()
    let first = try made(pictures, threads: 1)
    #expect(try made(pictures, threads: 1, bound: 0) == first)
    #expect(try made(pictures, threads: 2, bound: 300_000) == first)
  }
}
