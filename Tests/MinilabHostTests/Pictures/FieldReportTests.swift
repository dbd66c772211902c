import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

private let toPNG = "[[output]]\nname = \"png\"\nformat = \"png\"\n"
private let toJPEG = "[[output]]\nname = \"jpeg\"\nformat = \"jpeg\"\n"

@Suite("Reports from the field, on pictures", .vips)
struct FieldReportTests {
  @Test("an embedded thumbnail that shows the unturned picture is dropped (field report 3)")
  func staleThumbnail() throws {
    let bench = try Workbench("[[step]]\nop = \"orient\"\n" + toJPEG)
    let thumbnail = try NaivePicture.synthetic(16, 12)
      .encoded(.jpeg, [.init("strip", .bool(true))])
    let bytes = try jpeg(
      .synthetic(64, 48),
      exif: exifBlock(orientation: 6, thumbnail: thumbnail)
    )
    let before = try #require(stored(bytes, .jpeg).blob("exif-data"))
    #expect(ExifReading(before).hasThumbnail)
    let outcome = try bench.process(bytes, named: "a.jpg")
    #expect(outcome.noteCodes.contains(.thumbnailDropped))
    let exif = try outcome.image().blob("exif-data").map { ExifReading($0) }
    #expect(exif?.hasThumbnail == false)
    #expect(exif?.hasSecondDirectory == false)
    #expect(exif?.orientation == 1)
    // The start of the thumbnail's own JPEG is nowhere in the file.
    let made = try outcome.bytes()
    let starts = made.indices.dropLast(2).filter {
      Array(made[$0...($0 + 2)]) == [0xff, 0xd8, 0xff]
    }
    #expect(starts == [0])
  }

  @Test("coordinates are upright: a crop that fits only the upright picture (field report 5)")
  func uprightCrop() throws {
    let picture = NaivePicture(width: 640, height: 427, bands: 3) { x, y, band in
      [Double(x) / 639 * 255, Double(y) / 426 * 255, 60][band]
    }
    let bytes = try inserting(exif: exifBlock(orientation: 6), intoPNG: picture.encoded(.png))
    let crop = "[[step]]\nop = \"crop\"\nrect = [10, 500, 100, 100]\n"
    // The same with and without `orient`, before and after.
    for steps in [crop, "[[step]]\nop = \"orient\"\n" + crop, crop + "[[step]]\nop = \"orient\"\n"]
    {
      let made = try Workbench(steps + toPNG).process(bytes, named: "a.png").picture()
      let upright = try NaivePicture(picture.image()).turned(byTag: 6)
      let wanted = NaivePicture(width: 100, height: 100, bands: 3) {
        upright[$0 + 10, $1 + 500, $2]
      }
      #expect(made.greatestDifference(from: wanted) == 0)
    }
    let box = try Workbench(
      """
      [[step]]
      op = "resize"
      width = 350
      height = 150
      fit = "cover"

      """ + toPNG
    )
    #expect(try box.process(bytes, named: "a.png").picture().size == Size(width: 350, height: 150))
    let outside = try Workbench("[[step]]\nop = \"crop\"\nrect = [500, 10, 100, 100]\n" + toPNG)
      .process(bytes, named: "a.png")
    #expect(outside.result.error?.code == .cropOutside)
    #expect(outside.result.error?.text.contains("[500, 10, 100, 100]") == true)
    #expect(outside.result.error?.text.contains("[0, 0, 427, 640]") == true)
  }

  @Test("very thin pictures keep a pixel (field report 7)")
  func thin() throws {
    for (width, height) in [(3000, 1), (1, 5000), (3000, 2), (7, 5000)] {
      for side in [1024, 100] {
        let bench = try Workbench(
          "[[step]]\nop = \"thumbnail-preview\"\nmax-side = \(side)\n" + toPNG
        )
        let picture = NaivePicture(width: width, height: height, bands: 3) { x, y, _ in
          Double((x + y) % 5000) / 5000 * 250
        }
        for bytes in [try picture.encoded(.png), try picture.encoded(.jpeg)] {
          let outcome = try bench.process(bytes, named: "a.png")
          #expect(outcome.result.error == nil)
          let made = try outcome.picture()
          let short = Double(min(width, height)) * Double(side) / Double(max(width, height))
          let wanted =
            width > height
            ? Size(width: side, height: max(1, Int(short.rounded())))
            : Size(width: max(1, Int(short.rounded())), height: side)
          #expect(made.size == wanted)
          // It still goes from dark to light.
          #expect(made[0, 0, 0] < made[made.width - 1, made.height - 1, 0])
        }
      }
    }
  }

