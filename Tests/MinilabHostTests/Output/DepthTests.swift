import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Field report 21 in full: a depth stays, or its loss is told.
@Suite("Depth of samples from input to output", .vips)
struct DepthTests {
  /// Levels between those of 8 bit.
  private static let fine = NaivePicture(width: 60, height: 40, bands: 3) { x, y, band in
    Double(1000 + x * 911 + y * 37 + band * 113)
  }

  private func processed(_ profile: String) throws -> Workbench.Outcome {
    try Workbench(profile).process(Self.fine.encoded(.png, deep: true), named: "a.png")
  }

  @Test("16 bit stay 16 bit where the format has them", arguments: ["png", "tiff", "jxl"])
  func kept(_ format: String) throws {
    let lossless = format == "jxl" ? "lossless = true\n" : ""
    let step = "[[step]]\nop = \"flatten\"\n"
    let outcome = try processed(step + "[[output]]\nformat = \"\(format)\"\n\(lossless)")
    let back = try outcome.image()
    #expect(back.format == .ushort)
    #expect(try NaivePicture(back).samples == Self.fine.samples)
  }

  @Test(
    "16 bit become 8 bit, rounded, with a note, where the format or the profile says so",
    arguments: [
      "format = \"jpeg\"\nquality = 100", "format = \"webp\"\nlossless = true",
      "format = \"gif\"", "format = \"avif\"\nlossless = true",
      "format = \"heif\"\nlossless = true", "format = \"png\"\nbit-depth = 8",
      "format = \"tiff\"\nbit-depth = 8", "format = \"jxl\"\nbit-depth = 8\nlossless = true",
      "format = \"png\"\npalette = true", "format = \"tiff\"\ncompression = \"jpeg\"",
    ]
  )
  func reduced(_ options: String) throws {
    let outcome = try processed("[[output]]\n\(options)\n")
    #expect(outcome.noteCodes == [.depthReduced])
    #expect(outcome.result.notes.first?.text.hasPrefix("16 bit became 8 bit, rounded, for") == true)
    let image = try outcome.image()
    #expect(image.format == .uchar)
    if options.contains("webp") || options.contains("bit-depth") {
      let nearest = Self.fine.samples.map { ($0 / 257).rounded() }
      #expect(try NaivePicture(image).samples == nearest)
    }
  }

  @Test("16 bit become 10 or 12, rounded, where AVIF and HEIC are told so")
  func between() throws {
    for (format, bits) in [("avif", 12), ("heif", 10), ("heif", 12)] {
      let outcome = try processed(
        "[[output]]\nformat = \"\(format)\"\nbit-depth = \(bits)\nlossless = true\n"
      )
      #expect(outcome.noteCodes == [.depthReduced])
      #expect(
        outcome.result.notes.first?.text.hasPrefix("16 bit became \(bits) bit, rounded") == true
      )
      let back = try outcome.image()
      #expect(back.format == .ushort)
      let step = Double(1 << (16 - bits))
      let levels = Double(1 << bits - 1)
      let worst =
        try zip(NaivePicture(back).samples, Self.fine.samples).map {
          abs($0 / step - $1 * levels / 65_535)
        }
        // Half a level of ours, and one of luma and chroma.
        .max() ?? .infinity
      #expect(worst <= 1.5, "\(format) \(bits): \(worst)")
    }
  }

  @Test(
    "8 bit become 16 where the profile says so, and nothing is lost",
    arguments: ["png", "tiff", "jxl"]
  )
  func raised(_ format: String) throws {
    let picture = NaivePicture.synthetic(30, 20, bands: 4)
    let lossless = format == "jxl" ? "lossless = true\n" : ""
    let outcome = try Workbench("[[output]]\nformat = \"\(format)\"\nbit-depth = 16\n" + lossless)
      .process(picture.encoded(.png), named: "a.png")
    #expect(outcome.noteCodes == [])
    let back = try outcome.picture()
    #expect(try back.samples == picture.image().pixels().map { Double($0) * 257 })
  }

  @Test("under 8 bit is a loss, too, whatever the picture had", arguments: [true, false])
  func shallow(_ deep: Bool) throws {
    let bytes = try NaivePicture.synthetic(30, 20, bands: 1).encoded(.png, deep: deep)
    let outcome = try Workbench("[[output]]\nformat = \"png\"\nbit-depth = 2\n").process(
      bytes,
      named: "a.png"
    )
    #expect(outcome.noteCodes == [.depthReduced])
    let bits = deep ? 16 : 8
    #expect(outcome.result.notes.first?.text == "\(bits) bit became 2 bit, rounded, for PNG")
    let colors = try NaivePicture.synthetic(30, 20).encoded(.png)
    let palette = try Workbench("[[output]]\nformat = \"png\"\nbit-depth = 2\n").process(
      colors,
      named: "a.png"
    )
    #expect(palette.result.notes.map(\.text) == ["8 bit became a palette of 2 bit for PNG"])
  }

  /// A step of every operation that takes one frame, in a form that changes pixels.
  private static let steps = [
    "op = \"adjust\"\nbrightness = 5", "op = \"blur\"\nsigma = 2",
    "op = \"caption\"\ntext = \"x\"", "op = \"compose\"\ncanvas = [70, 50]",
    "op = \"crop\"\nrect = [3, 3, 40, 30]", "op = \"flatten\"", "op = \"grayscale\"",
    "op = \"orient\"\nmode = \"rotate-90\"", "op = \"pad\"\nborder = 4",
    "op = \"resize\"\nwidth = 31", "op = \"rotate\"\nangle = 7",
    "op = \"shape-mask\"\nshape = \"ellipse\"\noutside = \"white\"", "op = \"sharpen\"",
    "op = \"thumbnail-preview\"\nmax-side = 25", "op = \"vips\"\noperation = \"invert\"",
  ]

  @Test("16 bit go through every operation", arguments: steps)
  func operations(_ step: String) throws {
    let outcome = try processed("[[step]]\n\(step)\n[[output]]\nformat = \"png\"\n")
    #expect(outcome.result.error == nil)
    #expect(!outcome.noteCodes.contains(.depthReduced))
    let image = try outcome.image()
    #expect(image.format == .ushort)
    // Not 8 bit that were made wide: those are multiples of 257.
    let samples = try image.pixels16()
    let between = samples.count { $0 % 257 != 0 }
    #expect(between * 3 > samples.count, "\(between) of \(samples.count)")
  }

  @Test("every operation that takes a frame is among these")
  func complete() {
    let tried = Set(Self.steps.compactMap { $0.split(separator: "\"").dropFirst().first })
    for operation in [OperationEntry].builtin where !operation.makesItems {
      #expect(tried.contains(Substring(operation.name)), "add a step of \(operation.name)")
    }
  }
}
