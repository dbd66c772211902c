import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("The canvas of a GIF where no frame covers it", .vips)
struct GIFCanvasTests {
  private static let size = Size(width: 12, height: 10)

  private static func frame(
    _ color: UInt8,
    _ x: Int,
    _ y: Int,
    _ width: Int,
    _ height: Int,
    disposal: Int = 1
  ) -> HandmadeGIF.Frame {
    let pixels = [UInt8](repeating: color, count: width * height)
    let box = PixelRectangle(x: x, y: y, width: width, height: height)
    return .init(delay: 5, disposal: disposal, box: box, pixels: pixels)
  }

  private func still(_ bytes: [UInt8], _ input: String = "") throws -> NaivePicture {
    let bench = try Workbench(input + "[[output]]\nformat = \"png\"\n")
    return try bench.process(bytes, named: "a.gif").picture()
  }

  @Test(
    "is transparent in a still, with a graphic control and without one",
    arguments: [true, false]
  )
  func stills(hasControl: Bool) throws {
    var film = HandmadeGIF(size: Self.size, again: nil)
    film.frames = [Self.frame(1, 3, 2, 5, 4)]
    var bytes = film.bytes
    // Behind the header and four colors.
    if !hasControl { bytes.removeSubrange(25..<33) }
    #expect(try still(bytes).greatestVisibleDifference(from: film.shown[0]) == 0)
  }

  @Test("is transparent where the file is cut off, too")
  func cutOff() throws {
    // Of parts that are not whole no pixel is shown: three are.
    var film = HandmadeGIF(size: Size(width: 40, height: 40), again: nil)
    film.frames = [Self.frame(1, 2, 2, 36, 36)]
    let picture = try still(film.bytes.dropLast(5), "[input]\ndamaged = \"warn\"\n")
    #expect(picture.pixel(0, 0) == [0, 0, 0, 0])
    #expect(picture.pixel(3, 2) == [0, 255, 0, 255])
  }

  private static let films: [[HandmadeGIF.Frame]] = [
    // Never covered; cleared, and another's place taken; brought back, to nothing; cleared to its edge.
    [frame(1, 3, 2, 5, 4), frame(2, 0, 0, 3, 3), frame(0, 7, 5, 5, 5)],
    [frame(0, 0, 0, 12, 10), frame(2, 2, 2, 6, 6, disposal: 2), frame(1, 0, 0, 2, 2)],
    [frame(0, 0, 0, 12, 10, disposal: 3), frame(2, 2, 2, 6, 6)],
    [frame(0, 0, 0, 12, 10, disposal: 2), frame(2, 2, 2, 6, 6, disposal: 2), frame(1, 3, 3, 2, 2)],
  ]

  @Test("or was cleared, is transparent in every frame of a film", arguments: films.indices)
  func film(_ index: Int) throws {
    var film = HandmadeGIF(size: Self.size)
    film.frames = Self.films[index]
    let bench = try Workbench(
      AllFramesTests.all
        + "[[step]]\nop = \"crop\"\nrect = [0, 0, 11, 10]\n[[output]]\nformat = \"webp\"\nlossless = true\n"
    )
    let outcome = try bench.process(film.bytes, named: "a.gif")
    let bytes = try outcome.bytes()
    #expect(try Film(bytes).delays.count == film.frames.count)
    for (number, shown) in film.shown.enumerated() {
      let wanted = NaivePicture(width: 11, height: 10, bands: 4) { x, y, band in shown[x, y, band] }
      let found = try page(number, of: bytes, .webp)
      #expect(found.greatestVisibleDifference(from: wanted) == 0, "frame \(number)")
    }
  }

  @Test("A film whose frames leave nothing uncovered stays without alpha")
  func covered() throws {
    var film = HandmadeGIF.moving(Self.size, delays: [1, 1])
    for index in film.frames.indices { film.frames[index].disposal = 2 }
    #expect(try still(film.bytes).bands == 3)
  }

  @Test(
    "is transparent where pixels have all 256 colors, and where a single one is free",
    arguments: [
      nil, 0, 77, 255,
    ] as [UInt8?]
  )
  func manyColors(free: UInt8?) throws {
    let (side, edge) = (20, 2)
    let pixels = (0..<(side * side)).map { index -> UInt8 in
      let color = UInt8(index * 7 & 255)
      return color == free ? color ^ 1 : color
    }
    let bytes = Self.literal(pixels, side: side, edge: edge)
    let picture = try still(bytes)
    let wanted = NaivePicture(width: side + 2 * edge, height: side + 2 * edge, bands: 4) {
      x,
      y,
      band in
      let (left, top) = (x - edge, y - edge)
      guard (0..<side).contains(left), (0..<side).contains(top) else { return 0 }
      let color = Double(pixels[top * side + left])
      return [color, 255 - color, 40, 255][band]
    }
    #expect(picture.greatestVisibleDifference(from: wanted) == 0)
    // What the mended file has more is no page.
    let folder = try ScratchFolder()
    let path = try folder.write(bytes, to: "a.gif")
    #expect(try OpenedPicture(path, format: .gif, policy: InputPolicy()).origin.pages == 1)
  }

  /// A still of 256 colors, each pixel a code of its own, and one clearing: codes grow to ten bits.
  private static func literal(_ pixels: [UInt8], side: Int, edge: Int) -> [UInt8] {
    func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
    let whole = side + 2 * edge
    var file = Array("GIF89a".utf8) + short(whole) + short(whole) + [0xf7, 0, 0]
    for color in 0...255 { file += [UInt8(color), UInt8(255 - color), 40] }
    file += [0x2c] + short(edge) + short(edge) + short(side) + short(side) + [0, 8]
    var (data, bits, count, size, next): ([UInt8], Int, Int, Int, Int) = ([], 0, 0, 9, 257)
    for code in [256] + pixels.map({ Int($0) }) + [257] {
      bits |= code << count
      count += size
      while count >= 8 {
        data.append(UInt8(bits & 255))
        (bits, count) = (bits >> 8, count - 8)
      }
      if code != 256 { next += 1 }
      if next == 1 << size { size += 1 }
    }
    if count > 0 { data.append(UInt8(bits)) }
    for start in stride(from: 0, to: data.count, by: 255) {
      let part = data[start..<min(start + 255, data.count)]
      file += [UInt8(part.count)] + part
    }
    return file + [0, 0x3b]
  }
}
