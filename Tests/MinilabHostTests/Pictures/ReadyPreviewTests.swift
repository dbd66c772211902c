import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Previews that are ready", .vips)
struct ReadyPreviewTests {
  /// Red, so that it shows which picture a preview was made from.
  private func thumbnail(width: Int, height: Int) throws -> [UInt8] {
    try Sample.flat([250, 10, 10], width: width, height: height).encoded(.jpeg)
  }

  /// Blue, 300 × 200, stored with an orientation and a thumbnail.
  private func picture(_ thumbnail: [UInt8]?, orientation: Int = 1) throws -> [UInt8] {
    let plain = try Sample.flat([10, 10, 250], width: 300, height: 200)
      .encoded(.jpeg, [.init("strip", .bool(true))])
    let exif = exifBlock(orientation: orientation, thumbnail: thumbnail)
    return inserting(0xe1, exif, into: plain)
  }

  private func bench(_ keys: String, before: String = "") throws -> Workbench {
    try Workbench(
      """
      \(before)
      [[step]]
      op = "thumbnail-preview"
      max-side = 60
      \(keys)
      [[output]]
      format = "png"
      """
    )
  }

  private func isFromThumbnail(_ outcome: Workbench.Outcome) throws -> Bool {
    try outcome.image().samples(x: 5, y: 5)[0] > 200
  }

  private func sourceNote(_ outcome: Workbench.Outcome) -> String? {
    outcome.result.notes.first { $0.code == .previewSource }?.text
  }

  @Test("An embedded thumbnail is used where it is large enough, upright")
  func embedded() throws {
    for orientation in [1, 6] {
      let file = try picture(thumbnail(width: 90, height: 60), orientation: orientation)
      let outcome = try bench("use-existing = \"embedded\"").process(file, named: "a.jpg")
      let image = try outcome.image()
      let size = orientation == 1 ? [60, 40] : [40, 60]
      #expect([image.width, image.height] == size)
      #expect(try isFromThumbnail(outcome))
      #expect(sourceNote(outcome)?.hasPrefix("made from the embedded thumbnail") == true)
    }
  }

  @Test("It is not used unless it is asked for")
  func never() throws {
    let file = try picture(thumbnail(width: 90, height: 60))
    let outcome = try bench("").process(file, named: "a.jpg")
    #expect(try !isFromThumbnail(outcome))
    #expect(sourceNote(outcome) == nil)
  }

  @Test(
    "Too small, of another aspect, broken or none: the picture itself, with the reason",
    arguments: [
      ((54, 36), "has only 54 × 36"), ((80, 60), "has another aspect"), ((0, 0), "no thumbnail"),
    ]
  )
  func unfit(size: (Int, Int), reason: String) throws {
    let bytes = size.0 == 0 ? [1, 2, 3, 4] : try thumbnail(width: size.0, height: size.1)
    let outcome = try bench("use-existing = \"embedded\"")
      .process(picture(bytes), named: "a.jpg")
    #expect(try !isFromThumbnail(outcome))
    #expect(sourceNote(outcome)?.contains(reason) == true, "\(sourceNote(outcome) ?? "")")
  }

  @Test("After a crop it shows something else, and is not used")
  func cropped() throws {
    let before = "[[step]]\nop = \"crop\"\nrect = [0, 0, 150, 100]"
    let outcome = try bench("use-existing = \"embedded\"", before: before)
      .process(picture(thumbnail(width: 90, height: 60)), named: "a.jpg")
    #expect(try !isFromThumbnail(outcome))
  }

  @Test("A sidecar is used unless it is older")
  func sidecar() throws {
    let keys = "use-existing = \"sidecar\"\nsidecar = \"{stem}-small.jpg\""
    let bench = try bench(keys)
    let file = try bench.folder.write(picture(nil), to: "in/b.jpg")
    let small = try bench.folder.write(
      thumbnail(width: 90, height: 60),
      to: "in/b-small.jpg"
    )
    let used = try bench.process(file)
    #expect(try isFromThumbnail(used))
    #expect(sourceNote(used) == "made from b-small.jpg of 90 × 60")
    let old = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
    #expect(small.withCString { utimensat(AT_FDCWD, $0, old, 0) } == 0)
    let made = try bench.process(file)
    #expect(try !isFromThumbnail(made))
    #expect(sourceNote(made)?.contains("older") == true)
  }

