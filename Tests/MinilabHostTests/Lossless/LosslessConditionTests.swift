import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// When blocks are moved, what else the file has then, and what is told.
@Suite("Conditions of JPEGs without loss", .vips)
struct LosslessConditionTests {
  private let orient = "[[step]]\nop = \"orient\"\n"

  private func codes(_ toml: String, _ bytes: [UInt8]) throws -> [Note.Code] {
    let outcome = try Workbench(toml).process(bytes, named: "a.jpg")
    _ = try outcome.bytes()
    return outcome.noteCodes
  }

  @Test(
    "an encoder option, another size, color, depth or resolution is a reason to encode, and no note",
    arguments: [
      "quality = 82", "progressive = true", "max-bytes = \"1MB\"", "resolution = 300",
      "format = \"png\"",
      "gray = \"color\"\ncolor = \"p3\"", "embed-profile = true", "kind = \"sheet\"",
      "[[output.step]]\nop = \"resize\"\nwidth = 10", "[[output.step]]\nop = \"blur\"\nsigma = 2",
      "[[output.step]]\nop = \"rotate\"\nangle = 3", "[[output.step]]\nop = \"pad\"\nborder = 8",
      "[[output.step]]\nop = \"crop\"\nframe-size = [30, 20]\nangle = 5",
      "[[output.step]]\nop = \"crop\"\nrect = [0, 0, 16, 16]\nlossless = \"never\"",
    ]
  )
  func encoded(_ reason: String) throws {
    let bytes = try CoefficientFile.camera.bytes(96, 64, tag: 6)
    let found = try codes(orient + "[[output]]\nname = \"main\"\n" + reason, bytes)
    #expect(!found.contains(.lossless))
    #expect(!found.contains(.encodedAgain))
    #expect(try codes(orient + "[[output]]\nname = \"main\"\n", bytes) == [.lossless])
  }

