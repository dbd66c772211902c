import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Notes and errors that nothing else provokes: a code that nothing gives is no code.
@Suite("What a report tells of losses and failures", .vips)
struct LossTests {
  private func output(_ format: String) -> String { "[[output]]\nformat = \"\(format)\"\n" }

  @Test("a decoder that warned and read all is told of that file only")
  func decoderWarned() throws {
    let bytes = try NaivePicture.synthetic(64, 48).encoded(.jpeg, [.init("strip", .bool(true))])
    var junk = bytes
    junk.insert(contentsOf: [1, 2, 3], at: 4 + Int(bytes[4]) << 8 + Int(bytes[5]))
    let bench = try Workbench(output("png"))
    let outcome = try bench.process(junk, named: "a.jpg")
    #expect(outcome.noteCodes == [.decoderWarned])
    #expect(try bench.process(bytes, named: "b.jpg").noteCodes == [])
  }

  @Test(
    "with damaged = warn what could be read is used, with a note, and a whole file has none",
    arguments: [PictureFormat.png, .tiff, .gif, .avif]
  )
  func damaged(_ format: PictureFormat) throws {
    var dice = Dice(11)
    let noise = NaivePicture(width: 64, height: 64, bands: 3) { _, _, _ in
      Double(dice.next(0...255))
    }
    let codec = format == .avif ? [Argument("compression", .enumeration("av1"))] : []
    let bytes = try noise.encoded(format, codec)
    let bench = try Workbench("[input]\ndamaged = \"warn\"\n" + output("webp"))
    let whole = try bench.process(bytes, named: "a.\(format.fileExtension)")
    #expect(whole.result.status == .done)
    #expect(!whole.noteCodes.contains(.damaged))
    let cut = try bench.process(
      Array(bytes.prefix(bytes.count * 4 / 5)),
      named: "b.\(format.fileExtension)"
    )
    // Some decoders give nothing of such a file.
    if cut.result.status == .done {
      #expect(cut.noteCodes.contains(.damaged), "\(cut.result)")
    } else {
      #expect(cut.result.error?.code == .damaged)
    }
  }

  @Test("a gain map is lost where the picture is encoded, and kept in a copy")
  func gainMap() throws {
    let xmp = """
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
      xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
      xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"/></rdf:RDF></x:xmpmeta>
      """
    let plain = try NaivePicture.synthetic(32, 24).encoded(.jpeg, [.init("strip", .bool(true))])
    let bytes = inserting(0xe1, Array("http://ns.adobe.com/xap/1.0/\0\(xmp)".utf8), into: plain)
    let encoded = try Workbench(output("png")).process(bytes, named: "a.jpg")
    #expect(encoded.noteCodes == [.gainMapDropped])
    let copied = try Workbench(output("jpeg")).process(bytes, named: "a.jpg")
    #expect(copied.noteCodes == [.copied])
    let without = try Workbench(output("png")).process(plain, named: "a.jpg")
    #expect(without.noteCodes == [])
  }

  @Test("metadata that a format cannot carry is told")
  func metadata() throws {
    let format = "gif"
    let bytes = try jpeg(.synthetic(32, 24), exif: exifBlock(orientation: 1))
    let outcome = try Workbench(output(format)).process(bytes, named: "a.jpg")
    #expect(outcome.noteCodes == [.metadataDropped])
    #expect(outcome.result.notes.first?.text.hasPrefix("EXIF could not be written") == true)
    // Where none is wanted none is lost.
    let none = try Workbench(output(format) + "metadata = \"none\"")
      .process(bytes, named: "a.jpg")
    #expect(none.noteCodes == [])
  }

