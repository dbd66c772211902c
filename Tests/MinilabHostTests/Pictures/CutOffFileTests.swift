import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Files that end early", .vips)
struct CutOffFileTests {
  private static let warning = "[input]\ndamaged = \"warn\"\n"
  private static let toPNG = "[[output]]\nformat = \"png\"\nprogressive = false\n"

  // MARK: By their end mark alone

  private static let marks: [PictureFormat: Int] = [.jpeg: 2, .png: 12]

  @Test(
    "without their end mark they are damaged, though all pixels are there",
    arguments: [PictureFormat.jpeg, .png],
    [toPNG, "[[output]]\n"]
  )
  func withoutMark(_ format: PictureFormat, _ output: String) throws {
    let bytes = try NaivePicture.synthetic(64, 48).encoded(format)
    let cut = Array(bytes.dropLast(try #require(Self.marks[format])))
    let name = "a.\(format.fileExtension)"
    let refused = try Workbench(output).process(cut, named: name).result.error
    #expect(refused?.code == .damaged)
    #expect(refused?.expected == "a complete \(format.shown) picture")
    #expect(refused?.received.hasPrefix("a file that ends before its end mark (") == true)
    let used = try Workbench(Self.warning + output).process(cut, named: name)
    #expect(try used.picture() == NaivePicture(stored(bytes, format)))
    #expect(used.noteCodes.filter { $0 == .damaged }.count == 1)
    #expect(!used.noteCodes.contains(.decoderWarned))
  }

  @Test("A file whose pixels are not all there is told of in the same words")
  func half() throws {
    for format in [PictureFormat.jpeg, .png] {
      let bytes = try NaivePicture.synthetic(64, 48).encoded(format)
      let half = Array(bytes.prefix(bytes.count * 3 / 4))
      let error = try Workbench(Self.toPNG).process(half, named: "a").result.error
      #expect(error == EndMark.missing(format))
    }
  }

  @Test("What stands behind the mark harms nothing")
  func behindMark() throws {
    for format in [PictureFormat.jpeg, .png] {
      let bytes = try NaivePicture.synthetic(64, 48).encoded(format) + [0, 0, 0, 1, 2, 3]
      let outcome = try Workbench(Self.toPNG).process(bytes, named: "a")
      #expect(outcome.result.error == nil)
      #expect(!outcome.noteCodes.contains(.damaged))
    }
  }

  @Test("A JPEG that is broken before its end is not told to lack its mark")
  func broken() throws {
    let bytes = try NaivePicture.synthetic(400, 300).encoded(.jpeg)
    let broken = Array(bytes.prefix(bytes.count / 2)) + [0xff, 0xd9]
    let error = try Workbench(Self.toPNG).process(broken, named: "a.jpg").result.error
    #expect(error == PictureProcessor.damaged(.jpeg))
  }

  // MARK: TIFF

  private static let gray = NaivePicture(width: 16, height: 12, bands: 1) { x, y, _ in
    Double(10 + (x * 5 + y * 13) % 240)
  }
  /// Of strips in `tiff`.
  private static let stripHeight = 3

  /// Gray, its directory before its pixels; packed as literal runs where it is compressed.
  private func tiff(isPacked: Bool) -> [UInt8] {
    let picture = Self.gray
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(value >> ($0 * 8) & 255) }
    }
    let strips = stride(from: 0, to: picture.height, by: Self.stripHeight).map { top in
      (top..<(top + Self.stripHeight)).flatMap { y -> [UInt8] in
        let row = (0..<picture.width).map { UInt8(picture[$0, y, 0]) }
        return isPacked ? [UInt8(row.count - 1)] + row : row
      }
    }
    let entries = 9
    let lists = 8 + 2 + entries * 12 + 4
    let pixels = lists + strips.count * 8
    let places = strips.indices.map { pixels + strips[..<$0].joined().count }
    var file = Array("II*\0".utf8) + number(8, 4) + number(entries, 2)
    for (tag, count, value) in [
      (256, 1, picture.width), (257, 1, picture.height), (258, 1, 8),
      (259, 1, isPacked ? 32_773 : 1), (262, 1, 1), (273, strips.count, lists), (277, 1, 1),
      (278, 1, Self.stripHeight), (279, strips.count, lists + strips.count * 4),
    ] {
      file += number(tag, 2) + number(4, 2) + number(count, 4) + number(value, 4)
    }
    file += number(0, 4) + places.flatMap { number($0, 4) }
    file += strips.flatMap { number($0.count, 4) }
    return file + strips.joined()
  }

  /// The picture with black where `isThere` is false.
  private func picture(_ isThere: (_ x: Int, _ y: Int) -> Bool) -> NaivePicture {
    NaivePicture(width: Self.gray.width, height: Self.gray.height, bands: 1) { x, y, _ in
      isThere(x, y) ? Self.gray[x, y, 0] : 0
    }
  }

  private func used(_ bytes: [UInt8]) throws -> NaivePicture {
    let refused = try Workbench(Self.toPNG).process(bytes, named: "a.tif")
    #expect(refused.result.error?.code == .damaged)
    let outcome = try Workbench(Self.warning + Self.toPNG).process(bytes, named: "a.tif")
    #expect(outcome.noteCodes == [.damaged])
    return try outcome.picture()
  }

  @Test("A TIFF shows all pixels that are there, and black for the others")
  func plain() throws {
    let whole = tiff(isPacked: false)
    let untouched = try Workbench(Self.warning + Self.toPNG).process(whole, named: "a.tif")
    #expect(try untouched.picture() == Self.gray)
    #expect(untouched.noteCodes == [])
    for missing in [1, 20, 50, 16 * 12 - 1] {
      let there = 16 * 12 - missing
      #expect(try used(whole.dropLast(missing)) == picture { x, y in y * 16 + x < there })
    }
  }

  @Test("Compressed data that makes no sense fails, for nothing is known of what follows it")
  func senseless() throws {
    let deflated = [Argument("compression", .enumeration("deflate"))]
    var bytes = try NaivePicture.synthetic(64, 48).encoded(.tiff, deflated)
    // The pixels come first.
    bytes.replaceSubrange(8..<40, with: [UInt8](repeating: 0xff, count: 32))
    let failed = try Workbench(Self.warning + Self.toPNG).process(bytes, named: "a.tif")
    #expect(failed.result.error == PictureProcessor.damaged(.tiff))
  }

  @Test("Of a compressed TIFF the rows are used that stand above the strip that is cut off")
  func packed() throws {
    let whole = tiff(isPacked: true)
    #expect(try used(whole.dropLast(1)) == picture { _, y in y < 9 })
    #expect(try used(whole.dropLast(60)) == picture { _, y in y < 6 })
    // Of what is left no strip is whole.
    let start = Array(whole.dropLast(4 * 51 - 10))
    let failed = try Workbench(Self.warning + Self.toPNG).process(start, named: "a.tif")
    #expect(failed.result.error?.code == .damaged)
  }
}
