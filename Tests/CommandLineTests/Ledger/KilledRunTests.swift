import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// Whatever ends a run, the next one ends with the tree of a run that nobody disturbed (report 39).
@Suite("A run that was killed")
struct KilledRunTests {
  /// How many pictures there are.
  private static let count = 40

  private func room() throws -> Darkroom {
    let room = try Darkroom()
    for index in 0..<Self.count {
      try room.paint("\(index).tif", seed: UInt32(index), width: 200, height: 150)
    }
    return room
  }

  private func begin(_ room: Darkroom) throws -> Process {
    try room.scratch.begin(["run", "./profile.toml", "in", "-o", "out", "--quiet"])
  }

  private func children(of process: Int32) -> [Int32] {
    let listed = System.contents(of: Path("/proc/\(process)/task/\(process)/children")) ?? []
    return String(decoding: listed, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
  }

  /// Ends when so many outputs are there, or the run is over.
  private func waitForOutputs(_ room: Darkroom, _ count: Int, _ process: Process) {
    while process.isRunning {
      if ((try? room.tree())?.count ?? 0) >= count { return }
      usleep(2_000)
    }
  }

  @Test("After a kill at any point the next run makes what is missing, and only that")
  func killedAnywhere() throws {
    let room = try room()
    try room.run(output: "whole")
    let whole = try room.tree("whole")
    #expect(whole.count == 2 * Self.count)
    var dice = Dice(39)
    for round in 0..<10 {
      if round % 3 == 0 { _ = try? room.clear("out") }
      // Half of the rounds make what is there anew.
      let seed = UInt32(round % 2)
      try room.paint("7.tif", seed: 1000 + seed, width: 200, height: 150)
      let process = try begin(room)
      waitForOutputs(room, dice.next(0...(2 * Self.count)), process)
      let workers = children(of: process.processIdentifier)
      let victim =
        round % 4 == 3 ? workers.first ?? process.processIdentifier : process.processIdentifier
      kill(victim, SIGKILL)
      process.waitUntilExit()
      let left = try room.tree()
      let run = try room.run()
      #expect(
        run.status == 0,
        "round \(round): \(run.items.filter { $0.value.hasPrefix("failed") }) \(run.messages)"
      )
      try room.paint("7.tif", seed: 7, width: 200, height: 150)
      try room.run()
      #expect(try room.tree() == whole, "round \(round)")
      #expect(try Set(room.run().items.values) == ["skipped up-to-date"], "round \(round)")
      // A name never holds half a picture.
      for (name, bytes) in left where name != "7-large.png" && name != "small/7.webp" {
        #expect(bytes == whole[name], "round \(round): \(name)")
      }
      #expect(try room.names("out/.minilab/tmp").isEmpty)
    }
  }

  @Test(
    "After a power cut files that were cut off or lost although they had their names are made again"
  )
  func powerCut() throws {
    let room = try room()
    try room.run(output: "whole")
    let whole = try room.tree("whole")
    let process = try begin(room)
    waitForOutputs(room, Self.count, process)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let left = try room.tree().keys.sorted()
    for (index, name) in left.enumerated() {
      let bytes = try #require(whole[name])
      switch index % 5 {
      case 0: try room.scratch.write(Array(bytes.prefix(bytes.count / 2)), to: "out/\(name)")
      case 1: try room.scratch.write("", to: "out/\(name)")
      case 2: try room.remove("out/\(name)")
      case 3: try room.scratch.write([UInt8](repeating: 0, count: bytes.count), to: "out/\(name)")
      default: break
      }
    }
    let run = try room.run()
    #expect(run.status == 0, "\(run.items.filter { $0.value.hasPrefix("failed") })")
    #expect(try room.tree() == whole)
    #expect(try Set(room.run().items.values) == ["skipped up-to-date"])
  }

  @Test("What a run has written down before it made anything is enough for the next one")
  func onlyClaims() throws {
    let room = try Darkroom()
    for index in 0..<4 { try room.paint("\(index).tif", seed: UInt32(index)) }
    try room.run()
    let whole = try room.tree()
    // The disk has the files and of the ledger only what was waited for: the claims.
    try room.withLedger { database in
      try database.execute(
        """
        UPDATE run SET ended = NULL;
        UPDATE output SET state = 0, unit = 0, recipe = 0, claim = 1, size = NULL, modified = NULL,
          changed = NULL, digest = NULL;
        DELETE FROM unit
        """
      )
    }
    try room.scratch.write("half a pict", to: "out/1-large.png")
    try room.remove("out/2-large.png")
    let run = try room.run()
    #expect(run.status == 0)
    #expect(run.items["0.tif"] == "done unfinished 0-large.png small/0.webp")
    #expect(run.items["2.tif"]?.hasPrefix("done new") == true)
    #expect(try room.tree() == whole)
  }

