import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("JPEGs turned without loss", .vips, .jpegtran)
struct LosslessTurnTests {
  private static func profile(_ step: String = "") -> String {
    """
    [[step]]
    op = "orient"
    \(step)
    [[output]]
    name = "main"
    color = "keep"
    """
  }

  @Test("every coefficient is where jpegtran puts it", arguments: CoefficientFile.kinds, 2...8)
  func aligned(_ kind: CoefficientFile, _ tag: Int) throws {
    let bytes = try kind.bytes(96, 64, tag: tag)
    let outcome = try Workbench(Self.profile()).process(bytes, named: "a.jpg")
    let made = try outcome.bytes()
    #expect(outcome.noteCodes == [.lossless])
    let wanted = try #require(try JPEGTran.run(JPEGTran.turn(tag) + ["-perfect"], bytes))
    #expect(try coefficients(made) == coefficients(wanted))
    #expect(JPEGReading(made).isProgressive == kind.isProgressive)
    let record = try #require(outcome.result.outputs.first)
    #expect(
      Size(width: record.width, height: record.height)
        == (tag < 5 ? Size(width: 96, height: 64) : Size(width: 64, height: 96))
    )
  }

  @Test(
    "a turn that changes nothing but the tag keeps all coefficients",
    arguments: CoefficientFile.kinds
  )
  func tagAlone(_ kind: CoefficientFile) throws {
    let bytes = try kind.bytes(101, 67, tag: 6)
    let outcome = try Workbench(Self.profile("ignore-tag = true")).process(bytes, named: "a.jpg")
    #expect(try coefficients(outcome.bytes()) == coefficients(bytes))
    #expect(outcome.noteCodes == [.lossless])
    #expect(try stored(outcome.bytes(), .jpeg).int("orientation") == 1)
  }

  @Test(
    "an edge that is no whole MCU is turned where jpegtran can do it, and else encoded again",
    arguments: CoefficientFile.kinds,
    [(37, 32), (32, 22), (203, 133)]
  )
  func odd(_ kind: CoefficientFile, _ size: (Int, Int)) throws {
    let bench = try Workbench(Self.profile())
    for tag in 2...8 {
      let bytes = try kind.bytes(size.0, size.1, tag: tag)
      let file = try bench.folder.write(bytes, to: "in/a.jpg")
      let planned = try bench.probe(file)
      let outcome = try bench.process(file)
      let made = try outcome.bytes()
      if let wanted = try JPEGTran.run(JPEGTran.turn(tag) + ["-perfect"], bytes) {
        #expect(try coefficients(made) == coefficients(wanted), "\(tag)")
        #expect(outcome.noteCodes == [.lossless], "\(tag)")
        #expect(planned.notes.map(\.code) == [.lossless])
      } else {
        #expect(outcome.noteCodes.contains(.encodedAgain), "\(tag)")
        #expect(!outcome.noteCodes.contains(.lossless), "\(tag)")
        #expect(planned.notes.map(\.code) == outcome.noteCodes)
      }
      #expect(
        planned.sizes
          == outcome.result.outputs.map { PlannedSize(width: $0.width, height: $0.height) }
      )
    }
  }

  @Test(
    "trim drops the edge as jpegtran does, and says so",
    arguments: CoefficientFile.kinds,
    [(101, 67)]
  )
  func trimmed(_ kind: CoefficientFile, _ size: (Int, Int)) throws {
    let bench = try Workbench(Self.profile("lossless = \"trim\""))
    for tag in 2...8 {
      let bytes = try kind.bytes(size.0, size.1, tag: tag)
      let file = try bench.folder.write(bytes, to: "in/a.jpg")
      let outcome = try bench.process(file)
      let wanted = try #require(try JPEGTran.run(JPEGTran.turn(tag) + ["-trim"], bytes))
      let made = try outcome.bytes()
      #expect(try coefficients(made) == coefficients(wanted), "\(tag)")
      let isWhole = try JPEGTran.run(JPEGTran.turn(tag) + ["-perfect"], bytes) != nil
      #expect(outcome.noteCodes == (isWhole ? [.lossless] : [.trimmed, .lossless]), "\(tag)")
      let planned = try bench.probe(file)
      #expect(planned.notes.map(\.code) == outcome.noteCodes)
      let size = try #require(planned.sizes.first ?? nil)
      let record = try #require(outcome.result.outputs.first)
      #expect(size.width == record.width && size.height == record.height)
      #expect(size.cropBounds == record.cropBounds)
      #expect((record.cropBounds == nil) == isWhole)
    }
  }

  @Test("what is smaller than an MCU is not trimmed away")
  func tooSmall() throws {
    let bytes = try CoefficientFile.camera.bytes(7, 40, tag: 3)
    let outcome = try Workbench(Self.profile("lossless = \"trim\"")).process(bytes, named: "a.jpg")
    #expect(outcome.noteCodes.contains(.encodedAgain))
    #expect(outcome.result.outputs.first?.width == 7)
  }

  @Test("any turn does, told by an operation or by several")
  func turns() throws {
    let steps = [
      ("[[step]]\nop = \"rotate\"\nangle = 90", 6), ("[[step]]\nop = \"rotate\"\nangle = -90", 8),
      ("[[step]]\nop = \"orient\"\nmode = \"transverse\"", 7),
      (
        "[[step]]\nop = \"orient\"\nmode = \"rotate-90\"\n[[step]]\nop = \"orient\"\nmode = \"flip-horizontal\"",
        5
      ),
    ]
    let bytes = try CoefficientFile.camera.bytes(96, 64)
    for (step, tag) in steps {
      let outcome = try Workbench(step + "\n[[output]]\nname = \"main\"").process(
        bytes,
        named: "a.jpg"
      )
      let wanted = try #require(try JPEGTran.run(JPEGTran.turn(tag), bytes))
      #expect(try coefficients(outcome.bytes()) == coefficients(wanted), "\(step)")
    }
  }

  @Test("the file is at most 2 % larger than jpegtran's with all that the input says of itself")
  func length() throws {
    for seed in 1...4 {
      for progressive in [false, true] {
        let picture = NaivePicture.synthetic(320, 240, detail: Double(seed * 8))
        let plain = try picture.encoded(
          .jpeg,
          [.init("Q", .int(60 + 9 * seed)), .init("interlace", .bool(progressive))]
        )
        let bytes = inserting(0xe1, exifBlock(orientation: 6), into: plain)
        let wanted = try #require(try JPEGTran.run(JPEGTran.turn(6), bytes, copying: "all"))
        let made = try Workbench(Self.profile()).process(bytes, named: "a.jpg").bytes()
        #expect(Double(made.count) <= 1.02 * Double(wanted.count))
        #expect(try coefficients(made) == coefficients(wanted))
        #expect(JPEGReading(made).isProgressive == progressive)
      }
    }
  }
}
