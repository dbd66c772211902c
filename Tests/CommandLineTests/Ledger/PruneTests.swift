import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("minilab prune and minilab status")
struct PruneTests {
  let room: Darkroom

  init() throws { room = try .afterRun() }

  @Test("Nothing is removed as long as every input and output is there")
  func nothing() throws {
    let tree = try room.tree()
    let result = try room.prune("--yes")
    #expect(result.status == 0)
    #expect(result.outputText == "nothing to remove\n")
    #expect(try room.tree() == tree)
  }

  @Test("Outputs of an input that is gone are removed, with folders that become empty")
  func goneInput() throws {
    try room.scratch.write("a letter", to: "out/small/letter.txt")
    try room.remove("in/b/b.tif")
    let dry = try room.prune("--dry-run")
    #expect(
      dry.outputText == "b/b-large.png: its input is gone\nsmall/b/b.webp: its input is gone\n"
    )
    #expect(try room.tree().count == 5)
    // Without a terminal nobody can be asked.
    let asked = try room.prune()
    #expect(asked.status == 2)
    #expect(
      asked.errorText == "minilab: nobody is there to be asked: expected --yes or --dry-run\n"
    )
    #expect(try room.tree().count == 5)
    let result = try room.prune("--yes")
    #expect(result.status == 0)
    #expect(result.outputText.hasSuffix("removed 2 of 2\n"))
    #expect(try room.tree().keys.sorted() == ["a-large.png", "small/a.webp", "small/letter.txt"])
    #expect(try System.kind(of: room.path("out/b")) == .nothing)
    #expect(try System.kind(of: room.path("out/small/b")) == .nothing)
    #expect(try room.run().items == ["a.tif": "skipped up-to-date"])
  }

  @Test("An input that has become a folder is gone")
  func inputIsFolder() throws {
    try room.remove("in/a.tif")
    try room.paint("a.tif/c.tif", seed: 3)
    try room.run()
    #expect(try room.status("--json").outputText.contains("\"orphans\":2,"))
    #expect(
      try room.prune("--yes").outputText == """
        a-large.png: its input is gone
        small/a.webp: its input is gone
        removed 2 of 2

        """
    )
    #expect(try room.run().items["a.tif/c.tif"] == "skipped up-to-date")
  }

  @Test("Outputs that the profile no longer has are removed")
  func goneEntry() throws {
    let one = Darkroom.profile.split(separator: "\n").prefix(5).joined(separator: "\n")
    try room.scratch.write(one, to: "profile.toml")
    let result = try room.prune("--yes")
    #expect(
      result.outputText.contains("small/a.webp: the profile has no output \"small\" any more\n")
    )
    #expect(try room.tree().keys.sorted() == ["a-large.png", "b/b-large.png"])
  }

  @Test("A retouched output and a file of somebody else are never removed")
  func kept() throws {
    let tree = try room.tree()
    try room.scratch.write(try #require(tree["a-large.png"]), to: "out/b/b-large.png")
    try room.scratch.write("a letter", to: "out/b/b-large.txt")
    try room.remove("in/b/b.tif")
    let altered =
      "b/b-large.png: its input is gone; it is kept, as somebody has changed it since it was made\n"
    let dry = try room.prune("--dry-run")
    #expect(dry.outputText == altered + "small/b/b.webp: its input is gone\n")
    let result = try room.prune("--yes")
    #expect(result.status == 0)
    #expect(
      result.outputText == altered + "small/b/b.webp: its input is gone\nremoved 1 of 1\n"
    )
    // The next ones say it again, and have nothing to do.
    let again = try room.prune("--yes")
    #expect(again.status == 0)
    #expect(again.outputText == altered + "nothing to remove\n")
    // What stays is nothing that anybody would prune.
    #expect(try room.status("--json").outputText.contains("\"altered\":1,"))
    #expect(try room.status("--json").outputText.contains("\"orphans\":0,"))
    #expect(
      try room.tree().keys.sorted()
        == ["a-large.png", "b/b-large.png", "b/b-large.txt", "small/a.webp"]
    )
  }

  @Test(
    "An input folder that is empty or not there may only not be mounted",
    arguments: [true, false]
  )
  func notMounted(isEmpty: Bool) throws {
    try room.clear("in")
    if isEmpty { try System.makeFolder(room.path("in")) }
    let careful = try room.prune("--yes")
    #expect(careful.errorText.contains("is empty or not there"))
    #expect(careful.outputText == "nothing to remove\n")
    #expect(try room.tree().count == 4)
    #expect(try room.prune("--yes", "--empty-roots").outputText.hasSuffix("removed 4 of 4\n"))
    #expect(try room.tree().isEmpty)
  }

  @Test("A profile that cannot be loaded removes nothing")
  func lostProfile() throws {
    try room.remove("profile.toml")
    let result = try room.prune("--yes")
    #expect(result.errorText.contains("profile.toml cannot be loaded: what was made by it is kept"))
    #expect(try room.tree().count == 4)
  }

  @Test("A ledger that names files elsewhere has nothing removed there")
  func elsewhere() throws {
    try room.scratch.write("a letter", to: "letter")
    try room.scratch.write("a letter", to: "folder/letter")
    let link = room.path("out/linked")
    _ = room.path("folder").withCString { target in link.withCString { symlink(target, $0) } }
    let paths = [
      Path("../letter"), room.path("letter"), Path("b/../../letter"), Path("linked/letter"),
    ]
    let stamp = FileStamp(try fileStatus(of: room.path("letter")))
    try room.withLedger { database in
      let ledger = try Ledger(database)
      var row = try #require(try ledger.output(Path("b/b-large.png")))
      row.stamp = stamp
      row.digest = ContentDigest.ofFile(at: room.path("letter"))
      for path in paths { try ledger.put(path, row) }
      try ledger.commit()
    }
    try room.remove("in/b/b.tif")
    let result = try room.prune("--yes")
    #expect(result.status == 1)
    #expect(result.errorText.split(separator: "\n").count == paths.count)
    #expect(result.errorText.contains("it does not lie in the folder of the results"))
    #expect(try System.kind(of: room.path("letter")) == .file)
    #expect(try System.kind(of: room.path("folder/letter")) == .file)
    #expect(try System.kind(of: room.path("out/b/b-large.png")) == .nothing)
  }

  @Test("Without a ledger nothing is ours")
  func noLedger() throws {
    try room.clear("out/.minilab")
    let result = try room.prune("--yes")
    #expect(result.status == 2)
    #expect(result.errorText.contains("no ledger is there"))
    #expect(try room.tree().count == 4)
    #expect(try room.status().status == 2)
  }

  @Test("The status counts what is there, what is missing and what has changed")
  func counts() throws {
    try room.scratch.write("no picture", to: "in/bad.jpg")
    try room.run()
    try room.remove("out/a-large.png")
    room.touch("out/small/a.webp")
    let shown = try room.status()
    #expect(shown.status == 0)
    let lines = shown.outputText.split(separator: "\n")
    #expect(lines[0].hasPrefix("out: 4 outputs made, "))
    #expect(lines[0].hasSuffix(", 1 missing, 1 looking changed since"))
    #expect(lines[1].contains(": 0 done, 1 failed, 2 skipped"))
    #expect(lines[2] == "  minilab run ./profile.toml in -o out")
    #expect(lines[3] == "failed in the last run: 1")
    #expect(lines[4].hasPrefix("  bad.jpg: expected a picture, found "))
    let json = try room.status("--json").outputText
    #expect(json.hasPrefix(#"{"event":"status","output":"out","made":4,"altered":0,"left-out":0,"#))
    #expect(json.contains(#""missing":1,"changed":1,"orphans":0,"bytes":"#))
  }

  @Test("What prune would remove is what the status counts, whatever the reason")
  func agree() throws {
    try room.remove("in/b/b.tif")
    #expect(try room.status("--json").outputText.contains("\"orphans\":2,"))
    let one = Darkroom.profile.split(separator: "\n").prefix(5).joined(separator: "\n")
    try room.scratch.write(one, to: "profile.toml")
    #expect(try room.status("--json").outputText.contains("\"orphans\":3,"))
    #expect(
      try room.status().outputText.contains(", 3 that no run would make any more (minilab prune)")
    )
    #expect(try room.prune("--yes").outputText.hasSuffix("removed 3 of 3\n"))
    #expect(try room.status("--json").outputText.contains("\"orphans\":0,"))
    // A file that is gone is none to be removed, and none that is missing.
    try room.remove("out/a-large.png")
    try room.remove("in/a.tif")
    try room.paint("c.tif", seed: 3)
    #expect(try room.status("--json").outputText.contains("\"missing\":0,"))
    #expect(try room.prune("--yes").outputText == "nothing to remove\n")
    #expect(try room.status("--json").outputText.contains("\"made\":0,"))
  }

  @Test("--json prints an object for each, and a summary")
  func json() throws {
    let tree = try room.tree()
    try room.scratch.write(try #require(tree["a-large.png"]), to: "out/b/b-large.png")
    try room.remove("in/b/b.tif")
    let kept =
      #"{"event":"orphan","path":"b/b-large.png","reason":"input-gone","status":"kept"}"# + "\n"
    let found = #"{"event":"orphan","path":"small/b/b.webp","reason":"input-gone","status":"#
    #expect(
      try room.prune("--dry-run", "--json").outputText
        == kept + found + #""found"}"# + "\n"
        + #"{"event":"summary","found":1,"removed":0,"kept":1,"failed":0}"# + "\n"
    )
    #expect(try room.prune("--json").status == 2)
    #expect(
      try room.prune("--yes", "--json").outputText
        == kept + found + #""removed"}"# + "\n"
        + #"{"event":"summary","found":1,"removed":1,"kept":1,"failed":0}"# + "\n"
    )
  }

  @Test("The status of a root that is in use says who uses it")
  func inUse() throws {
    let output = try OutputFolder(preparing: room.path("out"))
    try withExtendedLifetime(output) {
      let result = try room.status()
      #expect(result.status == 2)
      #expect(result.errorText.contains("in use by a run that is still going (process \(getpid())"))
    }
  }
}