  @Test("a box larger than the picture cuts it, the same each time (field report 9)")
  func smallInBox() throws {
    let bench = try Workbench(
      """
      [[step]]
      op = "resize"
      width = 400
      height = 200
      fit = "cover"

      """ + toPNG
    )
    let bytes = try NaivePicture.synthetic(300, 300).encoded(.png)
    let first = try bench.process(bytes, named: "a.png")
    let second = try bench.process(bytes, named: "a.png")
    #expect(try first.picture().size == Size(width: 300, height: 200))
    #expect(try first.bytes() == second.bytes())
  }

  @Test("several pages: the first with a note that counts them, or refused (field report 17)")
  func pages() throws {
    let pages = [NaivePicture.synthetic(40, 30, bands: 1), .synthetic(20, 10, bands: 1)]
    let first = try Workbench(toPNG).process(tiff(pages: pages), named: "a.tif")
    #expect(try first.picture().greatestDifference(from: NaivePicture(pages[0].image())) == 0)
    let note = first.result.notes.first { $0.code == .pagesDropped }
    #expect(note?.text.contains("2") == true)
    let refusing = try Workbench("[input]\npages = \"reject\"\n" + toPNG)
    let refused = try refusing.process(tiff(pages: pages), named: "a.tif")
    #expect(refused.result.error?.code == .pagesRejected)
    #expect(refused.result.error?.received == "2")
    #expect(try refusing.outputNames() == [])
    let single = try refusing.process(tiff(pages: [pages[1]]), named: "a.tif")
    #expect(single.result.status == .done)
    #expect(single.result.notes.isEmpty)
  }

