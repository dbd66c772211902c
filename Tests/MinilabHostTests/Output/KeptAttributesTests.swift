import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("What an output keeps of its input's file", .vips)
struct KeptAttributesTests {
  /// 2020-01-01, with a part of a second that no file system's tick gives.
  private func input(_ bench: Workbench, _ bytes: [UInt8], mode: UInt32 = 0o644) throws -> Path {
    let path = try bench.folder.write(bytes, to: "in/a.jpg")
    #expect(try FileAttributes(seconds: moment, nanoseconds: part, mode: mode).give(to: path))
    return path
  }

  private let moment = 1_577_836_800
  private let part = 123_456_789

  @Test(
    "timestamps = input: the file's time to the nanosecond, encoded or copied; field report 25",
    arguments: ["format = \"png\"\n", ""]
  )
  func time(_ format: String) throws {
    let bytes = try jpeg(.synthetic(32, 24), exif: exifBlock(orientation: 1))
    let kept = try Workbench("[[output]]\ntimestamps = \"input\"\n" + format)
    let outcome = try kept.process(input(kept, bytes))
    #expect(outcome.noteCodes.contains(.copied) == format.isEmpty)
    let made = try FileAttributes(of: outcome.files[0])
    #expect(made.seconds == moment)
    #expect(made.nanoseconds == part)
    let usual = try Workbench("[[output]]\n" + format)
    let now = try FileAttributes(of: usual.process(input(usual, bytes)).files[0])
    #expect(now.seconds > moment)
  }

  @Test("the date that a picture was taken stays as it is, whatever the file's; field report 25")
  func dateTaken() throws {
    let image = try NaivePicture.synthetic(32, 24).image().copy()
    image.set("exif-ifd2-DateTimeOriginal", string: "2019:05:04 03:02:01")
    let bench = try Workbench("[[output]]\nformat = \"png\"\ntimestamps = \"input\"\n")
    let outcome = try bench.process(input(bench, image.encoded(.jpeg)))
    let taken = try outcome.image().string("exif-ifd2-DateTimeOriginal")
    #expect(taken?.hasPrefix("2019:05:04 03:02:01") == true)
  }

