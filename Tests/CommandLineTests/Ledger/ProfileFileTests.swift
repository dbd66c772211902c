import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// What was made is known by what the profile says, and not by what its file is called.
@Suite("Running again: the profile's file")
struct ProfileFileRerunTests {
  let room: Darkroom

  init() throws { room = try .afterRun() }

  private func prune() throws -> String { try room.prune("--yes").outputText }

  private func rename(_ from: String, _ to: String) throws {
    try System.rename(room.path(from), in: AT_FDCWD, to: room.path(to), in: AT_FDCWD)
  }

  private let upToDate: Set = ["skipped up-to-date"]

  @Test("A profile whose file was renamed makes nothing again, and what is there is its own")
  func renamed() throws {
    let stamps = try room.stamps()
    try rename("profile.toml", "new.toml")
    #expect(try Set(room.run(profile: "./new.toml").items.values) == upToDate)
    #expect(try room.stamps() == stamps)
    #expect(try prune() == "nothing to remove\n")
    // An output that it has no longer is pruned by its word.
    let one = Darkroom.profile.split(separator: "\n").prefix(5).joined(separator: "\n")
    try room.scratch.write(one, to: "new.toml")
    #expect(try prune().hasSuffix("removed 2 of 2\n"))
  }

  @Test("A copy of it makes nothing again either")
  func copied() throws {
    try room.scratch.write(Darkroom.profile, to: "copy.toml")
    #expect(try Set(room.run(profile: "./copy.toml").items.values) == upToDate)
    #expect(try Set(room.run().items.values) == upToDate)
    try room.remove("profile.toml")
    try room.remove("out/a-large.png")
    let run = try room.run(profile: "./copy.toml")
    #expect(
      run.items == ["a.tif": "done output-missing a-large.png", "b/b.tif": "skipped up-to-date"]
    )
    #expect(try prune() == "nothing to remove\n")
  }

  @Test("A renamed profile knows what it has left behind under paths of old")
  func renamedAndMoved() throws {
    try room.remove("profile.toml")
    let toml = Darkroom.profile.replacing("{dir}/{stem}-{output}.{ext}", with: "large/{stem}.{ext}")
    try room.scratch.write(toml, to: "new.toml")
    #expect(try room.run(profile: "./new.toml").status == 0)
    #expect(
      try prune() == """
        a-large.png: the profile gives another path now
        b/b-large.png: the profile gives another path now
        removed 2 of 2

        """
    )
  }

  @Test("An output that has another name and the same path is not made again")
  func renamedOutput() throws {
    let toml = Darkroom.profile.replacing("name = \"large\"", with: "name = \"big\"")
      .replacing("{stem}-{output}", with: "{stem}-large")
    try room.scratch.write(toml, to: "profile.toml")
    #expect(try Set(room.run().items.values) == upToDate)
    #expect(try prune() == "nothing to remove\n")
  }

  @Test("Nor is one with steps of its own; it is pruned by its new name")
  func renamedOutputWithSteps() throws {
    let toml = Darkroom.profile.replacing("name = \"small\"", with: "name = \"web\"")
    try room.scratch.write(toml, to: "profile.toml")
    let stamps = try room.stamps()
    #expect(try Set(room.run().items.values) == upToDate)
    #expect(try room.stamps() == stamps)
    #expect(try prune() == "nothing to remove\n")
    let one = Darkroom.profile.split(separator: "\n").prefix(5).joined(separator: "\n")
    try room.scratch.write(one, to: "profile.toml")
    #expect(
      try prune() == """
        small/a.webp: the profile has no output "web" any more
        small/b/b.webp: the profile has no output "web" any more
        removed 2 of 2

        """
    )
  }

  @Test("Outputs that exchange their names where these are in the paths are made anew")
  func exchangedNames() throws {
    let other = Darkroom.profile.replacing("lossless = true\n", with: "")
      .replacing("format = \"webp\"", with: "format = \"png\"")
      .replacing("small/{dir}/{stem}.{ext}", with: "{dir}/{stem}-{output}.{ext}")
    try room.scratch.write(other, to: "profile.toml")
    try room.run()
    let before = try room.tree()
    let exchanged = other.replacing("\"large\"", with: "\"NAME\"")
      .replacing("\"small\"", with: "\"large\"").replacing("\"NAME\"", with: "\"small\"")
    try room.scratch.write(exchanged, to: "profile.toml")
    #expect(try room.run().items["a.tif"] == "done profile-changed a-small.png a-large.png")
    let after = try room.tree()
    #expect(after["a-large.png"] == before["a-small.png"])
    #expect(after["a-small.png"] == before["a-large.png"])
  }

  @Test("Outputs that exchange their paths are made anew, though all else of them is the same")
  func exchangedPaths() throws {
    let other = Darkroom.profile.replacing("lossless = true\n", with: "")
      .replacing("format = \"webp\"", with: "format = \"png\"")
    try room.scratch.write(other, to: "profile.toml")
    try room.run()
    let before = try room.tree()
    let (large, small) = ("{dir}/{stem}-{output}.{ext}", "small/{dir}/{stem}.{ext}")
    let exchanged = other.replacing(large, with: "PATH")
      .replacing(small, with: "{dir}/{stem}-large.{ext}").replacing("PATH", with: small)
    try room.scratch.write(exchanged, to: "profile.toml")
    #expect(try room.run().items["a.tif"] == "done profile-changed small/a.png a-large.png")
    let after = try room.tree()
    #expect(after["a-large.png"] == before["small/a.png"])
    #expect(after["small/a.png"] == before["a-large.png"])
  }

  @Test("A change of what it says is a change, whatever it is called")
  func changed() throws {
    try rename("profile.toml", "new.toml")
    let run = try room.run(
      "--set",
      "output.small.thumbnail-preview.max-side=6",
      profile: "./new.toml"
    )
    #expect(run.items["a.tif"] == "done profile-changed a-large.png small/a.webp")
  }
}
