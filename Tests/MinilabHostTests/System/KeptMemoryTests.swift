import CSystem
import Glibc
import Testing

@Suite("What a large picture leaves of memory")
struct KeptMemoryTests {
  private let block = 64 << 10
  private let count = 512

  /// The part of blocks that are freed, with one above them that is not, whose pages are still there after
  /// trimming.
  private func resident(keeping kept: Int) throws -> Double {
    let blocks = try (0..<count).map { _ in try #require(malloc(block)) }
    for pointer in blocks { memset(pointer, 1, block) }
    let above = try #require(malloc(block))
    defer { free(above) }
    for pointer in blocks { free(pointer) }
    csystem_trim_memory(kept)
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    var there = 0
    for pointer in blocks {
      // One in the middle of a block is no other block's.
      let middle = (Int(bitPattern: pointer) + block / 2) / page * page
      var state: UInt8 = 0
      let address = UnsafeMutableRawPointer(bitPattern: middle)
      if mincore(address, page, &state) == 0, state & 1 == 1 { there += 1 }
    }
    return Double(there) / Double(count)
  }

  @Test("is kept for the next one, up to a bound")
  func bound() throws {
    #expect(try resident(keeping: .max) > 0.5)
    #expect(try resident(keeping: 0) < 0.5)
  }
}
