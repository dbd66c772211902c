import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// What a second run does, and why.
@Suite("Running again")
struct RerunTests {
  let room: Darkroom

  init() throws {
    room = try Darkroom()
    try room.paint("a.tif", seed: 1)
    try room.paint("b/b.tif", seed: 2)
    try room.paint("c.tif", seed: 3)
  }

  private let upToDate = "skipped up-to-date"

  /// Two runs over the same inputs: all is new, then none is to be made.
  private func settle() throws {
    let first = try room.run()
    #expect(first.status == 0, "\(first.messages)")
    #expect(first.items["a.tif"] == "done new a-large.png small/a.webp")
  }

  @Test("What is up to date is not made again, and nothing is written (report 47)")
  func nothingToDo() throws {
    try settle()
    let stamps = try room.stamps()
    #expect(stamps.count == 6)
    let second = try room.run()
    #expect(second.status == 0)
    #expect(second.items == ["a.tif": upToDate, "b/b.tif": upToDate, "c.tif": upToDate])
    #expect(try room.stamps() == stamps)
  }

  @Test("A changed input is made again, and no other")
  func changedInput() throws {
    try settle()
    let before = try room.tree()
    try room.paint("a.tif", seed: 9)
    let run = try room.run()
    #expect(run.items["a.tif"] == "done input-changed a-large.png small/a.webp")
    #expect(run.items["c.tif"] == upToDate)
    let after = try room.tree()
    #expect(after["a-large.png"] != before["a-large.png"])
    #expect(after["small/a.webp"] != before["small/a.webp"])
    #expect(after["c-large.png"] == before["c-large.png"])
    #expect(try room.run().items["a.tif"] == upToDate)
  }

  @Test("A change that keeps the size and puts the time back is seen")
  func hiddenChange() throws {
    try settle()
    let file = room.path("in/a.tif")
    let status = try fileStatus(of: file)
    try room.paint("a.tif", seed: 9)
    let times = [status.st_atim, status.st_mtim]
    #expect(file.withCString { utimensat(AT_FDCWD, $0, times, 0) } == 0)
    let now = try fileStatus(of: file)
    #expect(now.st_size == status.st_size && now.st_mtim.tv_nsec == status.st_mtim.tv_nsec)
    #expect(try room.run().items["a.tif"]?.hasPrefix("done input-changed") == true)
  }

  @Test("What only looked changed names its outputs as what is up to date at once does")
  func touchedOutputs() throws {
    try settle()
    func outputs() throws -> [String: String] {
      let words = ["run", "./profile.toml", "in", "-o", "out", "--json", "--quiet"]
      let result = try room.scratch.minilab(words)
      let items = result.outputText.split(separator: "\n").filter {
        $0.contains(#""event":"item""#)
      }
      return try Dictionary(
        uniqueKeysWithValues: items.map { line in
          let from = try #require(line.range(of: #""input":"#)).upperBound
          let outputs = try #require(line.range(of: #""outputs":["#))
          let end = try #require(line.range(of: #""notes":"#)).lowerBound
          return (
            String(line[from...].prefix { $0 != "," }), String(line[outputs.lowerBound..<end])
          )
        }
      )
    }
    let before = try outputs()
    #expect(before.values.allSatisfy { $0.contains("large.png") && $0.contains(#""width":8"#) })
    room.touch("in/a.tif")
    #expect(try outputs() == before)
  }

  @Test("A time that was changed and nothing else is no work, and is looked at once")
  func touchedInput() throws {
    try settle()
    let stamps = try room.stamps()
    room.touch("in/a.tif")
    #expect(try room.run().items["a.tif"] == upToDate)
    #expect(try room.stamps() == stamps)
    // The ledger has the new time now.
    let seen = try room.withLedger { database in
      try database.first("SELECT modified FROM unit WHERE path = ?", Path("a.tif")) { $0.int(0) }
    }
    #expect(seen == FileStamp(try fileStatus(of: room.path("in/a.tif"))).modified)
  }

  @Test("Another spelling of the input folder, or another place, is no work")
  func otherSpelling() throws {
    try settle()
    let spelled = try room.run(input: "./in/../in/", output: "./out/")
    #expect(Set(spelled.items.values) == [upToDate])
    try System.rename(room.path("in"), in: AT_FDCWD, to: room.path("moved"), in: AT_FDCWD)
    #expect(try Set(room.run(input: "moved").items.values) == [upToDate])
  }

  @Test("Two inputs that change places are both made again")
  func exchanged() throws {
    try settle()
    let before = try room.tree()
    try System.exchange(
      room.path("in/a.tif"),
      in: AT_FDCWD,
      with: room.path("in/c.tif"),
      in: AT_FDCWD
    )
    let run = try room.run()
    #expect(run.items["a.tif"]?.hasPrefix("done input-changed") == true)
    #expect(run.items["c.tif"]?.hasPrefix("done input-changed") == true)
    #expect(try room.tree()["a-large.png"] == before["c-large.png"])
  }

  @Test("An output's own setting makes that output again, a step all outputs")
  func changedProfile() throws {
    try settle()
    let own = ["--set", "output.large.effort=1"]
    #expect(try room.run(own[0], own[1]).items["a.tif"] == "done profile-changed a-large.png")
    #expect(try room.run(own[0], own[1]).items["a.tif"] == upToDate)
    let step = ["--set", "output.small.thumbnail-preview.max-side=6"]
    #expect(
      try room.run(own[0], own[1], step[0], step[1]).items["a.tif"]
        == "done profile-changed a-large.png small/a.webp"
    )
  }

