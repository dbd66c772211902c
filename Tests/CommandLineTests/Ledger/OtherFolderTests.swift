import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// Runs over one folder and then over another, into the same output root.
@Suite("Pictures of one name in two folders, one run after the other")
struct OtherFolderTests {
  let room: Darkroom
  private let upToDate = "skipped up-to-date"

  init() throws {
    room = try Darkroom()
    try room.paint("a.tif", seed: 1)
    try room.paint("b/b.tif", seed: 2)
    try room.run()
  }

  private func paint(_ name: String, seed: UInt32) throws {
    try room.scratch.write(Darkroom.picture(seed: seed, width: 20, height: 12), to: name)
  }

  @Test("What was made of the first folder is kept until --force, and the file is named")
  func differentPictures() throws {
    try paint("also/a.tif", seed: 7)
    try paint("also/new.tif", seed: 8)
    let made = try room.tree()
    let run = try room.run(input: "also")
    #expect(run.status == 1)
    #expect(run.items["a.tif"] == "failed exists")
    #expect(run.items["new.tif"] == "done new new-large.png small/new.webp")
    #expect(run.messages.contains("one of a picture of another folder: "))
    #expect(run.messages.contains("/in/a.tif"))
    #expect(try room.tree().filter { made[$0.key] != nil } == made)
    #expect(try Set(room.run().items.values) == [upToDate])
    // What stands there is the other folder's now.
    let forced = try room.run("--force", input: "also")
    #expect(forced.items["a.tif"] == "done forced a-large.png small/a.webp")
    #expect(try room.run(input: "also").items["a.tif"] == upToDate)
    #expect(try room.run().items == ["a.tif": "failed exists", "b/b.tif": upToDate])
  }

  @Test("A dry run does not say that it will be made")
  func dryRun() throws {
    try paint("also/a.tif", seed: 7)
    let words = ["run", "./profile.toml", "also", "-o", "out", "--dry-run", "--quiet"]
    #expect(try room.scratch.minilab(words).outputText.contains("to be compared"))
  }

  @Test("Of a folder that was moved, what was edited since fails until --force")
  func movedAndEdited() throws {
    try System.rename(room.path("in"), in: AT_FDCWD, to: room.path("moved"), in: AT_FDCWD)
    try paint("moved/a.tif", seed: 7)
    #expect(
      try room.run(input: "moved").items == ["a.tif": "failed exists", "b/b.tif": upToDate]
    )
    let again = try room.run("--only-failed", "--force", input: "moved")
    #expect(again.items == ["a.tif": "done forced a-large.png small/a.webp"])
    try paint("moved/a.tif", seed: 8)
    #expect(
      try room.run(input: "moved").items["a.tif"]
        == "done input-changed a-large.png small/a.webp"
    )
  }

  @Test("The same picture in another place is made anew where the profile has changed")
  func sameContents() throws {
    try paint("also/a.tif", seed: 1)
    let run = try room.run("--set", "output.large.effort=1", input: "also")
    #expect(run.items == ["a.tif": "done profile-changed a-large.png"])
  }

  @Test("What is not there any more is made of whatever has its name")
  func missing() throws {
    try paint("also/a.tif", seed: 7)
    for name in ["a-large.png", "small/a.webp"] { try room.remove("out/" + name) }
    let run = try room.run(input: "also")
    #expect(run.items["a.tif"]?.hasPrefix("done ") == true)
    #expect(run.items["a.tif"]?.hasSuffix("a-large.png small/a.webp") == true)
  }

  @Test("One output of another folder keeps a picture from being made, though the first is its own")
  func onlyOne() throws {
    try paint("also/a.tif", seed: 7)
    try room.remove("out/small/a.webp")
    let small = """
      profile = 1
      [[output]]
      path = "small/{dir}/{stem}.{ext}"
      format = "webp"
      """
    try room.scratch.write(small, to: "small.toml")
    #expect(try room.run(profile: "./small.toml", input: "also").status == 0)
    let made = try room.tree()
    #expect(try room.run().items == ["a.tif": "failed exists", "b/b.tif": upToDate])
    #expect(try room.tree() == made)
  }
}
