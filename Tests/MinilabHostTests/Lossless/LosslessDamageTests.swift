import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Reading coefficients finds what decoding finds.
@Suite("Damaged JPEGs without loss", .vips)
struct LosslessDamageTests {
  private func profile(_ damaged: String = "reject") -> String {
    "[input]\ndamaged = \"\(damaged)\"\n[[step]]\nop = \"orient\"\n[[output]]\nname = \"main\""
  }

  private static func damage(_ bytes: [UInt8], _ kind: String) -> [UInt8] {
    let half = bytes.count / 2
    return switch kind {
    case "cut off": Array(bytes.prefix(half))
    case "an end in the middle": Array(bytes.prefix(half)) + [0xff, 0xd9]
    default:
      Array(bytes.prefix(half)) + [UInt8](repeating: 0xfe, count: 64) + bytes.dropFirst(half + 64)
    }
  }

  @Test(
    "rows that are missing or cannot be read are found, and used where the profile wants it (field report 27)",
    arguments: ["cut off", "an end in the middle", "other bytes"]
  )
  func damaged(_ kind: String) throws {
    let plain = try NaivePicture.synthetic(320, 240, detail: 20).encoded(.jpeg)
    let bytes = Self.damage(inserting(0xe1, exifBlock(orientation: 6), into: plain), kind)
    let refused = try Workbench(profile()).process(bytes, named: "a.jpg")
    #expect(refused.result.error?.code == .damaged)
    #expect(refused.result.outputs.isEmpty)
    let used = try Workbench(profile("warn")).process(bytes, named: "a.jpg")
    // The saver of these bytes has put EXIF into them, too.
    #expect(used.noteCodes.filter { $0 != .metadataDropped } == [.damaged, .lossless])
    // What is written is whole.
    _ = try coefficients(used.bytes())
    #expect(try used.image().width == 240)
  }