  @Test("A missing output is made again alone, with the same bytes")
  func missingOutput() throws {
    try settle()
    let tree = try room.tree()
    for name in ["a-large.png", "small/a.webp"] {
      try room.remove("out/\(name)")
      #expect(try room.run().items["a.tif"] == "done output-missing \(name)")
      #expect(try room.tree() == tree)
    }
  }

  @Test(
    "An output that no longer reads is made again",
    arguments: [[], [0], Array("no picture".utf8), Array("\u{89}PNG\r\n\u{1a}\n".utf8)]
  )
  func damagedOutput(bytes: [UInt8]) throws {
    try settle()
    let tree = try room.tree()
    try room.scratch.write(bytes, to: "out/a-large.png")
    #expect(try room.run().items["a.tif"] == "done output-damaged a-large.png")
    #expect(try room.tree() == tree)
  }

  @Test("An output that was cut off is made again")
  func cutOutput() throws {
    try settle()
    let tree = try room.tree()
    let whole = try #require(tree["a-large.png"])
    try room.scratch.write(Array(whole.dropLast(whole.count / 2)), to: "out/a-large.png")
    #expect(try room.run().items["a.tif"] == "done output-damaged a-large.png")
    #expect(try room.tree() == tree)
  }

  @Test("An output that somebody has retouched is left, until --force")
  func alteredOutput() throws {
    try settle()
    let tree = try room.tree()
    let other = try #require(tree["c-large.png"])
    try room.scratch.write(other, to: "out/a-large.png")
    for _ in 1...2 {
      let run = try room.run()
      #expect(run.items["a.tif"] == "skipped altered")
      #expect(try contents(of: room.path("out/a-large.png")) == other)
    }
    // Also where there is a reason to make it anew.
    try room.paint("a.tif", seed: 9)
    let run = try room.run()
    #expect(run.items["a.tif"] == "done input-changed small/a.webp")
    #expect(try contents(of: room.path("out/a-large.png")) == other)
    // What was made first is back, and is not what this input gives.
    try room.scratch.write(try #require(tree["a-large.png"]), to: "out/a-large.png")
    #expect(try room.run().items["a.tif"]?.hasSuffix("a-large.png") == true)
    #expect(try room.tree()["a-large.png"] != tree["a-large.png"])
    try room.scratch.write(other, to: "out/a-large.png")
    #expect(try room.run("--force").items["a.tif"] == "done forced a-large.png small/a.webp")
    #expect(try contents(of: room.path("out/a-large.png")) != other)
    #expect(try room.run().items["a.tif"] == upToDate)
  }

  @Test("An output that was retouched is noted where the others are made")
  func notedAlteration() throws {
    try settle()
    try room.scratch.write(try #require(try room.tree()["c-large.png"]), to: "out/a-large.png")
    try room.remove("out/small/a.webp")
    let run = try room.run()
    #expect(run.items["a.tif"] == "done output-missing small/a.webp")
    #expect(run.notes["a.tif"] == ["output-altered"])
  }

  @Test("The times of an output alone are no alteration")
  func touchedOutput() throws {
    try settle()
    room.touch("out/a-large.png")
    #expect(try room.run().items["a.tif"] == upToDate)
  }

  @Test("--force makes everything again")
  func force() throws {
    try settle()
    let tree = try room.tree()
    let run = try room.run("--force")
    #expect(run.items["c.tif"] == "done forced c-large.png small/c.webp")
    #expect(try room.tree() == tree)
    #expect(try room.run().items["c.tif"] == upToDate)
  }

  @Test("A file that is none of ours is not replaced, unless --force says so")
  func unknownFile() throws {
    try room.scratch.write("a letter", to: "out/a-large.png")
    for _ in 1...2 {
      let run = try room.run()
      #expect(run.status == 1)
      #expect(run.items["a.tif"] == "failed exists")
      #expect(run.items["c.tif"]?.contains("failed") == false)
    }
    #expect(try contents(of: room.path("out/a-large.png")) == Array("a letter".utf8))
    #expect(try room.tree()["small/a.webp"] == nil)
    #expect(try room.run("--force").items["a.tif"] == "done forced a-large.png small/a.webp")
    #expect(try room.run().items["a.tif"] == upToDate)
  }

  @Test("What a step leaves out is not made, and not asked for again")
  func leftOut() throws {
    try room.paint("tiny.tif", seed: 5, width: 4, height: 4)
    let skipping = ["--set", "output.small.thumbnail-preview.within-limit=skip"]
    let first = try room.run(skipping[0], skipping[1])
    #expect(first.items["tiny.tif"] == "done new tiny-large.png")
    #expect(first.items["a.tif"] == "done new a-large.png small/a.webp")
    let second = try room.run(skipping[0], skipping[1])
    #expect(Set(second.items.values) == [upToDate])
    // Made, then left out, then made again: the file in between is ours all the time.
    #expect(try room.run().items["tiny.tif"]?.hasSuffix("small/tiny.webp") == true)
    _ = try room.run(skipping[0], skipping[1])
    #expect(try room.run().items["tiny.tif"]?.hasPrefix("done profile-changed") == true)
  }

  @Test("A unit of which nothing is made says so again, and costs nothing")
  func wholeUnitLeftOut() throws {
    let room = try Darkroom(
      """
      profile = 1
      [[step]]
      op = "thumbnail-preview"
      max-side = 8
      within-limit = "skip"
      [[output]]
      format = "png"
      """
    )
    try room.paint("tiny.tif", seed: 5, width: 4, height: 4)
    for _ in 1...2 { #expect(try room.run().items["tiny.tif"] == "skipped within-limit") }
    let units = try room.withLedger { try $0.first("SELECT count(*) FROM run") { $0.int(0) } }
    #expect(units == 1)
  }

  @Test("A note that is forbidden later makes what has it fail")
  func forbiddenLater() throws {
    // The tiny one alone is within the limit.
    try room.paint("tiny.tif", seed: 5, width: 4, height: 4)
    try room.run()
    let forbidding = Darkroom.profile + "\n[notes]\nforbid = [\"within-limit\"]\n"
    try room.scratch.write(forbidding, to: "profile.toml")
    let run = try room.run()
    #expect(run.items["tiny.tif"] == "failed note-forbidden")
    #expect(run.items["a.tif"] == upToDate)
  }

  @Test("A file that the profile names counts by its content")
  func namedFile() throws {
    let room = try Darkroom(
      """
      profile = 1
      [[step]]
      op = "compose"
        [[step.layer]]
        source = "frame"
        [[step.layer]]
        source = "mark.tif"
      [[output]]
      format = "png"
      """
    )
    try room.paint("a.tif", seed: 1)
    try room.scratch.write(Darkroom.picture(seed: 7, width: 4, height: 4), to: "mark.tif")
    #expect(try room.run().items["a.tif"] == "done new a.png")
    room.touch("mark.tif")
    #expect(try room.run().items["a.tif"] == upToDate)
    try room.scratch.write(Darkroom.picture(seed: 8, width: 4, height: 4), to: "mark.tif")
    #expect(try room.run().items["a.tif"] == "done profile-changed a.png")
  }

  @Test("Failures are tried again, and leave what was made before")
  func failures() throws {
    try settle()
    let made = try room.tree()
    try room.scratch.write("no picture", to: "in/a.tif")
    for _ in 1...2 { #expect(try room.run().items["a.tif"] == "failed not-a-picture") }
    #expect(try room.tree() == made)
    try room.paint("a.tif", seed: 1)
    #expect(try room.run().items["a.tif"] == upToDate)
  }
}