  @Test("The status counts what a killed run has half made, and not what it had only written down")
  func unfinished() throws {
    let room = try Darkroom()
    for index in 0..<3 { try room.paint("\(index).tif", seed: UInt32(index)) }
    try room.run()
    // A second run was to make all of them anew, and two more pictures. It has come to the first one's, to
    // one of the two of the fourth, and to none of the fifth.
    let large = try #require(try room.tree()["1-large.png"])
    try room.scratch.write(large, to: "out/0-large.png")
    try room.paint("3.tif", seed: 3)
    try room.paint("4.tif", seed: 4)
    try room.scratch.write(large, to: "out/3-large.png")
    try room.withLedger { database in
      try database.execute(
        "INSERT INTO run (started, boot, profile, arguments) SELECT 1, boot, profile, '[]' FROM run"
      )
      let ledger = try Ledger(database)
      var paths: [Path] = []
      try ledger.eachOutput { path, _ in paths.append(path) }
      for path in paths { try database.run("UPDATE output SET claim = 2 WHERE path = ?", path) }
      for path in ["3-large.png", "small/3.webp", "4-large.png", "small/4.webp"] {
        try database.run(
          "INSERT INTO output (path, state, unit, recipe, run, claim) VALUES (?, 0, 0, 0, 2, 2)",
          Path(path)
        )
      }
    }
    #expect(try room.status().outputText.contains(" bytes, 2 unfinished\nlast run"))
    let told = try room.status("--json").outputText
    #expect(told.contains(#""made":6,"altered":0,"left-out":0,"unfinished":2,"#))
    #expect(told.contains(#""missing":0,"changed":0,"#))
    // They are those that the next run calls so.
    #expect(
      try room.run().items == [
        "0.tif": "done unfinished 0-large.png", "1.tif": "skipped up-to-date",
        "2.tif": "skipped up-to-date", "3.tif": "done unfinished 3-large.png small/3.webp",
        "4.tif": "done new 4-large.png small/4.webp",
      ]
    )
    #expect(try room.status("--json").outputText.contains(#""unfinished":0,"#))
  }

  @Test("A retouched output is not lost where a run was killed before it came to it")
  func retouchedBeforeKill() throws {
    let room = try Darkroom()
    for index in 0..<4 { try room.paint("\(index).tif", seed: UInt32(index)) }
    try room.run()
    let tree = try room.tree()
    let retouched = try #require(tree["3-large.png"])
    try room.scratch.write(retouched, to: "out/0-large.png")
    // The killed run was to make all anew; its claims are all that it has left.
    try room.withLedger { database in
      try database.execute(
        """
        INSERT INTO run (started, boot, profile, arguments) VALUES (1, '', '', '[]');
        UPDATE output SET claim = 2 WHERE path <> x'302d6c617267652e706e67'
        """
      )
    }
    #expect(try room.run().items["0.tif"] == "skipped altered")
    #expect(try contents(of: room.path("out/0-large.png")) == retouched)
    // And a file that it had made anew, without coming to write that down, is told from such a one.
    try room.withLedger { database in
      try database.execute(
        """
        INSERT INTO run (started, boot, profile, arguments) VALUES (1, '', '', '[]');
        UPDATE output SET claim = (SELECT max(id) FROM run) WHERE path = x'312d6c617267652e706e67'
        """
      )
    }
    let own = ["--set", "output.large.effort=0"]
    #expect(try room.run(own[0], own[1], output: "other").status == 0)
    let anew = try #require(try room.tree("other")["1-large.png"])
    try room.scratch.write(anew, to: "out/1-large.png")
    let run = try room.run(own[0], own[1])
    #expect(run.items["1.tif"]?.contains("1-large.png") == true)
    #expect(try contents(of: room.path("out/1-large.png")) == anew)
    #expect(try room.run(own[0], own[1]).items["1.tif"] == "skipped up-to-date")
  }
}

extension Darkroom {
  /// Removes an output root with everything in it.
  func clear(_ name: String) throws {
    _ = try Program(Path("/bin/rm")).run("-rf", path(name).shown)
  }

  func names(_ folder: String) throws -> [String] {
    let open = try Descriptor(opening: path(folder), O_RDONLY | Int32(O_DIRECTORY))
    return try System.names(in: open.number).map(\.shown)
  }
}
