import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// A dry run says what a run would do, and why, and changes nothing.
@Suite("A dry run asks the ledger")
struct DryRunTests {
  let room: Darkroom

  init() throws {
    room = try Darkroom()
    for index in 0..<4 { try room.paint("\(index).tif", seed: UInt32(index)) }
  }

  private func dry(_ arguments: String...) throws -> Program.Result {
    let words = ["run", "./profile.toml", "in", "-o", "out", "--dry-run"] + arguments
    return try room.scratch.minilab(words)
  }

  private func large(_ index: Int, _ why: String = "") -> String {
    "\(index)-large.png 20×12\(why)"
  }

  private func small(_ index: Int, _ why: String = "") -> String {
    "small/\(index).webp 8×5\(why)"
  }

  /// Everything below the output root, our own folder included: names, contents and times.
  private func everything() throws -> [String: FileStamp] {
    var found: [String: FileStamp] = [:]
    func walk(_ folder: String) throws {
      found[folder] = FileStamp(try fileStatus(of: room.path(folder)))
      let open = try Descriptor(opening: room.path(folder), O_RDONLY | Int32(O_DIRECTORY))
      for name in try System.names(in: open.number) {
        let below = "\(folder)/\(name.shown)"
        if try System.kind(of: room.path(below)) == .folder {
          try walk(below)
        } else {
          found[below] = FileStamp(try fileStatus(of: room.path(below)))
        }
      }
    }
    try walk("out")
    return found
  }