  @Test(
    "IPTC is in the output or told as lost, and never half of it",
    arguments: ["jpeg", "png", "webp", "tiff", "gif", "avif", "heif", "jxl"]
  )
  func iptc(_ format: String) throws {
    let image = try NaivePicture.synthetic(32, 24).image().copy()
    // Version 4 of the record, and a keyword (IPTC-IIM 2:00 and 2:25).
    let records: [UInt8] = [0x1c, 2, 0, 0, 2, 0, 4, 0x1c, 2, 25, 0, 3] + Array("sea".utf8)
    let resource = Array("Photoshop 3.0\08BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(records.count)]
    image.set("iptc-data", blob: resource + records + [0])
    let bytes = try image.encoded(.jpeg)
    // Named options: a copy would prove nothing.
    let options = format == "jpeg" ? "quality = 90\n" : ""
    let outcome = try Workbench(output(format) + options).process(bytes, named: "a.jpg")
    let holdsIPTC = format == "jpeg" || format == "tiff"
    let isLost = outcome.result.notes.contains {
      $0.code == .metadataDropped && $0.text.contains("IPTC could not be written to")
    }
    #expect(isLost == !holdsIPTC)
    // A TIFF has the data sets alone.
    let whole = format == "jpeg" ? resource + records + [0] : format == "tiff" ? records : nil
    #expect(try outcome.image().blob("iptc-data") == whole)
  }

  @Test("a step that libvips refuses is named, and leaves no file")
  func operationFailed() throws {
    // Red, green and blue are bands 0 to 2.
    let bench = try Workbench(
      "[[step]]\nid = \"bands\"\nop = \"vips\"\noperation = \"extract_band\"\nband = 3\n"
        + output("png")
    )
    let outcome = try bench.process(
      NaivePicture.synthetic(16, 12).encoded(.png),
      named: "a.png"
    )
    #expect(outcome.result.status == .failed)
    #expect(outcome.result.error?.code == .operationFailed)
    #expect(outcome.result.error?.step == "bands")
    #expect(outcome.result.error?.text.hasPrefix("bands: expected ") == true)
    #expect(try bench.outputNames() == [])
    #expect(try bench.leftovers() == [])
  }

  @Test("a format that is read and not written is told by the worker, too")
  func notWritten() throws {
    let pixels = Array("P5 2 2 255\n".utf8) + [0, 80, 160, 240]
    let bench = try Workbench("[input]\nformats = \"all\"\n[[output]]\nname = \"same\"\n")
    let outcome = try bench.process(pixels, named: "a.pgm")
    #expect(outcome.result.error?.code == .formatNotWritten)
    #expect(try bench.outputNames() == [])
  }

  @Test("a file that has gone since the walk fails alone")
  func gone() throws {
    let bench = try Workbench(output("png"))
    let missing = bench.folder.path.appending("in/none.jpg")
    let unit = bench.processor.process(
      UnitRequest(id: 1, input: missing, format: .jpeg, outputs: [Path("a.png")])
    )
    #expect(unit.finish().error?.code == .unreadable)
    let probe = bench.processor.probe(ProbeRequest(id: 1, input: missing, format: .jpeg))
    #expect(probe.error?.code == .unreadable)
  }

  @Test("an output that a step leaves out is none of the plan's, whatever its format could hold")
  func leftOut() throws {
    let bench = try Workbench(
      """
      [[output]]
      name = "small"
      format = "webp"
        [[output.step]]
        op = "thumbnail-preview"
        max-side = 20000
        within-limit = "skip"
      [[output]]
      name = "full"
      format = "png"
      """
    )
    // Too wide for WebP.
    let bytes = try NaivePicture(width: 17_000, height: 2, bands: 1) { x, _, _ in
      Double(x % 256)
    }
    .encoded(.png)
    let probed = try bench.probe(bench.folder.write(bytes, to: "in/a.png"))
    #expect(probed.error == nil)
    #expect(probed.leftOut == [0])
    #expect(probed.sizes == Array(repeating: PlannedSize(width: 17_000, height: 2), count: 2))
    let outcome = try bench.process(bytes, named: "a.png")
    #expect(outcome.result.status == .done)
    #expect(outcome.result.outputs.map(\.format) == [.png])
    #expect(outcome.noteCodes == [.withinLimit, .copied])
    // Where every output is left out, so is the picture.
    let only = try Workbench(
      output("png") + "[[output.step]]\nop = \"thumbnail-preview\"\nwithin-limit = \"skip\"\n"
    )
    let skipped = try only.process(NaivePicture.synthetic(16, 12).encoded(.png), named: "a.png")
    #expect(skipped.result.status == .skipped)
    #expect(skipped.result.reason == .withinLimit)
    #expect(try only.outputNames() == [])
  }
}
