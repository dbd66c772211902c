import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// What a second run does with groups, pages, and files beside the pictures.
@Suite("Running again: more than one file")
struct GroupRerunTests {
  private func sheet(_ incomplete: String = "keep") throws -> Darkroom {
    let room = try Darkroom(
      """
      profile = 1
      [gather]
      by = "folder"
      incomplete = "\(incomplete)"
      [[step]]
      op = "compose"
      layout = "strip"
      tile = [10, 10]
      [[output]]
      path = "{group}.{ext}"
      format = "png"
      """
    )
    for (index, name) in ["x/1.tif", "x/2.tif", "x/3.tif", "y/1.tif"].enumerated() {
      try room.paint(name, seed: UInt32(index + 1))
    }
    return room
  }

  private let upToDate = "skipped up-to-date"

  @Test("A group is made again when a member is changed, added, removed or renamed")
  func members() throws {
    let room = try sheet()
    #expect(try room.run().items == ["x/1.tif": "done new x.png", "y/1.tif": "done new y.png"])
    #expect(try Set(room.run().items.values) == [upToDate])
    let changed = "done input-changed x.png"
    try room.paint("x/2.tif", seed: 9)
    #expect(try room.run().items == ["x/1.tif": changed, "y/1.tif": upToDate])
    try room.paint("x/4.tif", seed: 10)
    #expect(try room.run().items == ["x/1.tif": changed, "y/1.tif": upToDate])
    try room.remove("in/x/3.tif")
    #expect(try room.run().items == ["x/1.tif": changed, "y/1.tif": upToDate])
    try System.rename(
      room.path("in/x/4.tif"),
      in: AT_FDCWD,
      to: room.path("in/x/5.tif"),
      in: AT_FDCWD
    )
    #expect(try room.run().items == ["x/1.tif": changed, "y/1.tif": upToDate])
    room.touch("in/x/5.tif")
    #expect(try Set(room.run().items.values) == [upToDate])
  }

  @Test("A group that is left out for a bad member is left out again, until the member is good")
  func incomplete() throws {
    let room = try sheet("skip")
    let good = try contents(of: room.path("in/x/2.tif"))
    try room.scratch.write(Array(good.dropLast(200)), to: "in/x/2.tif")
    for _ in 1...2 { #expect(try room.run().items["x/1.tif"] == "skipped incomplete") }
    try room.scratch.write(good, to: "in/x/2.tif")
    #expect(try room.run().items["x/1.tif"]?.hasSuffix(" x.png") == true)
  }

  @Test("Of pages with files of their own, the missing one is made again alone")
  func pages() throws {
    let room = try Darkroom(
      """
      profile = 1
      [input]
      pages = "split"
      [[output]]
      path = "{stem}-{page}.{ext}"
      format = "png"
      """
    )
    try room.scratch.write(twoPages(), to: "in/two.tif")
    #expect(try room.run().items == ["two.tif": "done new two-1.png two-2.png"])
    let tree = try room.tree()
    #expect(tree["two-1.png"] != tree["two-2.png"])
    #expect(try room.run().items == ["two.tif": upToDate])
    try room.remove("out/two-2.png")
    #expect(try room.run().items == ["two.tif": "done output-missing two-2.png"])
    #expect(try room.tree() == tree)
  }

  /// Two TIFFs in one file: the second page's folder follows the first one's.
  private func twoPages() -> [UInt8] {
    let (first, second) = (page(seed: 1, at: 0), page(seed: 2, at: 8 + 64 + 114))
    var bytes = first
    let next = 8 + 64 + 114 + 64
    withUnsafeBytes(of: UInt32(next).littleEndian) {
      bytes.replaceSubrange((bytes.count - 4)..., with: $0)
    }
    return bytes + second.dropFirst(8)
  }

  /// A page of 8 by 8 whose pixels begin 8 bytes behind an offset.
  private func page(seed: UInt32, at offset: Int) -> [UInt8] {
    var bytes = Darkroom.picture(seed: seed, width: 8, height: 8)
    // StripOffsets is the sixth entry of the folder behind the pixels.
    let place = 8 + 64 + 2 + 5 * 12 + 8
    let start = offset == 0 ? 8 : offset
    withUnsafeBytes(of: UInt32(start).littleEndian) {
      bytes.replaceSubrange(place..<(place + 4), with: $0)
    }
    return bytes
  }

  @Test("A preview beside the picture counts: when it comes, changes and goes")
  func sidecar() throws {
    let room = try Darkroom(
      """
      profile = 1
      [input]
      exclude = ["**/*.small.tif"]
      [[step]]
      op = "thumbnail-preview"
      max-side = 10
      use-existing = "sidecar"
      sidecar = "{stem}.small.tif"
      [[output]]
      format = "png"
      """
    )
    try room.paint("a.tif", seed: 1)
    #expect(try room.run().items["a.tif"] == "done new a.png")
    #expect(try room.run().items["a.tif"] == upToDate)
    let own = try room.tree()["a.png"]
    for seed: UInt32 in [5, 6] {
      try room.paint("a.small.tif", seed: seed, width: 10, height: 6)
      let before = try room.tree()["a.png"]
      #expect(try room.run().items["a.tif"] == "done input-changed a.png")
      #expect(try room.tree()["a.png"] != before)
      #expect(try room.run().items["a.tif"] == upToDate)
    }
    try room.remove("in/a.small.tif")
    #expect(try room.run().items["a.tif"] == "done input-changed a.png")
    #expect(try room.tree()["a.png"] == own)
  }
}
