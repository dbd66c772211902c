import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Whole files through the worker's processor, compared with a naive turn of their stored pixels.
@Suite("The eight orientations (field report 1)", .vips)
struct OrientationTests {
  static let outputs = """
    [[output]]
    name = "png"
    format = "png"
    [[output]]
    name = "jpeg"
    format = "jpeg"
    quality = 95
    [[output]]
    name = "webp"
    format = "webp"
    [[output]]
    name = "tiff"
    format = "tiff"
    """

  /// Sides of 37 and 22 fill no block of any encoder.
  private let picture = NaivePicture.synthetic(37, 22)

  private func check(_ bytes: [UInt8], _ format: PictureFormat, seenAs tag: Int) throws {
    let bench = try Workbench("[[step]]\nop = \"orient\"\n" + Self.outputs)
    let outcome = try bench.process(bytes, named: "a.\(format.fileExtension)")
    #expect(outcome.result.error == nil)
    #expect(outcome.result.status == .done)
    let wanted = try NaivePicture(stored(bytes, format)).turned(byTag: tag)
    #expect(try outcome.picture().greatestDifference(from: wanted) == 0, "PNG")
    #expect(try outcome.picture(1).meanDifference(from: wanted) < 4, "JPEG")
    #expect(try outcome.picture(2).meanDifference(from: wanted) < 8, "WebP")
    #expect(try outcome.picture(3).greatestDifference(from: wanted) == 0, "TIFF")
    for index in 0..<4 {
      let image = try outcome.image(index)
      #expect([nil, 1].contains(image.int("orientation")), "output \(index)")
      let exif = image.blob("exif-data").map { ExifReading($0) }
      #expect([nil, 1].contains(exif?.orientation), "output \(index)")
      #expect(outcome.result.outputs[index].width == wanted.width)
      #expect(outcome.result.outputs[index].height == wanted.height)
    }
  }

  @Test("from JPEG, with an EXIF block made by hand", arguments: 1...8)
  func fromJPEG(_ tag: Int) throws {
    let bytes = try jpeg(picture, exif: exifBlock(orientation: tag))
    #expect(try stored(bytes, .jpeg).int("orientation") == tag)
    try check(bytes, .jpeg, seenAs: tag)
  }

  @Test("from TIFF and WebP", arguments: [PictureFormat.tiff, .webp], 1...8)
  func fromOthers(_ format: PictureFormat, _ tag: Int) throws {
    let lossless: [Argument] = format == .webp ? [.init("lossless", .bool(true))] : []
    let bytes = try picture.encoded(format, orientation: tag, lossless)
    #expect(try stored(bytes, format).int("orientation") == tag)
    try check(bytes, format, seenAs: tag)
  }

  @Test("from PNG, with an eXIf chunk made by hand", arguments: 1...8)
  func fromPNGChunk(_ tag: Int) throws {
    let bytes = try inserting(
      exif: exifBlock(orientation: tag),
      intoPNG: picture.encoded(.png, [.init("strip", .bool(true))])
    )
    #expect(try stored(bytes, .png).int("orientation") == tag)
    try check(bytes, .png, seenAs: tag)
  }

  @Test("the values 0 and 9 mean no change", arguments: [0, 9, 255, 65_535])
  func noChange(_ tag: Int) throws {
    try check(jpeg(picture, exif: exifBlock(orientation: tag)), .jpeg, seenAs: 1)
  }

  @Test("gray, gray with alpha, RGB with alpha and 16 bit turn alike", arguments: 2...8)
  func kinds(_ tag: Int) throws {
    let bench = try Workbench(
      "[[step]]\nop = \"orient\"\n[[output]]\nname = \"png\"\nformat = \"png\""
    )
    for bands in 1...4 {
      for deep in [false, true] {
        let picture = NaivePicture(width: 9, height: 6, bands: bands) { x, y, band in
          Double(x * 20 + y * 7 + band * 3) * (deep ? 257 : 1)
        }
        let bytes = try inserting(
          exif: exifBlock(orientation: tag),
          intoPNG: picture.encoded(.png, deep: deep)
        )
        let made = try bench.process(bytes, named: "a.png").picture()
        #expect(made.greatestDifference(from: picture.turned(byTag: tag)) == 0, "\(bands) \(deep)")
      }
    }
  }

