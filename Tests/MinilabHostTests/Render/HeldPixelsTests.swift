import Glibc
import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Pixels that can be read in any order, wherever they are held", .vips)
struct HeldPixelsTests {
  @Test("on disk they are what they are in memory, and turn from bottom to top")
  func same() throws {
    for bands in [1, 3, 4] {
      let image = try NaivePicture.synthetic(90, 70, bands: bands).image()
      let stream = try image.rotate(quarterTurns: 2)
      let onDisk = try onDisk(stream)
      #expect(try onDisk.pixels() == stream.pixels())
      #expect(try onDisk.rotate(quarterTurns: 2).pixels() == image.pixels())
    }
  }

  @Test("the choice between the two goes by their bytes")
  func choice() throws {
    let image = try NaivePicture.synthetic(40, 30, bands: 3).image().rotate(quarterTurns: 1)
    #expect(try image.held(mostInMemory: image.byteCount).isInMemory)
    #expect(try !onDisk(image).isInMemory)
  }

  @Test("the temporary file goes with the picture")
  func gone() throws {
    func openFiles() throws -> Int { try deletedFiles() }
    let before = try openFiles()
    do {
      let held = try onDisk(NaivePicture.synthetic(40, 30).image())
      #expect(try held.average() > 0)
    }
    #expect(try openFiles() == before)
  }

  /// Held in a temporary file.
  private func onDisk(_ image: Image) throws -> Image { try image.held(mostInMemory: 0) }

  /// Files of libvips that this process has open.
  private func deletedFiles() throws -> Int {
    var count = 0
    for number in 0..<1024 {
      var name = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/fd/\(number)", &name, name.count)
      guard length > 0 else { continue }
      let path = String(decoding: name[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if path.contains("vips-"), path.contains(".v") { count += 1 }
    }
    return count
  }
}