  @Test("mode = input: who may read it, and no right to be another; else the umask decides")
  func mode() throws {
    let bytes = try NaivePicture.synthetic(16, 12).encoded(.jpeg)
    let kept = try Workbench("[[output]]\nmode = \"input\"\n")
    #expect(
      try FileAttributes(of: kept.process(input(kept, bytes, mode: 0o4640)).files[0]).mode == 0o640
    )
    // Not even its owner could write into it again; that is not asked of a new one.
    let path = try input(kept, bytes, mode: 0o400)
    #expect(try FileAttributes(of: kept.process(path).files[0]).mode == 0o400)
    let usual = try Workbench("[[output]]\n")
    let made = try FileAttributes(of: usual.process(input(usual, bytes, mode: 0o600)).files[0])
    #expect(made.mode == 0o666 & ~FileAttributes.mask)
  }

  @Test("a group has the time of its first picture")
  func group() throws {
    let bench = try Workbench(
      """
      [gather]
      by = "all"
      [[step]]
      op = "compose"
      layout = "strip"
      [[output]]
      format = "png"
      timestamps = "input"
      """
    )
    let first = try input(bench, NaivePicture.synthetic(16, 12).encoded(.jpeg))
    let second = try bench.folder.write(NaivePicture.synthetic(9, 9).encoded(.png), to: "in/b.png")
    let outcome = try bench.process(group: [first, second])
    #expect(try FileAttributes(of: outcome.files[0]).nanoseconds == part)
  }

  // MARK: when-larger

  @Test("when-larger = keep-original keeps the input where encoding again gains nothing")
  func larger() throws {
    let bytes = try NaivePicture.synthetic(64, 48).encoded(.jpeg, [.init("Q", .int(30))])
    let worse = "[[output]]\nquality = 95\n"
    let written = try Workbench(worse).process(bytes, named: "a.jpg")
    #expect(try written.bytes().count > bytes.count)
    let kept = try Workbench(worse + "when-larger = \"keep-original\"\n")
      .process(bytes, named: "a.jpg")
    #expect(kept.noteCodes == [.originalKept])
    #expect(try kept.bytes() == bytes)
    #expect(kept.result.outputs.first?.bytes == bytes.count)
    let better = try Workbench("[[output]]\nquality = 20\nwhen-larger = \"keep-original\"\n")
      .process(bytes, named: "a.jpg")
    #expect(better.noteCodes == [])
    #expect(try better.bytes().count < bytes.count)
  }

  @Test("what counts is how large the input is with the metadata that the output wants")
  func largerThanCopy() throws {
    let plain = try NaivePicture.synthetic(64, 48).encoded(
      .jpeg,
      [.init("Q", .int(30)), .init("strip", .bool(true))]
    )
    let bytes = inserting(0xfe, [UInt8](repeating: 65, count: 60_000), into: plain)
    let settings =
      "[[output]]\nquality = 95\nwhen-larger = \"keep-original\"\nmetadata = \"no-location\"\n"
    // The comment stays, and is in either.
    #expect(try Workbench(settings).process(bytes, named: "a.jpg").noteCodes == [.originalKept])
    let exif = try Workbench(settings + "max-bytes = 30_000\n")
    #expect(try exif.process(bytes, named: "a.jpg").result.error?.code == .tooLarge)
    let bare = settings.replacing("\"no-location\"", with: "[\"exif\"]")
    let kept = try Workbench(bare).process(bytes, named: "a.jpg")
    #expect(kept.noteCodes == [.originalKept])
    #expect(try kept.bytes().count <= plain.count)
    #expect(try kept.image().width == 64)
    // Encoded again it is smaller than the input, and larger than that.
    let written = try Workbench("[[output]]\nquality = 95\nmetadata = [\"exif\"]\n")
      .process(bytes, named: "a.jpg")
    #expect(try (plain.count..<bytes.count).contains(written.bytes().count))
  }

  @Test(
    "a picture that has to change is written, however large",
    arguments: [
      "format = \"png\"", "resolution = 300",
      "[[output.step]]\nop = \"crop\"\nrect = [0, 0, 63, 48]",
    ]
  )
  func changed(_ reason: String) throws {
    let bytes = try NaivePicture.synthetic(64, 48).encoded(.jpeg, [.init("Q", .int(5))])
    let options = reason.hasPrefix("format") ? "" : "quality = 95\n"
    let bench = try Workbench(
      "[[output]]\nwhen-larger = \"keep-original\"\n\(options)\(reason)\n"
    )
    let outcome = try bench.process(bytes, named: "a.jpg")
    #expect(outcome.result.status == .done)
    #expect(!outcome.noteCodes.contains(.originalKept))
    #expect(try outcome.bytes() != bytes)
  }

  @Test("another depth is a change, and the input is no way around max-bytes")
  func depthAndLimit() throws {
    var dice = Dice(5)
    let noise = NaivePicture(width: 40, height: 30, bands: 1) { _, _, _ in
      Double(dice.next(0...3) * 85)
    }
    let bytes = try noise.encoded(.png, [.init("compression", .int(9))])
    let deeper = try Workbench(
      "[[output]]\nformat = \"png\"\nbit-depth = 16\nwhen-larger = \"keep-original\"\n"
    )
    .process(bytes, named: "a.png")
    #expect(deeper.noteCodes == [])
    #expect(try deeper.image().format == .ushort)
    let small =
      "[[output]]\nformat = \"png\"\neffort = 0\nwhen-larger = \"keep-original\"\nmax-bytes = "
    let over = try Workbench(small + "\(bytes.count - 1)\n").process(bytes, named: "a.png")
    #expect(over.result.error?.code == .tooLarge)
    // What would be larger than allowed when encoded again is not encoded again.
    let kept = try Workbench(small + "\(bytes.count)\n").process(bytes, named: "a.png")
    #expect(kept.noteCodes == [.originalKept])
    #expect(try kept.bytes() == bytes)
  }
}
