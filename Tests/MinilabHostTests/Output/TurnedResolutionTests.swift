import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Scans and faxes whose pixels are no squares.
@Suite("The resolution of a picture that is turned", .vips)
struct TurnedResolutionTests {
  /// 204 pixels an inch across and 98 down, as a fax has.
  private func fax(_ format: PictureFormat, tag: Int? = nil) throws -> [UInt8] {
    let picture = try NaivePicture.synthetic(64, 48).image()
    let image = try picture.copy([
      .init("xres", .double(204 / 25.4)), .init("yres", .double(98 / 25.4)),
    ])
    if let tag { image.set("orientation", int: tag) }
    return try image.encoded(format)
  }

  private func resolution(_ outcome: Workbench.Outcome, _ index: Int = 0) throws -> [Int] {
    let (across, down) = try outcome.image(index).resolution
    return [Int((across * 25.4).rounded()), Int((down * 25.4).rounded())]
  }

  private static let formats = ["jpeg", "png", "tiff"]

  private static func profile(_ steps: String) -> String {
    steps
      + formats.map {
        "[[output]]\nname = \"\($0)\"\nformat = \"\($0)\"\n"
          + ($0 == "jpeg" ? "quality = 90\n" : "")
      }
      .joined()
  }

  @Test(
    "It is exchanged by quarter turns, and by nothing else",
    arguments: [
      ("angle = 90", true), ("angle = 270", true), ("angle = 180", false), ("angle = 2", false),
      ("angle = 88", true),
    ]
  )
  func rotate(_ step: String, isTurned: Bool) throws {
    let wanted = isTurned ? [98, 204] : [204, 98]
    let bench = try Workbench(Self.profile("[[step]]\nop = \"rotate\"\n\(step)\n"))
    for format in [PictureFormat.png, .jpeg, .tiff] {
      let outcome = try bench.process(fax(format), named: "a.\(format.fileExtension)")
      for (index, name) in Self.formats.enumerated() {
        #expect(try resolution(outcome, index) == wanted, "\(format) \(name)")
      }
    }
  }

  @Test("So it is by the turn that a tag asks for, before and behind work on pixels")
  func tag() throws {
    let orient = "[[step]]\nop = \"orient\"\n"
    let blur = "[[step]]\nop = \"blur\"\nsigma = 1\n"
    let back = "[[step]]\nop = \"rotate\"\nangle = 90\n"
    for (steps, wanted) in [
      (orient, [98, 204]), (orient + blur, [98, 204]), (orient + blur + back, [204, 98]),
    ] {
      let outcome = try Workbench(Self.profile(steps)).process(fax(.jpeg, tag: 6), named: "a.jpg")
      for (index, name) in Self.formats.enumerated() {
        #expect(try resolution(outcome, index) == wanted, "\(steps) \(name)")
      }
    }
  }

  @Test("And where coded blocks are moved, in EXIF as in JFIF", .exiftool)
  func lossless() throws {
    let bench = try Workbench("[[step]]\nop = \"orient\"\n[[output]]\ncolor = \"keep\"\n")
    let sample = try MetadataSample()
    let groups = ["JFIF", "IFD0", "XMP-tiff"]
    let file = try sample.file(
      fax(.jpeg),
      "a.jpg",
      groups.flatMap { ["-\($0):XResolution=204", "-\($0):YResolution=98"] }
        + ["-IFD0:Orientation#=6"]
    )
    let outcome = try bench.process(file)
    #expect(outcome.noteCodes.contains(.lossless))
    _ = try outcome.bytes()
    let tags = try sample.tags(outcome.files[0])
    for group in groups {
      #expect(tags.contains("[\(group)] XResolution : 98"), "\(group): \(tags)")
      #expect(tags.contains("[\(group)] YResolution : 204"), "\(group): \(tags)")
    }
  }
}
