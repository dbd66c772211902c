import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// What a profile whose paths have changed leaves behind is known, and only what it leaves behind.
@Suite("Outputs under paths that the profile no longer gives", .vips)
struct OrphanTests {
  let room: Darkroom
  private let moved = "output.large.path=large/{dir}/{stem}.{ext}"

  init() throws {
    room = try Darkroom()
    try room.paint("a.tif", seed: 1)
    try room.paint("b/b.tif", seed: 2)
    try room.run()
  }

  private func minilab(_ words: String...) throws -> Program.Result {
    try room.minilab.run(words.map { Path($0) }, in: room.scratch.path)
  }

  @Test("After a template has changed, prune removes what stands under the old paths")
  func template() throws {
    let toml = Darkroom.profile.replacing("{dir}/{stem}-{output}.{ext}", with: "large/{stem}.{ext}")
    try room.scratch.write(toml, to: "profile.toml")
    let run = try minilab("run", "./profile.toml", "in", "-o", "out")
    #expect(run.status == 0)
    #expect(
      run.errorText.hasSuffix(
        "2 files stand under paths that the profile no longer gives: minilab prune removes them\n"
      )
    )
    let status = try minilab("status", "out")
    #expect(status.outputText.contains("2 under paths that their profile no longer gives"))
    #expect(try minilab("status", "out", "--json").outputText.contains(#""orphans":2"#))
    // It is told once, and not by a run that changes nothing.
    #expect(
      try !minilab("run", "./profile.toml", "in", "-o", "out").errorText.contains("stand under")
    )
    try room.scratch.write("a letter", to: "out/b/letter.txt")
    let pruned = try minilab("prune", "out", "--yes")
    #expect(
      pruned.outputText == """
        a-large.png: the profile gives another path now
        b/b-large.png: the profile gives another path now
        removed 2 of 2

        """
    )
    #expect(
      try room.tree().keys.sorted()
        == ["b/letter.txt", "large/a.png", "large/b.png", "small/a.webp", "small/b/b.webp"]
    )
    #expect(try Set(room.run().items.values) == ["skipped up-to-date"])
    #expect(try minilab("prune", "out", "--yes").outputText == "nothing to remove\n")
  }

  @Test("A format that gives the path another ending leaves the old file behind")
  func format() throws {
    try room.run("--set", "output.large.format=tiff")
    #expect(
      try minilab("prune", "out", "--dry-run").outputText == """
        a-large.png: the profile gives another path now
        b/b-large.png: the profile gives another path now

        """
    )
  }

  @Test("A path that the profile gives again is an output again, and is not made anew")
  func andBack() throws {
    try room.run("--set", moved)
    #expect(try room.run().items["a.tif"] == "skipped up-to-date")
    // Now it is the other ones.
    #expect(
      try minilab("prune", "out", "--dry-run").outputText == """
        large/a.png: the profile gives another path now
        large/b/b.png: the profile gives another path now

        """
    )
  }

  @Test("A run over some of the inputs says nothing of the others, and a retouched file stays")
  func careful() throws {
    let one = try minilab("run", "./profile.toml", "in/a.tif", "-o", "out", "--set", moved)
    #expect(one.status == 0)
    let tree = try room.tree()
    try room.scratch.write(try #require(tree["b/b-large.png"]), to: "out/a-large.png")
    let pruned = try minilab("prune", "out", "--yes")
    #expect(pruned.outputText.hasPrefix("a-large.png: the profile gives another path now\n"))
    #expect(pruned.errorText.contains("a-large.png was kept: somebody has changed it"))
    #expect(try room.tree()["b/b-large.png"] != nil)
  }

  @Test("What another profile has made since under an old path is that one's")
  func otherProfile() throws {
    try room.run("--set", moved)
    try room.scratch.write(Darkroom.profile, to: "other.toml")
    let run = try minilab("run", "./other.toml", "in", "-o", "out", "--force")
    #expect(run.status == 0)
    #expect(try minilab("prune", "out", "--yes").outputText == "nothing to remove\n")
  }
}