  @Test("a picture within the limit is still turned, and one that is shrunk is turned alike")
  func withThumbnail() throws {
    let bench = try Workbench(
      """
      [[step]]
      op = "orient"
      [[output]]
      name = "same"
      format = "png"
      [[output]]
      name = "small"
      format = "png"
        [[output.step]]
        op = "thumbnail-preview"
        max-side = 64
      """
    )
    let picture = NaivePicture.synthetic(301, 203, detail: 30)
    for tag in 1...8 {
      let bytes = try jpeg(picture, exif: exifBlock(orientation: tag))
      let outcome = try bench.process(bytes, named: "a.jpg")
      // The plan knows the sizes from the header.
      let planned = try bench.probe(bench.folder.path.appending("in/a.jpg")).sizes
      #expect(
        planned == outcome.result.outputs.map { PlannedSize(width: $0.width, height: $0.height) }
      )
      let full = try NaivePicture(stored(bytes, .jpeg)).turned(byTag: tag)
      #expect(try outcome.picture().greatestDifference(from: full) == 0)
      let small = try outcome.picture(1)
      #expect(max(small.width, small.height) == 64)
      let map = AffineMap.scale(
        x: Double(full.width) / Double(small.width),
        y: Double(full.height) / Double(small.height)
      )
      let wanted = NaiveResampler.aligned(full, map, small.size).clipped()
      #expect(small.meanDifference(from: wanted) < 1, "orientation \(tag)")
    }
  }

  @Test("turning again what was turned changes nothing", arguments: 1...8)
  func idempotent(_ tag: Int) throws {
    let bench = try Workbench("[[step]]\nop = \"orient\"\n" + Self.outputs)
    let first = try bench.process(
      jpeg(picture, exif: exifBlock(orientation: tag)),
      named: "a.jpg"
    )
    let wanted = try first.picture()
    for (index, name) in ["a.png", "a.jpg", "a.webp", "a.tif"].enumerated() {
      let second = try bench.process(first.bytes(index), named: name)
      let again = try second.picture()
      #expect(again.size == wanted.size)
      #expect(try again.greatestDifference(from: first.picture(index)) == 0, "\(name)")
    }
  }

  @Test(
    "exiftool agrees: no orientation but 1, no thumbnail, the right size",
    .enabled(if: Program.exiftool != nil, "exiftool is not installed")
  )
  func exiftool() throws {
    let exiftool = try #require(Program.exiftool)
    let bench = try Workbench("[[step]]\nop = \"orient\"\n" + Self.outputs)
    let thumbnail = try picture.encoded(.jpeg, [.init("strip", .bool(true))])
    let bytes = try jpeg(picture, exif: exifBlock(orientation: 6, thumbnail: thumbnail))
    let input = try bench.folder.write(bytes, to: "check.jpg")
    let before = try exiftool.run([Path("-n"), Path("-s3"), Path("-Orientation"), input])
    #expect(before.outputText == "6\n")
    let outcome = try bench.process(bytes, named: "a.jpg")
    for (index, file) in outcome.files.enumerated() {
      let tags = ["-n", "-s3", "-f", "-Orientation", "-ThumbnailImage", "-ImageSize"].map {
        Path($0)
      }
      let lines = try exiftool.run(tags + [file]).outputText.split(separator: "\n")
      #expect(["1", "-"].contains(lines.first), "output \(index)")
      #expect(lines.dropFirst().first == "-", "output \(index)")
      #expect(lines.last == "22 37", "output \(index)")
    }
  }
}

extension Program {
  /// A second opinion on metadata, where it is installed.
  static var exiftool: Program? {
    let path = Path("/usr/bin/exiftool")
    return path.isReadableFile ? Program(path) : nil
  }
}