  @Test("damage that makes numbers no JPEG can hold is found, and else the picture is decoded")
  func impossible() throws {
    var dice = Dice(11)
    var encoded = 0
    for seed in 1...60 {
      var bytes = try CoefficientFile.camera.bytes(96, 64, seed: seed, tag: 6)
      let scan = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xff, 0xda]) })
      for _ in 0..<20 {
        bytes[dice.next((scan + 14)...(bytes.count - 3))] = UInt8(dice.next(0...254))
      }
      let used = try Workbench(profile("warn")).process(bytes, named: "a.jpg")
      guard used.noteCodes.contains(.encodedAgain) else { continue }
      encoded += 1
      #expect(used.noteCodes.contains(.damaged))
      #expect(try used.image().width == 64)
      let refused = try Workbench(profile()).process(bytes, named: "a.jpg")
      #expect(refused.result.error?.code == .damaged)
      #expect(!refused.noteCodes.contains(.encodedAgain))
    }
    #expect(encoded > 0)
  }

  @Test("what every viewer passes over is told, and no more (field report 27)")
  func oddities() throws {
    let plain = try CoefficientFile.camera.bytes(96, 64, tag: 6)
    // Bytes before the first scan that belong to nothing.
    let scan = try #require(plain.indices.first { plain[$0...].starts(with: [0xff, 0xda]) })
    let odd = Array(plain[..<scan]) + [1, 2, 3] + plain[scan...]
    let outcome = try Workbench(profile()).process(odd, named: "a.jpg")
    #expect(outcome.result.error == nil)
    #expect(outcome.noteCodes == [.decoderWarned, .lossless])
    _ = try coefficients(outcome.bytes())
  }

  @Test("a header that claims far more than the file can hold costs nothing")
  func bomb() throws {
    var bytes = try CoefficientFile.camera.bytes(96, 64, tag: 6)
    let frame = try #require(
      bytes.indices.first { bytes[$0...].starts(with: [0xff, 0xc0, 0, 17]) }
    )
    // 16384 × 16384.
    for place in [5, 7] { (bytes[frame + place], bytes[frame + place + 1]) = (64, 0) }
    let file = try ScratchFolder()
    let input = try Descriptor(opening: file.write(bytes, to: "a.jpg"), O_RDONLY)
    let output = try Descriptor(opening: file.write("", to: "b.jpg"), O_RDWR)
    let size = Size(width: 16_384, height: 16_384)
    // With memory for all blocks it would be filled in.
    let move = PixelMove(rectangle: PixelRectangle(size), orientation: .right)
    #expect(
      try BlockMove(move, of: size).run(from: input.number, to: output.number, head: [])
        == .unreadable
    )
    let refused = try Workbench(profile()).process(bytes, named: "a.jpg")
    #expect(refused.result.error?.code == .damaged)
  }

  @Test("thousands of scans are not read")
  func scans() throws {
    let file = CoefficientFile.kinds.first {
      $0.isProgressive && $0.testDescription.contains("4:2:0")
    }
    let bytes = try #require(file).bytes(96, 64, tag: 6)
    // The last scan, again and again.
    let scans = bytes.indices.filter { bytes[$0...].starts(with: [0xff, 0xda]) }
    let last = try #require(scans.last)
    var many = Array(bytes.dropLast(2))
    for _ in 0..<200 { many += bytes[last...].dropLast(2) }
    many += [0xff, 0xd9]
    let refused = try Workbench(profile()).process(many, named: "a.jpg")
    #expect(refused.result.error?.code == .damaged)
  }

  @Test("random damage never does more than be found", arguments: 0..<40)
  func fuzz(_ seed: Int) throws {
    var dice = Dice(UInt32(seed))
    let kind = dice.pick(CoefficientFile.kinds)
    var bytes = try kind.bytes(
      dice.next(1...90),
      dice.next(1...90),
      seed: seed,
      tag: dice.next(2...8)
    )
    for _ in 0..<dice.next(1...6) {
      bytes[dice.next(2...(bytes.count - 1))] = UInt8(dice.next(0...255))
    }
    if dice.next(0...2) == 0 { bytes = Array(bytes.prefix(dice.next(20...bytes.count))) }
    let outcome = try Workbench(profile("warn")).process(bytes, named: "a.jpg")
    if outcome.result.error == nil { _ = try outcome.image().average() }
  }

  // MARK: System calls

  private func move(_ bytes: [UInt8]) throws -> (BlockMove.Outcome, [UInt8]) {
    let folder = try ScratchFolder()
    let input = try Descriptor(opening: folder.write(bytes, to: "a.jpg"), O_RDONLY)
    let path = try folder.write("", to: "b.jpg")
    let output = try Descriptor(opening: path, O_RDWR)
    let size = Size(width: 96, height: 64)
    let move = PixelMove(rectangle: PixelRectangle(size), orientation: .left)
    let outcome = try BlockMove(move, of: size).run(from: input.number, to: output.number, head: [])
    return (outcome, try contents(of: path))
  }

  @Test("short reads and writes give the same file")
  func shortCalls() throws {
    let bytes = try CoefficientFile.camera.bytes(96, 64)
    let (outcome, wanted) = try move(bytes)
    #expect(outcome == .whole)
    #expect(try shortening(.read, to: 7) { try move(bytes) }.1 == wanted)
    #expect(try shortening(.write, to: 5) { try move(bytes) }.1 == wanted)
  }

  @Test("a full disk is told as such, and nothing is left")
  func fullDisk() throws {
    let bench = try Workbench(profile())
    let bytes = try CoefficientFile.camera.bytes(96, 64, tag: 6)
    let outcome = try failing(.write, ENOSPC) { try bench.process(bytes, named: "a.jpg") }
    #expect(outcome.result.error?.code == .diskFull)
    #expect(try bench.outputNames() == [])
    #expect(try bench.leftovers() == [])
  }

  @Test("a device that cannot be read is told as such")
  func unreadable() throws {
    let bytes = try CoefficientFile.camera.bytes(96, 64)
    #expect(throws: SystemError(call: .read, number: EIO)) {
      try failing(.read, EIO) { try move(bytes) }
    }
  }

  @Test("another picture under the file's name is not moved by the old one's measures")
  func otherSize() throws {
    #expect(try move(CoefficientFile.camera.bytes(64, 96)).0 == .impossible)
    #expect(try move(CoefficientFile.camera.bytes(97, 64)).0 == .impossible)
  }
}