  @Test("It tells what is new, changed, missing, altered and up to date, and writes nothing", .vips)
  func reasons() throws {
    try room.run()
    try room.paint("1.tif", seed: 99)
    try room.remove("out/2-large.png")
    let tree = try room.tree()
    try room.scratch.write(try #require(tree["0-large.png"]), to: "out/3-large.png")
    try room.run("--quiet", "--only-failed")
    try room.paint("new.tif", seed: 5)
    let before = try everything()
    let result = try dry()
    #expect(result.status == 0)
    // A file that looks changed is compared by a worker; the dry run opens none.
    #expect(
      result.outputText == """
        0.tif: skipped (up-to-date)
        1.tif → \(large(1, " (looks changed, to be compared)")), \(small(1, " (looks changed, to be compared)"))
        2.tif → \(large(2, " (output missing)")), \(small(2, " (up to date)"))
        3.tif → \(large(3, " (looks changed, to be compared)")), \(small(3, " (up to date)"))
        new.tif → new-large.png 20×12, small/new.webp 8×5

        """
    )
    #expect(
      result.errorText == """
        5 planned, 1 up to date
        because: 1 new, 1 output missing, 2 to be compared

        """
    )
    #expect(try everything() == before)
    // What it has told is what a run does.
    #expect(
      try room.run().items == [
        "0.tif": "skipped up-to-date",
        "1.tif": "done input-changed 1-large.png small/1.webp",
        "2.tif": "done output-missing 2-large.png",
        "3.tif": "skipped altered",
        "new.tif": "done new new-large.png small/new.webp",
      ]
    )
    #expect(try dry().outputText.contains("3.tif: skipped (altered)\n"))
  }

  @Test("With --json each output has its reason, and the end has counts", .vips)
  func events() throws {
    try room.run()
    try room.remove("out/2-large.png")
    let lines = try dry("--json", "--quiet").outputText.split(separator: "\n").map(String.init)
    #expect(
      lines[0]
        == #"{"event":"plan","input":"0.tif","status":"skipped","reason":"up-to-date","#
        + #""outputs":[],"notes":[]}"#
    )
    #expect(
      lines[2]
        == #"{"event":"plan","input":"2.tif","outputs":[{"path":"2-large.png","width":20,"#
        + #""height":12,"format":"png","reason":"output-missing"},{"path":"small/2.webp","width":8,"#
        + #""height":5,"format":"webp","reason":"up-to-date"}],"notes":[]}"#
    )
    #expect(
      lines[4].hasPrefix(
        #"{"event":"plan-summary","planned":4,"failed":0,"skipped":3,"reasons":{"output-missing":1},"#
      )
    )
  }

  @Test("A changed profile, --force and --only-failed are told", .vips)
  func profile() throws {
    try room.scratch.write("no picture", to: "in/bad.jpg")
    try room.run()
    let changed = try dry("--set", "output.small.thumbnail-preview.max-side=4").errorText
    #expect(changed.contains("because: 4 profile changed\n"))
    #expect(try dry("--force").errorText.contains("because: 4 forced\n"))
    let failed = try dry("--only-failed")
    #expect(failed.outputText.hasPrefix("bad.jpg: expected a picture"))
    #expect(failed.outputText.split(separator: "\n").count == 1)
    #expect(failed.errorText == "1 planned, 1 would fail\n")
  }

  @Test("A file that the ledger does not know is told of, also where there is no ledger", .vips)
  func exists() throws {
    try room.scratch.write("a letter", to: "out/1-large.png")
    let result = try dry()
    #expect(result.status == 1)
    #expect(result.outputText.contains("1.tif: expected no file at 1-large.png"))
    #expect(try everything().keys.sorted() == ["out", "out/1-large.png"])
  }

  @Test("A ledger that a killed run has left is read with its journal, and not touched", .vips)
  func killed() throws {
    try room.run()
    // What was written last stands in the journal alone.
    let ledger = try LedgerFile(of: room.path("out")).open().ledger
    ledger.start = LedgerStart(profile: Path("p"), arguments: [])
    try ledger.forget(Path("2-large.png"))
    try ledger.flush()
    let folder = room.path("out/.minilab")
    let kept = try ["ledger.sqlite", "ledger.sqlite-wal"].map { name in
      (name, try contents(of: folder.appending(Path(name))))
    }
    ledger.database.close()
    for (name, bytes) in kept { try room.scratch.write(bytes, to: "out/.minilab/\(name)") }
    #expect(kept[1].1.count > 0)
    let before = try everything()
    let result = try dry()
    #expect(
      result.outputText.contains("2.tif: expected no file at 2-large.png"),
      "\(result.errorText)"
    )
    #expect(result.outputText.contains("1.tif: skipped (up-to-date)"))
    #expect(try everything() == before)
  }

  @Test("Who only looks leaves no file: status and a dry prune", .vips)
  func looks() throws {
    try room.run()
    try room.remove("in/2.tif")
    let before = try everything()
    let status = try room.status()
    #expect(status.outputText.hasPrefix("out: 8 outputs made"), "\(status.errorText)")
    let prune = try room.prune("--dry-run")
    #expect(
      prune.outputText == "2-large.png: its input is gone\nsmall/2.webp: its input is gone\n",
      "\(prune.errorText)"
    )
    #expect(try everything() == before)
  }

  @Test("Without room for a copy, a journal that a killed run has left is a clear word", .vips)
  func noCopy() throws {
    try room.run()
    try room.scratch.write("a journal", to: "out/.minilab/ledger.sqlite-wal")
    let before = try everything()
    for words in [["status", "out"], ["prune", "out", "--dry-run"]] {
      let result = try room.scratch.minilab(words, environment: ["TMPDIR": "/nowhere"])
      #expect(result.status == 2)
      #expect(
        result.errorText
          == "minilab: ./out/.minilab/ledger.sqlite: a run that was killed has left a journal, which is put "
          + "together in a copy, and none can be made in /nowhere (TMPDIR): nothing is there\n"
      )
    }
    #expect(try everything() == before)
  }

  @Test("A damaged ledger is told of, and the plan is shown without reasons", .vips)
  func damaged() throws {
    try room.run()
    try room.scratch.write("rubbish", to: "out/.minilab/ledger.sqlite")
    let before = try everything()
    let result = try dry()
    #expect(result.status == 0)
    #expect(result.outputText.hasPrefix("0.tif → \(large(0)), \(small(0))\n"))
    #expect(result.errorText.contains("ledger.sqlite: is damaged (file is not a database)"))
    #expect(result.errorText.contains("what is up to date cannot be told\n"))
    #expect(try everything() == before)
  }
}
