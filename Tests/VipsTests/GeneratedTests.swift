import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Vips

@Suite("Pictures made when they are asked for", .vips) struct GeneratedTests {
  private struct Refusal: Error, Equatable {}

  private func level(_ x: Int, _ y: Int, _ band: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: x * 7 + y * 13 + band * 50)
  }

  private func picture(_ width: Int, _ height: Int) throws -> Image {
    try Image.generated(width: width, height: height, bands: 3, format: .uchar) { area in
      for index in 0..<area.height {
        let row = area.row(index)
        for x in 0..<area.width {
          for band in 0..<3 { row[x * 3 + band] = level(area.left + x, area.top + index, band) }
        }
      }
    }
  }

  @Test(arguments: [1, 2, 8])
  func theyHaveTheirPixelsWhateverTheThreads(threads: Int) throws {
    try Host.start(Host.Settings(threads: threads))
    let pixels = try picture(50, 333).pixels()
    for y in [0, 1, 127, 128, 332] {
      for x in [0, 7, 49] {
        #expect(pixels[(y * 50 + x) * 3 + 1] == level(x, y, 1))
      }
    }
  }

  @Test func samplesOfSixteenBitsAreWritten() throws {
    let image = try Image.generated(width: 3, height: 2, bands: 1, format: .ushort) { area in
      for index in 0..<area.height {
        let row = area.row(index).bindMemory(to: UInt16.self)
        for x in 0..<area.width { row[x] = UInt16(1000 * (area.top + index) + area.left + x) }
      }
    }
    #expect(try image.pixels16() == [0, 1, 2, 1000, 1001, 1002])
    #expect(image.interpretation == .gray16)
  }

  @Test func whatIsThrownIsTheCauseOfTheError() throws {
    let image = try Image.generated(width: 3, height: 200, bands: 1, format: .uchar) { area in
      if area.top + area.height > 100 { throw Refusal() }
    }
    let error = #expect(throws: VipsError.self) { try image.pixels() }
    #expect(error?.cause as? Refusal == Refusal())
  }

  @Test(
    "An error in the last area is told, also when no other thread has anything left to do",
    arguments: [1, 2, 8]
  )
  func lastArea(threads: Int) throws {
    try Host.start(Host.Settings(threads: threads))
    let image = try Image.generated(width: 3, height: 2, bands: 1, format: .uchar) { _ in
      // The others have seen by then that this was all.
      usleep(10_000)
      throw Refusal()
    }
    #expect(throws: VipsError.self) { try image.average() }
    #expect(throws: VipsError.self) { try image.pixels() }
    #expect(throws: VipsError.self) { try image.save("pngsave_target", to: Target()) }
  }

  @Test func aForgottenFailureIsNotTheCauseOfTheNext() {
    FailureCause.keep(Refusal())
    VipsError.forget()
    #expect(VipsError.taken(by: "copy").cause == nil)
  }

  @Test func theCauseComesThroughAReaderAndThroughAnotherPicture() throws {
    let inner = try Image.generated(width: 3, height: 2, bands: 1, format: .uchar) { _ in
      throw Refusal()
    }
    let reader = RowReader(inner)
    let outer = try Image.generated(width: 3, height: 2, bands: 1, format: .uchar) { area in
      try reader.rows(from: area.top, count: area.height) { _ in }
    }
    let error = #expect(throws: VipsError.self) { try outer.pixels() }
    #expect(error?.cause as? Refusal == Refusal())
  }

  @Test(arguments: [1, 8])
  func aReaderGivesTheRowsOfAStreamInTheirOrder(threads: Int) throws {
    try Host.start(Host.Settings(threads: threads))
    let made = try picture(40, 500)
    let target = try Target()
    try made.save("pngsave_target", to: target)
    let stream = try load(
      "pngload_source",
      from: Source(bytes: target.bytes),
      [.init("access", .enumeration("sequential"))]
    )
    // A reduction reads its rows more than once.
    let reduced = try stream.resize(0.4, vertical: 0.4)
    let whole = try made.inMemory().resize(0.4, vertical: 0.4).pixels()
    let reader = RowReader(reduced)
    var top = 0
    var pixels: [UInt8] = []
    while top < reduced.height {
      let count = min(17, reduced.height - top)
      try reader.rows(from: top, count: count) { row in
        for index in 0..<count {
          pixels += UnsafeRawBufferPointer(start: row(index), count: reduced.width * 3)
        }
      }
      top += count
    }
    #expect(pixels == whole)
  }
}
