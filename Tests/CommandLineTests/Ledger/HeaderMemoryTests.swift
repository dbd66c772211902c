import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// Paths that need headers: a picture that has not changed is not opened for its path again.
@Suite("Headers that paths need are remembered", .vips)
struct HeaderMemoryTests {
  let room: Darkroom

  init() throws {
    room = try Darkroom(
      Darkroom.profile.replacing(
        "{dir}/{stem}-{output}.{ext}",
        with: "{width}x{height}/{stem}.{ext}"
      )
    )
    try room.paint("a.tif", seed: 1)
    try room.paint("b.tif", seed: 2)
    // Within the step of the clock a file could change without its record showing it.
    usleep(60_000)
    try room.run()
  }

  /// Lets the ledger remember another size of each picture, so that it shows whether it is asked.
  private func remember(width: Int) throws {
    let ledger = try LedgerFile(of: room.path("out")).open().ledger
    ledger.start = LedgerStart(profile: Path("p"), arguments: [])
    let root = try #require(ledger.roots.keys.first)
    for name in ["a.tif", "b.tif"] {
      var header = try #require(try ledger.header(root, Path(name)))
      header.told.replace("\"width\":20", with: "\"width\":\(width)")
      try ledger.put(header, of: root, Path(name))
    }
    try ledger.end(Tally(planned: 0))
    ledger.database.close()
  }

  private var folders: [String] {
    get throws { try Set(room.tree().keys.map { String($0.prefix { $0 != "/" }) }).sorted() }
  }

  @Test("Of unchanged pictures the ledger is asked, by a run and by a dry run")
  func remembered() throws {
    #expect(try folders == ["20x12", "small"])
    try remember(width: 7)
    let words = ["run", "./profile.toml", "in", "-o", "out", "--dry-run", "--quiet"]
    let dry = try room.scratch.minilab(words)
    #expect(dry.outputText.hasPrefix("a.tif → 7x12/a.png"))
    try room.run()
    #expect(try folders == ["20x12", "7x12", "small"])
  }

  @Test("A picture that changed, or a profile that did, is asked anew")
  func changed() throws {
    try remember(width: 7)
    try room.paint("a.tif", seed: 1, width: 30)
    try room.run()
    #expect(try room.tree()["30x12/a.png"] != nil)
    #expect(try room.tree()["7x12/b.png"] != nil)
    try room.run("--set", "output.small.thumbnail-preview.max-side=4")
    #expect(try room.tree()["20x12/b.png"] != nil)
  }

  @Test("A row in which a bit has turned over is not believed")
  func turned() throws {
    try room.withLedger { try $0.execute("UPDATE header SET told = replace(told, '20', '21')") }
    #expect(try room.run().items == ["a.tif": "skipped up-to-date", "b.tif": "skipped up-to-date"])
    #expect(try folders == ["20x12", "small"])
  }

  @Test("A plan that is refused leaves a folder as it was, though headers were read")
  func refused() throws {
    try room.paint("c/a.tif", seed: 3)
    let run = try room.run(output: "other")
    #expect(run.status == 2)
    #expect(run.messages.contains("expected one input for each output"))
    #expect(try System.kind(of: room.path("other")) == .nothing)
  }

  @Test("Groups are remembered by all of their pictures")
  func groups() throws {
    let room = try Darkroom(
      """
      profile = 1
      [gather]
      by = "folder"
      [[step]]
      op = "compose"
      layout = "strip"
      tile = [10, 10]
      [[output]]
      path = "{group}-{width}.{ext}"
      format = "png"
      """
    )
    for (index, name) in ["x/1.tif", "x/2.tif", "y/1.tif"].enumerated() {
      try room.paint(name, seed: UInt32(index + 1))
    }
    usleep(60_000)
    try room.run()
    /// Lets the ledger tell of another width, so that it shows whether it is asked.
    func remember(width: Int) throws {
      try room.withLedger { database in
        let ledger = try Ledger(database)
        let root = try #require(ledger.roots.keys.first)
        var header = try #require(try ledger.header(root, Path("x/1.tif")))
        header.told.replace("\"width\":20", with: "\"width\":\(width)")
        try ledger.put(header, of: root, Path("x/1.tif"))
        try ledger.commit()
      }
    }
    let names = try room.tree().keys.sorted()
    #expect(names == ["x-20.png", "y-10.png"])
    try remember(width: 7)
    let again = try room.run()
    #expect(again.items["x/1.tif"] == "done new x-7.png")
    #expect(again.items["y/1.tif"] == "skipped up-to-date")
    // Any of its pictures.
    try room.paint("x/2.tif", seed: 9)
    try room.run()
    #expect(try room.run().items["x/1.tif"] == "skipped up-to-date")
    try remember(width: 8)
    try room.paint("x/3.tif", seed: 10)
    #expect(try room.run().items["x/1.tif"] == "done new x-30.png")
  }
}
