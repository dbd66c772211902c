import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("JPEGs cropped without loss", .vips, .jpegtran)
struct LosslessCropTests {
  private func profile(_ rectangle: PixelRectangle, _ key: String = "") -> String {
    """
    [[step]]
    op = "orient"
    [[step]]
    op = "crop"
    rect = [\(rectangle.x), \(rectangle.y), \(rectangle.width), \(rectangle.height)]
    \(key)
    [[output]]
    name = "main"
    color = "keep"
    """
  }

  @Test(
    "between MCUs every coefficient is where jpegtran puts it; elsewhere the picture is encoded"
  )
  func crops() throws {
    var dice = Dice(6)
    var moved = 0
    for kind in CoefficientFile.kinds {
      for tag in 1...8 {
        let bytes = try kind.bytes(96, 64, tag: tag)
        let turned = try #require(try JPEGTran.run(JPEGTran.turn(tag) + ["-perfect"], bytes))
        let size = tag < 5 ? Size(width: 96, height: 64) : Size(width: 64, height: 96)
        let unit = tag < 5 ? kind.unit : kind.unit.transposed
        for _ in 0..<2 {
          let x = dice.next(0...(size.width / 8 - 1)) * 8
          let y = dice.next(0...(size.height / 8 - 1)) * 8
          let box = PixelRectangle(
            x: x,
            y: y,
            width: dice.next(1...(size.width - x)),
            height: dice.next(1...(size.height - y))
          )
          let outcome = try Workbench(profile(box)).process(bytes, named: "a.jpg")
          let made = try outcome.bytes()
          let isAligned = x % unit.width == 0 && y % unit.height == 0
          #expect(outcome.noteCodes.contains(.lossless) == isAligned, "\(kind) \(tag) \(box)")
          #expect(outcome.noteCodes.contains(.encodedAgain) == !isAligned, "\(kind) \(tag) \(box)")
          let record = try #require(outcome.result.outputs.first)
          #expect(record.cropBounds == box)
          #expect(record.width == box.width && record.height == box.height)
          guard isAligned else { continue }
          moved += 1
          let wanted = try #require(try JPEGTran.run(JPEGTran.crop(box), turned))
          #expect(try coefficients(made) == coefficients(wanted), "\(kind) \(tag) \(box)")
        }
      }
    }
    #expect(moved > 60)
  }

  @Test("a turn makes whole what a crop has cut, and the other way round", arguments: 2...8)
  func edges(_ tag: Int) throws {
    // 203 × 133 fills no MCU at its right and bottom. Without those edges it can be turned.
    let kind = CoefficientFile.camera
    let bytes = try kind.bytes(203, 133, tag: tag)
    let whole = try #require(
      try JPEGTran.run(JPEGTran.crop(PixelRectangle(x: 0, y: 0, width: 192, height: 128)), bytes)
    )
    let size = Size(width: 203, height: 133)
    let upright = tag < 5 ? size : size.transposed
    // What a viewer sees of the stored left upper part.
    let left = [2, 3, 7, 8].contains(tag) ? 11 : 0
    let top = [3, 4, 6, 7].contains(tag) ? 5 : 0
    let (x, y) = tag < 5 ? (left, top) : (top, left)
    let box = PixelRectangle(x: x, y: y, width: tag < 5 ? 192 : 128, height: tag < 5 ? 128 : 192)
    #expect(PixelRectangle(upright).contains(box))
    let outcome = try Workbench(profile(box)).process(bytes, named: "a.jpg")
    let wanted = try #require(try JPEGTran.run(JPEGTran.turn(tag) + ["-perfect"], whole))
    #expect(try coefficients(outcome.bytes()) == coefficients(wanted))
    #expect(outcome.noteCodes == [.lossless])
  }

  @Test("trim moves the left and top edge to the next MCU, and says so in the plan and the report")
  func trimmed() throws {
    let bytes = try CoefficientFile.camera.bytes(96, 64)
    let box = PixelRectangle(x: 3, y: 16, width: 50, height: 41)
    let bench = try Workbench(profile(box, "lossless = \"trim\""))
    let file = try bench.folder.write(bytes, to: "in/a.jpg")
    let planned = try bench.probe(file)
    let outcome = try bench.process(file)
    let rest = PixelRectangle(x: 16, y: 16, width: 37, height: 41)
    let wanted = try #require(try JPEGTran.run(JPEGTran.crop(rest), bytes))
    #expect(try coefficients(outcome.bytes()) == coefficients(wanted))
    #expect(outcome.noteCodes == [.trimmed, .lossless])
    #expect(planned.notes.map(\.code) == [.trimmed, .lossless])
    #expect(planned.sizes == [PlannedSize(width: 37, height: 41, cropBounds: rest)])
    #expect(outcome.result.outputs.first?.cropBounds == rest)
    let text = try #require(outcome.result.notes.first?.text)
    #expect(text == "cut off: 13 pixels at the left, beside the blocks of 16 × 16")
  }

  @Test("of several steps that ask, never comes before trim, and trim before perfect")
  func strictest() throws {
    let bytes = try CoefficientFile.camera.bytes(96, 64, tag: 3)
    let words = ["perfect", "trim", "never"]
    for (first, one) in words.enumerated() {
      for (second, other) in words.enumerated() {
        let toml = """
          [[step]]
          op = "orient"
          lossless = "\(one)"
          [[step]]
          op = "crop"
          rect = [3, 0, 80, 64]
          lossless = "\(other)"
          [[output]]
          name = "main"
          """
        let codes = try Workbench(toml).process(bytes, named: "a.jpg").noteCodes
        let wanted: [[Note.Code]] = [[.encodedAgain], [.trimmed, .lossless], []]
        #expect(codes == wanted[max(first, second)], "\(one) \(other)")
      }
    }
  }

  @Test("where a crop looks at the picture, what it finds does not decide how the file is made")
  func attention() throws {
    let bytes = try NaivePicture.synthetic(64, 48).encoded(.jpeg)
    for gravity in ["attention", "entropy"] {
      let toml =
        "[[step]]\nop = \"crop\"\nsize = [60, 44]\ngravity = \"\(gravity)\"\n[[output]]\nname = \"main\""
      #expect(try Workbench(toml).process(bytes, named: "a.jpg").noteCodes == [])
    }
    let whole =
      "[[step]]\nop = \"orient\"\nmode = \"rotate-90\"\n[[step]]\nop = \"crop\"\nsize = [48, 64]\ngravity = \"attention\"\n[[output]]\nname = \"main\""
    #expect(try Workbench(whole).process(bytes, named: "a.jpg").noteCodes == [.lossless])
  }
}
