import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Masks through the whole way of a picture: decoded, masked, laid on the output's background,
/// encoded.
@Suite("Masked pictures, from file to file", .vips)
struct ShapeMaskRunTests {
  private let mask = "[[step]]\nop = \"shape-mask\"\nshape = \"ellipse\"\nwidth = 60.5\n"

  private func gray(_ width: Int = 80, _ height: Int = 80) -> NaivePicture {
    NaivePicture(width: width, height: height, bands: 3) { _, _, _ in 140 }
  }

  /// Lossless, so that levels can be told.
  private let toPNG = "[[output]]\nname = \"png\"\nformat = \"png\"\n"

  @Test("no pixel is brighter than the gray picture, on black (field report 13)")
  func noHalo() throws {
    let flattened = mask + "[[step]]\nop = \"flatten\"\nbackground = \"black\"\n"
    let direct = mask + "outside = \"black\"\n"
    for steps in [flattened, direct] {
      let outcome = try Workbench(steps + toPNG).process(gray().encoded(.png), named: "a.png")
      let made = try outcome.picture()
      #expect(made.bands == 3)
      #expect(made.samples.max() == 140 && made.samples.min() == 0)
      #expect(Set(made.samples).count > 20)
    }
    // The way over alpha is the same picture.
    let both = try [flattened, direct].map {
      try Workbench($0 + toPNG).process(gray().encoded(.png), named: "a.png").picture()
    }
    #expect(both[0].greatestDifference(from: both[1]) <= 1)
  }

  @Test("the output's background fills, exactly in the corners, with a note (field report 13)")
  func background() throws {
    let bench = try Workbench(
      mask + "[[output]]\nname = \"jpeg\"\nformat = \"jpeg\"\nbackground = \"red\"\nquality = 100\n"
    )
    let outcome = try bench.process(gray().encoded(.png), named: "a.png")
    let made = try outcome.picture()
    #expect(made.bands == 3)
    for (x, y) in [(0, 0), (79, 0), (0, 79), (79, 79)] {
      // JPEG's own color is a level off: (254, 0, 0) is its red.
      #expect(made.pixel(x, y)[0] >= 254 && made.pixel(x, y)[1] == 0 && made.pixel(x, y)[2] == 0)
    }
    #expect(outcome.noteCodes.contains(.alphaFlattened))
    let note = try #require(outcome.result.notes.first { $0.code == .alphaFlattened })
    #expect(note.text.contains("\"red\""))
    // No note where nothing became transparent.
    let opaque = try Workbench(
      mask + "outside = \"red\"\n[[output]]\nname = \"jpeg\"\nformat = \"jpeg\"\n"
    )
    #expect(
      try !opaque.process(gray().encoded(.png), named: "a.png").noteCodes.contains(.alphaFlattened)
    )
  }

  @Test("steps are done in their order (field report 13)")
  func order() throws {
    let flatten = "[[step]]\nop = \"flatten\"\nbackground = \"blue\"\n"
    func corner(_ steps: String) throws -> [Double] {
      try Workbench(steps + toPNG).process(gray().encoded(.png), named: "a.png").picture()
        .pixel(0, 0)
    }
    #expect(try corner(mask + flatten) == [0, 0, 255])
    // Flattened first: what the mask cuts away afterwards is transparent.
    #expect(try corner(flatten + mask).last == 0)
    // A mask on a mask: both count.
    let second = mask + "outside = \"red\"\n" + "[[step]]\nop = \"shape-mask\"\nid = \"b\"\n"
    #expect(try corner(second + "shape = \"rectangle\"\nwidth = 90\ninvert = true\n").last == 0)
  }

  @Test("a masked picture made smaller shows no halo (field reports 11 and 13)")
  func resized() throws {
    for soft in ["", "feather = 4\n"] {
      let steps = mask + soft + "[[step]]\nop = \"resize\"\nwidth = 19\n"
      let made = try Workbench(steps + toPNG).process(gray().encoded(.png), named: "a.png")
        .picture()
      for y in 0..<made.height {
        for x in 0..<made.width where made.pixel(x, y)[3] > 8 {
          for band in 0..<3 { #expect(abs(made[x, y, band] - 140) <= 1) }
        }
      }
    }
  }

  @Test("only the first page of an animation is masked, with a note, or none (field report 15)")
  func animation() throws {
    let page = try gray(40, 30).image()
    let strip = try page.joinedBelow(page).copy()
    strip.set("page-height", int: 30)
    let bytes = try strip.encoded(.gif)
    let outcome = try Workbench(mask + toPNG).process(bytes, named: "a.gif")
    #expect(try outcome.picture().size == Size(width: 40, height: 30))
    #expect(outcome.noteCodes.contains(.pagesDropped))
    let strict = try Workbench("[input]\npages = \"reject\"\n" + mask + toPNG)
    #expect(try strict.process(bytes, named: "a.gif").result.error?.code == .pagesRejected)
  }

  @Test("planning says the size of a trimmed picture without pixels")
  func planned() throws {
    let bench = try Workbench(mask + "trim = true\n" + toPNG)
    let path = try bench.folder.write(gray().encoded(.png), to: "in/a.png")
    let probed = try bench.probe(path)
    #expect(probed.sizes.map { $0?.width } == [62] && probed.sizes.map { $0?.height } == [62])
    let made = try bench.process(path).picture()
    #expect(made.size == Size(width: 62, height: 62))
    #expect(made.pixel(31, 31) == [140, 140, 140, 255] && made.pixel(0, 0)[3] == 0)
  }

  @Test("a shape off the picture is found while planning")
  func refused() throws {
    let bench = try Workbench(mask + "center = [-100, 0]\n" + toPNG)
    let path = try bench.folder.write(gray().encoded(.png), to: "in/a.png")
    #expect(try bench.probe(path).error?.code == .shapeOutside)
    let error = try bench.process(path).result.error
    #expect(error?.code == .shapeOutside && error?.step == "shape-mask")
  }
}

extension Image {
  fileprivate func joinedBelow(_ other: Image) throws -> Image {
    let call = try OperationCall("join")
    try call.set("in1", .image(self))
    try call.set("in2", .image(other))
    try call.set("direction", .enumeration("vertical"))
    return try call.run().image
  }
}
