import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// When a picture is copied, and when it must be encoded.
@Suite("Untouched pictures", .vips)
struct CopyTests {
  private let same = "[input]\nformats = \"all\"\n[[output]]\nname = \"same\"\n"
  private let orient = "[[step]]\nop = \"orient\"\n"

  @Test(
    "a file in any format that is written is copied byte by byte",
    arguments: [PictureFormat.jpeg, .png, .webp, .tiff, .gif, .avif, .heif, .jxl]
  )
  func copied(_ format: PictureFormat) throws {
    let codec = format == .avif ? [Argument("compression", .enumeration("av1"))] : []
    let bytes = try NaivePicture.synthetic(64, 48).encoded(format, codec)
    let outcome = try Workbench(orient + same).process(bytes, named: "a.\(format.fileExtension)")
    #expect(outcome.noteCodes.contains(.copied))
    #expect(try outcome.bytes() == bytes)
    let record = try #require(outcome.result.outputs.first)
    #expect(record.width == 64 && record.height == 48 && record.format == format)
    #expect(record.bytes == bytes.count)
  }

  @Test(
    "an option of the encoder, a crop or a color is a reason to encode",
    arguments: [
      "quality = 82", "color = \"srgb\"", "format = \"png\"",
      "[[output.step]]\nop = \"crop\"\nrect = [0, 0, 63, 48]",
    ]
  )
  func encoded(_ reason: String) throws {
    // In a profile whose primaries are not those of sRGB.
    let bytes = inserting(
      0xe2,
      Array("ICC_PROFILE\0".utf8) + [1, 1] + matrixProfile(.displayP3, gamma: 2.2),
      into: try NaivePicture.synthetic(64, 48).encoded(.jpeg, [.init("strip", .bool(true))])
    )
    let keeping = same + "color = \"keep\"\n"
    let kept = try Workbench(keeping).process(bytes, named: "a.jpg")
    #expect(try kept.bytes() == bytes)
    let profile = reason.hasPrefix("color") ? same + reason : keeping + reason
    let outcome = try Workbench(profile).process(bytes, named: "a.jpg")
    #expect(outcome.result.error == nil)
    #expect(!outcome.noteCodes.contains(.copied))
    #expect(try outcome.bytes() != bytes)
  }

  @Test("steps that have nothing to do leave the file as it is")
  func idleSteps() throws {
    let steps = """
      [[step]]
      op = "thumbnail-preview"
      [[step]]
      op = "crop"
      aspect = "original"
      [[step]]
      op = "resize"
      width = 500
      [[step]]
      op = "rotate"
      angle = 360
      [[step]]
      op = "flatten"
      [[step]]
      op = "pad"
      border = 0

      """
    let bytes = try NaivePicture.synthetic(64, 48).encoded(.jpeg)
    let outcome = try Workbench(orient + steps + same).process(bytes, named: "a.jpg")
    #expect(outcome.noteCodes == [.withinLimit, .copied])
    #expect(try outcome.bytes() == bytes)
  }

  @Test("where nothing turns it a tag stays; orient turns the picture and the tag goes")
  func tags() throws {
    let picture = NaivePicture.synthetic(64, 48)
    let tagged = try jpeg(picture, exif: exifBlock(orientation: 6))
    let kept = try Workbench(same).process(tagged, named: "a.jpg")
    #expect(try kept.bytes() == tagged)
    // Reported as a viewer sees it, and as a dry run has it.
    let record = try #require(kept.result.outputs.first)
    #expect(record.width == 48 && record.height == 64)
    let turned = try Workbench(orient + same).process(tagged, named: "a.jpg")
    #expect(!turned.noteCodes.contains(.copied))
    #expect(try turned.image().int("orientation") ?? 1 == 1)
    #expect(try turned.picture().size == Size(width: 48, height: 64))
    for tag in [0, 1, 9] {
      let upright = try jpeg(picture, exif: exifBlock(orientation: tag))
      let outcome = try Workbench(orient + same).process(upright, named: "a.jpg")
      #expect(try outcome.bytes() == upright, "\(tag)")
    }
  }

  @Test("a picture of several pages is no copy where the first is wanted")
  func pages() throws {
    let pages = [NaivePicture.synthetic(40, 30, bands: 1), .synthetic(20, 10, bands: 1)]
    let outcome = try Workbench(same).process(tiff(pages: pages), named: "a.tif")
    #expect(outcome.noteCodes == [.pagesDropped])
    #expect(try outcome.image().int("n-pages") ?? 1 == 1)
  }

  @Test("CMYK and Lab are kept by color = keep, and become sRGB otherwise")
  func otherColors() throws {
    let rgb = try NaivePicture.synthetic(32, 24).image()
    let cmyk = try rgb.colourspace(.cmyk).encoded(.jpeg)
    let lab = try rgb.colourspace(.lab).encoded(.tiff)
    // libvips writes Lab as floating point here.
    let cases: [([UInt8], String, Set<Note.Code>, Interpretation)] = [
      (cmyk, "a.jpg", [.colorConverted], .srgb),
      (lab, "a.tif", [.colorConverted, .depthReduced], .rgb16),
    ]
    for (bytes, name, codes, kind) in cases {
      let kept = try Workbench(same + "color = \"keep\"").process(bytes, named: name)
      #expect(kept.noteCodes == [.copied])
      #expect(try kept.bytes() == bytes)
      let converted = try Workbench(same).process(bytes, named: name)
      #expect(Set(converted.noteCodes) == codes)
      #expect(try converted.image().interpretation == kind)
    }
  }
}
