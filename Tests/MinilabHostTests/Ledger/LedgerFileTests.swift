import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("The ledger's file")
struct LedgerFileTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  @Test("Values come back as they were put in")
  func values() throws {
    let database = try Database(scratch.path.appending("values.sqlite"), .writing)
    try database.execute("CREATE TABLE value (a, b, c, d, e)")
    let bytes: [UInt8] = [0, 0xff, 0x27, 0]
    try database.run(
      "INSERT INTO value VALUES (?, ?, ?, ?, ?)",
      Int.min,
      0.25,
      "é'\"",
      bytes,
      nil as Int?
    )
    try database.run("INSERT INTO value VALUES (?, ?, ?, ?, ?)", 7, -1.5, "", [UInt8](), Path("p"))
    var rows: [(Int, Double, String, [UInt8], isNull: Bool, [UInt8])] = []
    try database.each("SELECT a, b, c, d, e FROM value ORDER BY a") { row in
      rows.append(
        (row.int(0), row.double(1), row.text(2), row.bytes(3), row.isNull(3), row.bytes(4))
      )
    }
    try #require(rows.count == 2)
    #expect(rows[0] == (Int.min, 0.25, "é'\"", bytes, false, []))
    // An empty value is a value.
    #expect(rows[1] == (7, -1.5, "", [], false, Array("p".utf8)))
  }

  @Test("On a network there is no journal that needs shared memory", arguments: [true, false])
  func network(isOnNetwork: Bool) throws {
    let file = LedgerFile(in: scratch.path, isOnNetwork: isOnNetwork)
    let opened = try file.open()
    #expect(opened.word == nil)
    let mode = try opened.ledger.database.first("PRAGMA journal_mode") { $0.text(0) }
    #expect(mode == (isOnNetwork ? "truncate" : "wal"))
    opened.ledger.start = LedgerStart(profile: Path("p"), arguments: [])
    try opened.ledger.claim(Path("a.png"))
    try opened.ledger.flush()
    #expect(try opened.ledger.output(Path("a.png"))?.claim == opened.ledger.run)
    let shared = scratch.path.appending("ledger.sqlite-shm").withCString { access($0, F_OK) }
    #expect(shared != 0)
  }

  @Test("A file system of this machine is none of a network's")
  func localFileSystem() {
    #expect(!LedgerFile(of: Path("/tmp")).isOnNetwork)
  }

  @Test("What was written and not committed is gone, what was committed stays")
  func transactions() throws {
    let file = LedgerFile(in: scratch.path, isOnNetwork: false)
    do {
      let ledger = try file.open().ledger
      ledger.start = LedgerStart(profile: Path("p"), arguments: [Path("a"), Path(bytes: [0xff])])
      try ledger.claim(Path("kept.png"))
      try ledger.commit()
      try ledger.claim(Path("lost.png"))
    }
    let ledger = try file.open().ledger
    #expect(try ledger.output(Path("kept.png")) != nil)
    #expect(try ledger.output(Path("lost.png")) == nil)
    // It has not said that it ended, on a machine that has not been started anew.
    #expect(ledger.brokenRuns == [1: false])
    #expect(try ledger.lastRun()?.arguments == [Path("a"), Path(bytes: [0xff])])
    #expect(try ledger.lastRun()?.ended == nil)
  }

  @Test("The end of a run takes back what it had written down and not begun")
  func end() throws {
    let file = LedgerFile(in: scratch.path, isOnNetwork: false)
    do {
      let ledger = try file.open().ledger
      ledger.start = LedgerStart(profile: Path("p"), arguments: [])
      try ledger.claim(Path("new.png"))
      try ledger.claim(Path("lost.png"))
      try ledger.leaveClaim(Path("lost.png"))
      try ledger.put(
        Path("old.png"),
        LedgerOutput(state: .made, unit: 3, recipe: 4, run: ledger.run)
      )
      try ledger.claim(Path("old.png"))
      try ledger.end(Tally(planned: 0))
    }
    let ledger = try file.open().ledger
    #expect(ledger.brokenRuns.isEmpty)
    #expect(try ledger.output(Path("new.png")) == nil)
    #expect(try ledger.output(Path("old.png"))?.claim == nil)
    #expect(try ledger.output(Path("old.png"))?.unit == 3)
    // Of this one nobody knows what has become.
    #expect(try ledger.output(Path("lost.png"))?.claim != nil)
  }

  @Test("A row that does not have its sum is damage")
  func rowSum() throws {
    let ledger = try LedgerFile(in: scratch.path, isOnNetwork: false).open().ledger
    ledger.start = LedgerStart(profile: Path("p"), arguments: [])
    try ledger.put(Path("a.png"), LedgerOutput(state: .made, unit: 1, recipe: 1, run: 1))
    #expect(try ledger.output(Path("a.png"))?.state == .made)
    for change in [
      "state = 2", "recipe = 3", "size = 4", "digest = x'00112233445566778899aabbccddeeff'",
    ] {
      try ledger.put(Path("a.png"), LedgerOutput(state: .made, unit: 1, recipe: 1, run: 1))
      try ledger.database.execute("UPDATE output SET \(change)")
      #expect(throws: DatabaseError.damaged("a row that does not have its sum"), "\(change)") {
        try ledger.output(Path("a.png"))
      }
    }
  }

  @Test("The fuzzers begin with a ledger of this version")
  func seed() throws {
    let bytes = try contents(of: packageRoot.appending("Tests/Fuzz/corpus/ledger/run"))
    try scratch.write(bytes, to: Ledger.name.shown)
    let opened = try LedgerFile(in: scratch.path, isOnNetwork: false).open()
    #expect(opened.word == nil, "renew with: Tests/Fuzz/make-corpus .build/debug/minilab")
    #expect(try !opened.ledger.isEmpty)
  }

  @Test("A device that fails is not taken for a damaged ledger, nor a quota for another error")
  func blame() {
    func error(_ code: Int32, _ number: Int32) -> DatabaseError {
      DatabaseError(code: code, text: "", systemNumber: number)
    }
    let (failed, cannotOpen): (Int32, Int32) = (10, 14)
    for number in [EIO, ESTALE, ENOSPC, EMFILE, ENOENT] {
      #expect(!error(failed, number).isDamage)
      #expect(!error(cannotOpen, number).isDenied)
      #expect(!error(cannotOpen, number).isDamage)
    }
    for number in [EACCES, EPERM] { #expect(error(cannotOpen, number).isDenied) }
    for number in [ENOSPC, EDQUOT] { #expect(error(failed, number).isDiskFull) }
    #expect(error(13, 0).isDiskFull)
    #expect(!error(failed, EIO).isDiskFull)
  }

  @Test("What SQLite has taken for damage and is none at a second look is used again")
  func secondLook() throws {
    let file = LedgerFile(in: scratch.path, isOnNetwork: false)
    do {
      let ledger = try file.open().ledger
      ledger.start = LedgerStart(profile: Path("p"), arguments: [])
      try ledger.put(Path("a.png"), LedgerOutput(state: .made, unit: 1, recipe: 1, run: 1))
      try ledger.commit()
    }
    let corrupt = DatabaseError(code: 11, text: "malformed")
    do {
      let opened = try file.recover(from: corrupt)
      #expect(opened.word == nil)
      #expect(try opened.ledger.output(Path("a.png")) != nil)
    }
    // What we have found ourselves is not looked at again.
    do {
      let opened = try file.recover(from: .damaged("a row"))
      #expect(opened.word?.contains("set aside") == true)
      #expect(try opened.ledger.isRebuilding)
      #expect(try opened.ledger.output(Path("a.png")) == nil)
    }
    #expect(throws: LedgerFault.self) {
      try failing(.read, EIO) { try file.recover(from: corrupt) }
    }
  }

  @Test("A run that is ended while it sets a ledger aside leaves no ledger that knows nothing")
  func halfSetAside() throws {
    let file = LedgerFile(in: scratch.path, isOnNetwork: false)
    _ = try file.open()
    // The new one cannot be finished: its mark cannot be removed.
    #expect(throws: LedgerFault.self) {
      try failing(.unlink, EIO) { try file.recover(from: .damaged("a row")) }
    }
    let opened = try file.open()
    #expect(opened.word?.contains("was being set aside when a run was ended") == true)
    #expect(try opened.ledger.isRebuilding)
    opened.ledger.database.close()
    let next = try file.open()
    #expect(next.word == nil)
    #expect(try next.ledger.isRebuilding)
  }

  @Test("A transaction that SQLite has taken back is no damage")
  func takenBack() throws {
    let ledger = try LedgerFile(in: scratch.path, isOnNetwork: false).open().ledger
    ledger.start = LedgerStart(profile: Path("p"), arguments: [])
    try ledger.claim(Path("a.png"))
    try ledger.database.execute("ROLLBACK")
    #expect(throws: DatabaseError.takenBack) { try ledger.claim(Path("b.png")) }
    #expect(throws: DatabaseError.takenBack) { try ledger.commit() }
    #expect(!DatabaseError.takenBack.isDamage)
  }

  @Test("Words for a shell come back as they are, whatever their bytes")
  func shellWords() throws {
    let words: [[UInt8]] = [
      Array("plain-1.png".utf8), Array("two words".utf8), Array("it's $HOME `x` \"y\"".utf8), [],
      Array("é ★".utf8), [0xff, 0x0a, 0x27, 0x5c, 0x41],
    ]
    for word in words {
      let command = "printf %s \(Path(bytes: word).quotedForShell)"
      let result = try Program(Path("/bin/bash")).run("-c", command)
      #expect(result.output == word, "\(command)")
    }
  }
}