  @Test("a profile that does not fit or is broken is left out with one note (field report 19)")
  func unfitProfiles() throws {
    let bench = try Workbench(toPNG + toJPEG)
    let gray = NaivePicture.synthetic(40, 30, bands: 1)
    let color = NaivePicture.synthetic(40, 30)
    var dice = Dice(5)
    let noise = (0..<3000).map { _ in UInt8(dice.next(0...255)) }
    for (picture, profile) in [(gray, matrixProfile(.srgb, gamma: 2.2)), (color, noise)] {
      let bytes = inserting(
        0xe2,
        Array("ICC_PROFILE\0".utf8) + [1, 1] + profile,
        into: try picture.encoded(.jpeg, [.init("strip", .bool(true))])
      )
      let outcome = try bench.process(bytes, named: "a.jpg")
      #expect(outcome.result.error == nil)
      #expect(outcome.noteCodes.filter { $0 == .profileDropped }.count == 1)
      #expect(
        try outcome.picture().greatestDifference(from: NaivePicture(stored(bytes, .jpeg))) == 0
      )
      #expect(try !outcome.image().has("icc-profile-data"))
      #expect(try outcome.picture(1).size == picture.size)
    }
  }

  @Test("16 bit stay 16 bit, or a note says otherwise; 65535 is 255 (field report 21)")
  func depth() throws {
    let bench = try Workbench(
      """
      [[output]]
      name = "small"
      format = "png"
        [[output.step]]
        op = "thumbnail-preview"
        max-side = 50
      [[output]]
      name = "cut"
      format = "png"
        [[output.step]]
        op = "crop"
        rect = [90, 0, 10, 10]
      """
    )
    let slope = NaivePicture(width: 100, height: 60, bands: 3) { x, _, _ in
      (Double(x) / 99 * 65_535).rounded()
    }
    let bytes = try slope.encoded(.png, deep: true)
    let kept = try bench.process(bytes, named: "a.png")
    #expect(try kept.image().format == .ushort)
    #expect(try kept.image(1).format == .ushort)
    #expect(try kept.picture(1)[9, 5, 0] == 65_535)
    #expect(try kept.picture(1)[0, 5, 0] == slope[90, 5, 0])
    #expect(!kept.noteCodes.contains(.depthReduced))
    let reduced = try Workbench("[[output]]\nformat = \"webp\"\nlossless = true")
      .process(bytes, named: "a.png")
    #expect(reduced.noteCodes.contains(.depthReduced))
    let wanted = NaivePicture(width: 100, height: 60, bands: 3) { x, y, band in
      (slope[x, y, band] / 257).rounded()
    }
    #expect(try reduced.picture().greatestDifference(from: wanted) == 0)
  }

  // MARK: Damage

  private func noisy() -> NaivePicture {
    var dice = Dice(3)
    return NaivePicture(width: 64, height: 64, bands: 3) { x, y, _ in
      Double(x + y) + Double(dice.next(0...90))
    }
  }

  @Test("junk between segments and zeros behind the end harm nobody (field report 27)")
  func junk() throws {
    let bench = try Workbench(toPNG)
    let bytes = try noisy().encoded(.jpeg, [.init("strip", .bool(true))])
    var junk = bytes
    // Before the marker of the second segment.
    let second = 4 + Int(bytes[4]) << 8 + Int(bytes[5])
    junk.insert(contentsOf: [1, 2, 3], at: second)
    let clean = try bench.process(bytes, named: "a.jpg").picture()
    for good in [junk, bytes + [UInt8](repeating: 0, count: 5000)] {
      let outcome = try bench.process(good, named: "a.jpg")
      #expect(outcome.result.error == nil)
      #expect(outcome.result.status == .done)
      #expect(try outcome.picture().greatestDifference(from: clean) == 0)
    }
  }

  @Test("missing rows are damage, however the file hides them (field report 27)")
  func missingRows() throws {
    let bytes = try noisy().encoded(.jpeg, [.init("strip", .bool(true))])
    let cut = Array(bytes.prefix(bytes.count / 2))
    let ended = cut + [0xff, 0xd9]
    let endedInside = cut + [0xff, 0xd9] + bytes.dropFirst(bytes.count / 2 + 2)
    let rejecting = try Workbench(toPNG)
    let warning = try Workbench("[input]\ndamaged = \"warn\"\n" + toPNG)
    for damaged in [cut, ended, endedInside] {
      let refused = try rejecting.process(damaged, named: "a.jpg")
      #expect(refused.result.error?.code == .damaged)
      #expect(try rejecting.outputNames() == [])
      let used = try warning.process(damaged, named: "a.jpg")
      #expect(used.result.error == nil)
      #expect(used.noteCodes.contains(.damaged))
      #expect(try used.picture().size == Size(width: 64, height: 64))
    }
    #expect(try rejecting.leftovers() == [])
  }

  @Test(
    "a file of any format that ends early is refused, or used with a note",
    arguments: [PictureFormat.png, .webp, .tiff, .gif]
  )
  func truncated(_ format: PictureFormat) throws {
    let bytes = try noisy().encoded(format)
    for share in [0.97, 0.6, 0.3] {
      let cut = Array(bytes.prefix(Int(Double(bytes.count) * share)))
      let bench = try Workbench(toPNG + toJPEG)
      let outcome = try bench.process(cut, named: "a.\(format.fileExtension)")
      #expect(outcome.result.error?.code == .damaged, "\(share)")
      #expect(try bench.outputNames() == [])
      #expect(try bench.leftovers() == [])
    }
  }

  @Test("a copied picture is decoded all the same, so damage is seen")
  func damagedCopy() throws {
    let bench = try Workbench("[[output]]\nname = \"same\"")
    let bytes = try noisy().encoded(.jpeg, [.init("strip", .bool(true))])
    let copied = try bench.process(bytes, named: "a.jpg")
    #expect(copied.noteCodes == [.copied])
    #expect(try copied.bytes() == bytes)
    let cut = Array(bytes.prefix(bytes.count / 2)) + [0xff, 0xd9]
    #expect(try bench.process(cut, named: "a.jpg").result.error?.code == .damaged)
  }

  // MARK: Limits

  @Test("a giant header is refused before a pixel is decoded (field report 29)")
  func bomb() throws {
    let bench = try Workbench(toPNG)
    let before = Host.pixelMemoryHighWater
    for side in [787_402, 60_000] {
      let bytes = png([
        pngHeader(side, side), ("IDAT", [UInt8](repeating: 0, count: 100)), ("IEND", []),
      ])
      let path = try bench.folder.write(bytes, to: "in/bomb.png")
      for error in [try bench.process(path).result.error, try bench.probe(path).error] {
        #expect([.tooManyPixels, .damaged].contains(error?.code))
        if side == 60_000 { #expect(error?.code == .tooManyPixels) }
      }
    }
    #expect(Host.pixelMemoryHighWater - before < 1 << 20)
    // Within the limit, and still without its data: refused, and its warnings are not kept.
    let bytes = png([
      pngHeader(9_000, 9_000), ("IDAT", [UInt8](repeating: 0, count: 100)), ("IEND", []),
    ])
    let outcome = try bench.process(bytes, named: "short.png")
    #expect(outcome.result.error?.code == .damaged)
    #expect(Log.take().kept.count <= 64)
    #expect(try bench.outputNames() == [])
  }

  @Test("sides that a format cannot hold are found from the header (field report 31)")
  func formatLimits() throws {
    let bench = try Workbench(toPNG + "[[output]]\nname = \"webp\"\nformat = \"webp\"\n" + toJPEG)
    for (width, height, isFine) in [(16_384, 10, false), (70_000, 4, false), (16_383, 10, true)] {
      let bytes = try NaivePicture(width: width, height: height, bands: 1) { x, _, _ in
        Double(x % 256)
      }
      .encoded(.png)
      let path = try bench.folder.write(bytes, to: "in/wide.png")
      let probed = try bench.probe(path)
      let outcome = try bench.process(path)
      if isFine {
        #expect(probed.error == nil)
        #expect(outcome.result.status == .done)
        continue
      }
      for error in [probed.error, outcome.result.error] {
        #expect(error?.code == .formatLimit)
        #expect(error?.text.contains("WebP") == true)
        #expect(error?.text.contains("16383") == true)
      }
      #expect(try bench.outputNames() == [])
      #expect(try bench.leftovers() == [])
    }
    let only = try Workbench(toJPEG)
    let long = try NaivePicture(width: 70_000, height: 4, bands: 1) { _, _, _ in 7 }.encoded(.png)
    let outcome = try only.process(long, named: "a.png")
    #expect(outcome.result.error?.text.contains("65500") == true)
  }

  // MARK: Names and time

  @Test("the content decides, and a name that promises something else is noted (field report 35)")
  func types() throws {
    let bench = try Workbench(toPNG)
    let bytes = try NaivePicture.synthetic(20, 10).encoded(.png)
    for name in ["x.PNG", "y.pNg", "z", "w.unknown"] {
      let outcome = try bench.process(bytes, named: name)
      #expect(outcome.result.status == .done, "\(name)")
      #expect(!outcome.noteCodes.contains(.nameMismatch), "\(name)")
    }
    let named = try bench.process(bytes, named: "really.jpg")
    #expect(named.result.status == .done)
    let note = named.result.notes.first { $0.code == .nameMismatch }
    #expect(note?.text == "the name says JPEG, the content is PNG")
  }

  @Test("a file that is rewritten gives its new picture in the same worker (field report 43)")
  func rewritten() throws {
    let bench = try Workbench(toPNG)
    func level(_ value: Double) throws -> [UInt8] {
      try NaivePicture(width: 40, height: 30, bands: 3) { _, _, _ in value }.encoded(.jpeg)
    }
    #expect(try bench.process(level(0), named: "cap.jpg").picture()[5, 5, 0] == 0)
    #expect(try bench.process(level(255), named: "cap.jpg").picture()[5, 5, 0] == 255)
    // Under the same name by a rename.
    let other = try bench.folder.write(level(0), to: "in/other.jpg")
    let final = bench.folder.path.appending("in/cap.jpg")
    let code = other.withCString { from in final.withCString { rename(from, $0) } }
    #expect(code == 0)
    #expect(try bench.process(final).picture()[5, 5, 0] == 0)
  }
}