  /// The picture is 300 × 200, and 60 × 40 is wanted.
  @Test(
    "At least the wanted size, and the aspect within 1 %, to the pixel",
    arguments: [
      (60, 40, true), (59, 40, false), (60, 39, false), (59, 39, false), (109, 72, true),
      (110, 72, false), (107, 72, true), (106, 72, false), (300, 200, true),
    ]
  )
  func limits(width: Int, height: Int, isUsed: Bool) throws {
    let outcome = try bench("use-existing = \"embedded\"")
      .process(picture(thumbnail(width: width, height: height)), named: "a.jpg")
    #expect(try isFromThumbnail(outcome) == isUsed)
    let image = try outcome.image()
    #expect(image.width == 60 && image.height == 40)
    #expect(sourceNote(outcome)?.hasPrefix("made from ") == true)
  }

  @Test("A sidecar of the very same time is not older")
  func sameTime() throws {
    let bench = try bench("use-existing = \"sidecar\"\nsidecar = \"{name}.small\"")
    let file = try bench.folder.write(picture(nil), to: "in/b.jpg")
    let small = try bench.folder.write(thumbnail(width: 90, height: 60), to: "in/b.jpg.small")
    let times = [timespec(tv_sec: 9, tv_nsec: 5), timespec(tv_sec: 9, tv_nsec: 5)]
    for path in [file, small] {
      #expect(path.withCString { utimensat(AT_FDCWD, $0, times, 0) } == 0)
    }
    #expect(try isFromThumbnail(bench.process(file)))
    let younger = [timespec(tv_sec: 9, tv_nsec: 5), timespec(tv_sec: 9, tv_nsec: 6)]
    #expect(file.withCString { utimensat(AT_FDCWD, $0, younger, 0) } == 0)
    #expect(try !isFromThumbnail(bench.process(file)))
  }

  @Test("A sidecar that is none, or of a picture that was turned, is not used; the note says why")
  func unfitSidecar() throws {
    let keys = "use-existing = \"sidecar\""
    let missing = try bench(keys).process(picture(nil), named: "b.jpg")
    #expect(sourceNote(missing)?.contains("there is no b.preview.jpg") == true)
    let broken = try bench(keys)
    let file = try broken.folder.write(picture(nil), to: "in/b.jpg")
    _ = try broken.folder.write([1, 2, 3], to: "in/b.preview.jpg")
    #expect(sourceNote(try broken.process(file))?.contains("is no picture") == true)
    let turned = try bench(keys, before: "[[step]]\nop = \"orient\"\nmode = \"rotate-90\"")
    let other = try turned.folder.write(picture(nil), to: "in/b.jpg")
    _ = try turned.folder.write(thumbnail(width: 90, height: 60), to: "in/b.preview.jpg")
    let outcome = try turned.process(other)
    #expect(try !isFromThumbnail(outcome))
    #expect(sourceNote(outcome)?.contains("turned the picture") == true)
  }

  @Test("What the picture says of itself goes with its preview")
  func metadata() throws {
    let exif = exifBlock(orientation: 1, description: "A red barn")
    let plain = try Sample.flat([10, 10, 250], width: 300, height: 200)
      .encoded(.jpeg, [.init("strip", .bool(true))])
    let bench = try bench("use-existing = \"sidecar\"")
    let file = try bench.folder.write(inserting(0xe1, exif, into: plain), to: "in/c.jpg")
    _ = try bench.folder.write(thumbnail(width: 90, height: 60), to: "in/c.preview.jpg")
    let outcome = try bench.process(file)
    #expect(try isFromThumbnail(outcome))
    let image = try outcome.image()
    #expect(image.string("exif-ifd0-ImageDescription")?.hasPrefix("A red barn") == true)
  }
}
