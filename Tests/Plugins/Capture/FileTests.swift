import MinilabKit
import TestSupport
import Testing
import V4L2
import Vips

@testable import CaptureOperation

@Suite("Files of captured frames", .vips)
struct FileTests {
  private static let exif = ExifBlock(
    .init(
      make: "Maker",
      model: "Camera é",
      orientation: 8,
      date: "2026:02:03 04:05:06",
      offset: "+05:30",
      fraction: "007",
      exposure: 1 / 60,
      hasFired: true,
      zoom: 2.5,
      width: 5,
      height: 7
    )
  )

  @Test(
    "a PNG of stored data has every sample",
    arguments: [(1, 1), (5, 7), (301, 1), (400, 300)]
  )
  func png(_ width: Int, _ height: Int) throws {
    for bands in [1, 3] {
      let samples = (0..<(width * height * bands)).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      let bitmap = Bitmap(width: width, height: height, bands: bands, samples: samples)
      let file = PNGFile.bytes(of: bitmap, Self.exif)
      let image = try load("pngload_source", from: Source(bytes: file))
      #expect(image.width == width && image.height == height && image.bands == bands)
      #expect(try image.pixels() == samples)
      #expect(image.int("orientation") == 8)
    }
  }

  private static let exiftool = Path("/usr/bin/exiftool")

  @Test(
    "EXIF is read by others as it was written",
    .enabled(if: exiftool.isReadableFile, "exiftool is not installed")
  )
  func exif() throws {
    let frame = try #require(TestPattern(width: 64, height: 48)).frame(number: 1, as: .mjpeg)
    let file = JPEGFile.inserting(Self.exif, into: try frame.jpeg())
    let scratch = try ScratchFolder()
    let path = try scratch.write(file, to: "a.jpg")
    let result = try Program(Self.exiftool).run([
      Path("-s3"), Path("-n"), Path("-validate"), Path("-warning"), Path("-Make"), Path("-Model"),
      Path("-Orientation"), Path("-SubSecDateTimeOriginal"), Path("-ExposureTime"), Path("-Flash"),
      Path("-DigitalZoomRatio"), path,
    ])
    #expect(
      result.outputText.split(separator: "\n").map(String.init) == [
        "0 0 0", "Maker", "Camera é", "8", "2026:02:03 04:05:06.007+05:30", "0.01666666667", "1",
        "2.5",
      ],
      "\(result.outputText)"
    )
  }

  @Test("the camera's own EXIF gives way to ours, and other segments stay")
  func replaced() throws {
    let plain = try #require(TestPattern(width: 64, height: 48)).frame(number: 1, as: .mjpeg).bytes
    let other = ExifBlock(.init(make: "Other"))
    let twice = JPEGFile.inserting(Self.exif, into: JPEGFile.inserting(other, into: plain))
    #expect(twice == JPEGFile.inserting(Self.exif, into: plain))
    let block = Array("Exif".utf8) + [0, 0] + Self.exif.bytes
    let segment =
      [0xff, 0xe1, UInt8((block.count + 2) >> 8), UInt8((block.count + 2) & 255)] + block
    #expect(twice == plain[..<2] + segment + plain[2...])
  }

  @Test("bytes that are no segments are left alone")
  func hostile() {
    for tail: [UInt8] in [
      [], [0xff], [0xff, 0xe1], [0xff, 0xe1, 0, 1], [0xff, 0xe1, 0xff, 0xff, 1],
    ] {
      let file = [0xff, 0xd8] + tail
      #expect(JPEGFile.inserting(Self.exif, into: file).suffix(tail.count) == tail[...])
    }
  }

  @Test("a moment is told on the clock on the wall")
  func moment() {
    let moment = Moment(nanoseconds: 1_770_000_000_012_345_678)
    #expect(moment.fraction == "012")
    #expect(WallClock(exif: moment.date) == moment.clock)
    let parts = moment.offset.dropFirst().split(separator: ":").compactMap { Int64($0) }
    let sign: Int64 = moment.offset.hasPrefix("-") ? -1 : 1
    #expect(parts.count == 2)
    #expect(moment.clock.seconds - 1_770_000_000 == sign * (parts[0] * 3600 + parts[1] * 60))
  }

  @Test("a name of a camera becomes a part of a file name")
  func words() {
    #expect(CameraIdentity.word(of: "HD Pro Webcam C920") == "HD-Pro-Webcam-C920")
    #expect(CameraIdentity.word(of: "../a/b: \u{1}{x}") == "a-b-x")
    #expect(CameraIdentity.word(of: "カメラ 2") == "カメラ-2")
    #expect(CameraIdentity.word(of: "///") == "camera")
    #expect(CameraIdentity.word(of: String(repeating: "x", count: 300)).count == 60)
  }
}
