import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// A ledger that is not what it should be never makes a run pass over what is to be made.
@Suite("A ledger that is damaged, older, newer or somebody else's")
struct LedgerDamageTests {
  let room: Darkroom
  let ledger = "out/.minilab/ledger.sqlite"

  init() throws {
    room = try Darkroom()
    for index in 0..<6 { try room.paint("\(index).tif", seed: UInt32(index)) }
    let run = try room.run()
    #expect(run.status == 0)
  }

  /// Changes an input and removes an output, runs, and holds what is there against what a run into an
  /// empty folder makes.
  private func expectRecovery(_ word: String?, _ comment: Comment? = nil) throws {
    try room.paint("0.tif", seed: 77)
    try room.remove("out/1-large.png")
    let run = try room.run()
    if let word {
      #expect(run.messages.contains(word), comment)
      #expect(run.messages.contains("set aside as ledger-set-aside.sqlite"), comment)
    }
    // What the ledger no longer knows is held against what would be made; only what differs fails.
    for (input, short) in run.items {
      #expect(!short.hasPrefix("failed") || (input == "0.tif" && short == "failed exists"), comment)
    }
    if run.status != 0 { #expect(try room.run("--only-failed", "--force").status == 0, comment) }
    try room.run(output: "other")
    #expect(try room.tree() == room.tree("other"), comment)
    let again = try room.run()
    #expect(Set(again.items.values) == ["skipped up-to-date"], comment)
    #expect(again.messages == "", comment)
  }

  @Test("A ledger that may not grow says why, in the system's words")
  func fileSizeLimit() throws {
    let result = try Program(Path("/bin/sh")).run(
      "-c",
      "ulimit -f 1; exec \"$0\" run ./profile.toml in -o limited",
      Program.minilab.path.shown,
      in: room.scratch.path
    )
    #expect(result.status == 2)
    #expect(
      result.errorText == "minilab: ./limited/.minilab/ledger.sqlite: "
        + "the file would be larger than the limit of this process allows\n"
    )
  }

  @Test("The status of a damaged ledger says what will become of it", arguments: [true, false])
  func status(isWhole: Bool) throws {
    if isWhole {
      try room.scratch.write("no database", to: "out/.minilab/ledger.sqlite")
    } else {
      try room.withLedger { try $0.execute("UPDATE output SET unit = unit + 1") }
    }
    let result = try room.status()
    #expect(result.status == 2)
    #expect(
      result.errorText.hasSuffix(
        "; the next run sets it aside, and compares what is in the folder with what it would make\n"
      ),
      "\(result.errorText)"
    )
    #expect(result.errorText.hasPrefix("minilab: ./out/.minilab/ledger.sqlite: is "))
  }

  @Test("What is no database is set aside, and what is there is compared")
  func garbage() throws {
    try room.scratch.write(Array(repeating: 0x5a, count: 30_000), to: ledger)
    try expectRecovery("file is not a database")
  }

  @Test("A database that was cut off is set aside")
  func cutOff() throws {
    let bytes = try contents(of: room.path(ledger))
    try room.scratch.write(Array(bytes.prefix(bytes.count / 2)), to: ledger)
    try expectRecovery("is damaged")
  }

  @Test("A ledger that was emptied or removed knows nothing, and nothing is replaced")
  func emptied() throws {
    try room.scratch.write("", to: ledger)
    let run = try room.run()
    #expect(Set(run.items.values) == ["failed exists"])
    try room.remove(ledger)
    #expect(try Set(room.run().items.values) == ["failed exists"])
  }

  /// In version 2 the digests were those of another function.
  @Test(
    "A ledger of another version is set aside",
    arguments: [0, 2, LedgerSchema.version + 1, 1000]
  )
  func otherVersion(version: Int) throws {
    try room.withLedger { try $0.execute("PRAGMA user_version = \(version)") }
    let isOlder = version < LedgerSchema.version
    try expectRecovery("is of \(isOlder ? "an older" : "a newer") version of Minilab")
  }

  @Test("Somebody else's database is set aside")
  func foreign() throws {
    try room.withLedger { try $0.execute("PRAGMA application_id = 7") }
    try expectRecovery("is no ledger of Minilab")
  }

  @Test("A folder or a link in its place is set aside, and nothing is written through it")
  func notAFile() throws {
    try room.remove(ledger)
    try room.scratch.write("a letter", to: "letter")
    let letter = room.path("letter")
    _ = letter.withCString { target in room.path(ledger).withCString { symlink(target, $0) } }
    try expectRecovery("is no file")
    #expect(try contents(of: letter) == Array("a letter".utf8))
  }

  @Test("Bits that turn over never make a run pass over what is to be made", arguments: 0..<24)
  func turnedBits(seed: Int) throws {
    var dice = Dice(UInt32(seed))
    var bytes = try contents(of: room.path(ledger))
    for _ in 0..<(1 << dice.next(0...6)) {
      bytes[dice.next(0...(bytes.count - 1))] ^= UInt8(1 << dice.next(0...7))
    }
    try room.scratch.write(bytes, to: ledger)
    try room.paint("0.tif", seed: 77)
    try room.remove("out/1-large.png")
    let run = try room.run()
    #expect(run.status == 0 || run.status == 1, "seed \(seed): \(run.messages)")
    // What failed, failed because it was not known; nothing is passed over that should not be.
    #expect(run.items["0.tif"] != "skipped up-to-date", "seed \(seed)")
    #expect(run.items["1.tif"] != "skipped up-to-date", "seed \(seed)")
    if run.status == 1 {
      let again = try room.run("--force")
      #expect(again.status == 0, "seed \(seed): \(again.items) \(again.messages)")
    }
    try room.run(output: "other")
    #expect(try room.tree() == room.tree("other"), "seed \(seed)")
  }

  @Test("A run of which the machine has lost the end is held against its digests")
  func lostMachine() throws {
    // The file has the size and the times it had, and other bytes, as after a power cut.
    var bytes = try contents(of: room.path("out/2-large.png"))
    bytes.replaceSubrange(
      (bytes.count / 2)...,
      with: Array(repeating: 0, count: bytes.count - bytes.count / 2)
    )
    try room.scratch.write(bytes, to: "out/2-large.png")
    let stamp = FileStamp(try fileStatus(of: room.path("out/2-large.png")))
    try room.withLedger { database in
      try database.run("UPDATE run SET ended = NULL, boot = 'another'")
      let ledger = try Ledger(database)
      var row = try #require(try ledger.output(Path("2-large.png")))
      row.stamp = stamp
      try ledger.put(Path("2-large.png"), row)
      try ledger.commit()
    }
    let run = try room.run()
    #expect(run.items["2.tif"] == "done output-damaged 2-large.png")
    #expect(run.items["3.tif"] == "skipped up-to-date")
    try room.run(output: "other")
    #expect(try room.tree() == room.tree("other"))
    // Once is enough.
    let runs = try room.withLedger {
      try $0.first("SELECT count(*) FROM output WHERE run = 1") { $0.int(0) }
    }
    #expect(runs == 0)
  }
}