  @Test("12 bit and lossless JPEG are left to the decoder")
  func otherKinds() throws {
    var deep = try CoefficientFile.camera.bytes(96, 64)
    let frame = try #require(
      deep.indices.first {
        deep[$0...].starts(with: [0xff, 0xc0]) || deep[$0...].starts(with: [0xff, 0xc1])
      }
    )
    let file = try ScratchFolder()
    func unit(_ bytes: [UInt8]) throws -> Size? {
      let opened = try Descriptor(opening: file.write(bytes, to: "a.jpg"), 0)
      return try #require(try JPEGSegments(opened.number)).codedUnit
    }
    #expect(try unit(deep) == Size(width: 16, height: 16))
    for (place, value) in [(1, 0xc3), (1, 0xc5), (4, 12), (9, 0), (11, 0x02), (11, 0x50)]
      as [(Int, UInt8)]
    {
      let before = deep[frame + place]
      deep[frame + place] = value
      #expect(try unit(deep) == nil, "\(place) \(value)")
      deep[frame + place] = before
    }
  }

  @Test("an output without loss and others of the same unit stand side by side")
  func severalOutputs() throws {
    let toml =
      orient + """
        [[output]]
        name = "same"
        [[output]]
        name = "plain"
        metadata = "none"
        [[output]]
        name = "small"
        format = "png"
          [[output.step]]
          op = "resize"
          width = 32
        [[output]]
        name = "part"
          [[output.step]]
          op = "crop"
          rect = [16, 32, 20, 20]
        """
    let bytes = try CoefficientFile.camera.bytes(96, 64, tag: 8)
    let outcome = try Workbench(toml).process(bytes, named: "a.jpg")
    #expect(try coefficients(outcome.bytes(0)) == coefficients(outcome.bytes(1)))
    #expect(try outcome.bytes(1).count < outcome.bytes(0).count)
    #expect(try outcome.image(2).width == 32)
    #expect(try outcome.image(2).height == 48)
    let part = try Workbench(
      orient + "[[step]]\nop = \"crop\"\nrect = [16, 32, 20, 20]\n[[output]]\nname = \"main\""
    )
    .process(bytes, named: "a.jpg").bytes()
    #expect(try outcome.bytes(3) == part)
  }

  @Test("the same file comes out again, and turning four times gives the first coefficients")
  func again() throws {
    let bench = try Workbench(
      "[[step]]\nop = \"orient\"\nmode = \"rotate-90\"\n[[output]]\nname = \"main\""
    )
    let first = try CoefficientFile.camera.bytes(96, 64)
    #expect(
      try bench.process(first, named: "a.jpg").bytes()
        == bench.process(first, named: "b.jpg").bytes()
    )
    var bytes = first
    for _ in 0..<4 { bytes = try bench.process(bytes, named: "a.jpg").bytes() }
    #expect(try coefficients(bytes) == coefficients(first))
  }

  // MARK: What the file says of itself

  @Test("tags are true of the turned picture, and what showed it as it was is gone", .exiftool)
  func metadata() throws {
    let sample = try MetadataSample()
    let profile = Array("ICC_PROFILE\0".utf8) + [1, 1] + matrixProfile(.displayP3, gamma: 2.2)
    let plain = try NaivePicture.synthetic(64, 48).encoded(.jpeg, [.init("strip", .bool(true))])
    let thumbnail = try sample.folder.write(plain, to: "thumbnail.jpg")
    let second = Array("MPF\0".utf8) + [1, 2, 3]
    let file = try sample.file(
      inserting(0xe2, second, into: inserting(0xe2, profile, into: plain)) + plain,
      "a.jpg",
      MetadataSample.others + MetadataSample.place + ["-ThumbnailImage<=\(thumbnail.shown)"]
    )
    let outcome = try Workbench(
      orient
        + "[[output]]\nname = \"a\"\ncolor = \"keep\"\n[[output]]\nname = \"b\"\ncolor = \"keep\"\nmetadata = \"no-location\"\n"
        + "[[output]]\nname = \"c\"\ncolor = \"keep\"\nmetadata = \"none\""
    )
    .process(file)
    #expect(outcome.noteCodes == [.thumbnailDropped, .attachmentDropped, .lossless])
    for index in 0..<3 {
      let made = try outcome.bytes(index)
      #expect(try outcome.image(index).blob("icc-profile-data") == Array(profile.dropFirst(14)))
      #expect(!made.indices.contains { made[$0...].starts(with: Array("MPF\0".utf8)) })
      #expect(made.suffix(2) == [0xff, 0xd9])
      let tags = try sample.tags(outcome.files[index])
      #expect(tags.contains("[File] ImageWidth : 48") && tags.contains("[File] ImageHeight : 64"))
      #expect(!tags.contains { $0.contains("Thumbnail") })
      #expect(tags.contains("[IFD0] Orientation : 1") == (index < 2))
      #expect(tags.contains("[ExifIFD] ExifImageWidth : 48") == (index < 2))
      #expect(tags.contains("[ExifIFD] ExifImageHeight : 64") == (index < 2))
      #expect(tags.contains("[XMP-tiff] Orientation : 1") == (index < 2))
      #expect(tags.contains("[IFD0] Artist : José Ñandú") == (index < 2))
      #expect(tags.contains { $0.hasPrefix("[IPTC] Keywords") } == (index < 2))
      #expect(try sample.places(outcome.files[index]).isEmpty == (index > 0))
    }
  }

  @Test("the density of a picture with oblong pixels turns with it, and JFIF's thumbnail goes")
  func density() throws {
    let plain = try CoefficientFile.camera.bytes(96, 64)
    // libjpeg writes JFIF first, with 14 bytes.
    try #require(Array(plain[2..<6]) == [0xff, 0xe0, 0, 16])
    let jfif: [UInt8] = Array("JFIF\0".utf8) + [1, 2, 1, 0, 72, 1, 44, 1, 1, 9, 9, 9]
    let bytes = inserting(0xe0, jfif, into: Array(plain[..<2] + plain[20...]))
    for (mode, density) in [("rotate-90", [1, 44, 0, 72]), ("rotate-180", [0, 72, 1, 44])]
      as [(String, [UInt8])]
    {
      let made = try Workbench(
        "[[step]]\nop = \"orient\"\nmode = \"\(mode)\"\n[[output]]\nname = \"main\""
      )
      .process(bytes, named: "a.jpg").bytes()
      #expect(
        Array(made[2..<20]) == [0xff, 0xe0, 0, 16] + Array("JFIF\0".utf8) + [1, 2, 1] + density + [
          0, 0,
        ]
      )
    }
  }

  @Test("a gain map is left out, and that is told before and after")
  func gainMap() throws {
    let packet =
      Array("http://ns.adobe.com/xap/1.0/\0".utf8)
      + Array(
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
        xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"/></rdf:RDF></x:xmpmeta>
        """.utf8
      )
    let bytes = try inserting(0xe1, packet, into: CoefficientFile.camera.bytes(96, 64, tag: 6))
    let bench = try Workbench(orient + "[[output]]\nname = \"main\"")
    let file = try bench.folder.write(bytes, to: "in/a.jpg")
    #expect(try bench.probe(file).notes.map(\.code) == [.gainMapDropped, .lossless])
    let outcome = try bench.process(file)
    #expect(outcome.noteCodes == [.gainMapDropped, .lossless])
    let made = try outcome.bytes()
    #expect(!made.indices.contains { made[$0...].starts(with: Array("hdrgm:".utf8)) })
  }
}
