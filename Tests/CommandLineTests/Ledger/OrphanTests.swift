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

  init() throws { room = try .afterRun() }

  private func minilab(_ words: String...) throws -> Program.Result {
    try room.scratch.minilab(words)
  }

  @Test("After a template has changed, prune removes what stands under the old paths")
  func template() throws {
    let toml = Darkroom.profile.replacing("{dir}/{stem}-{output}.{ext}", with: "large/{stem}.{ext}")
    try room.scratch.write(toml, to: "profile.toml")
    let run = try minilab("run", "./profile.toml", "in", "-o", "out")
    #expect(run.status == 0)
    #expect(
      run.errorText.hasSuffix(
        "2 files under paths that the profile no longer gives: minilab prune removes what nobody has changed\n"
      )
    )
    let status = try room.status()
    #expect(status.outputText.contains("2 that no run would make any more"))
    #expect(try room.status("--json").outputText.contains(#""orphans":2"#))
    // It is told once, and not by a run that changes nothing.
    #expect(
      try !minilab("run", "./profile.toml", "in", "-o", "out").errorText.contains("no longer gives")
    )
    try room.scratch.write("a letter", to: "out/b/letter.txt")
    let pruned = try room.prune("--yes")
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
    #expect(try room.prune("--yes").outputText == "nothing to remove\n")
  }

  @Test("A format that gives the path another ending leaves the old file behind")
  func format() throws {
    try room.run("--set", "output.large.format=tiff")
    #expect(
      try room.prune("--dry-run").outputText == """
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
      try room.prune("--dry-run").outputText == """
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
    let pruned = try room.prune("--yes")
    #expect(pruned.status == 0)
    #expect(
      pruned.outputText == """
        a-large.png: the profile gives another path now; it is kept, as somebody has changed it since \
        it was made
        nothing to remove

        """
    )
    #expect(try room.tree()["b/b-large.png"] != nil)
  }

  @Test("What another profile has made since under an old path is that one's")
  func otherProfile() throws {
    try room.run("--set", moved)
    try room.scratch.write(Darkroom.profile, to: "other.toml")
    let run = try minilab("run", "./other.toml", "in", "-o", "out", "--force")
    #expect(run.status == 0)
    #expect(try room.prune("--yes").outputText == "nothing to remove\n")
  }

  /// Of a profile whose paths do not follow from the names of inputs alone.
  private func prune(_ path: String, by name: String = "clash = \"error\"") throws -> Darkroom {
    let room = try Darkroom(
      """
      profile = 1
      [input]
      \(name)
      [[step]]
      op = "thumbnail-preview"
      max-side = 16
      [[output]]
      path = "\(path)"
      format = "png"
      """
    )
    for (index, name) in ["a.tif", "b.tif", "c.tif"].enumerated() {
      try room.paint(name, seed: UInt32(index + 1))
    }
    try room.run()
    return room
  }

  @Test("Runs over more and fewer folders in turn agree on what no run would make any more")
  func severalRoots() throws {
    let path = "{root}/{index}-{stem}-{width}.{ext}"
    let room = try prune(path)
    try room.scratch.write(Darkroom.picture(seed: 7, width: 20, height: 12), to: "also/z.tif")
    func run(_ words: String...) throws -> String {
      let words = ["run", "./profile.toml"] + words + ["-o", "out", "-q"]
      return try room.scratch.minilab(words).errorText
    }
    func shown(_ paths: [String]) -> String {
      paths.map { "\($0): the profile gives another path now\n" }.joined()
    }
    let small = "thumbnail-preview.max-side=10"
    let smallOnes = ["in/2-a-10.png", "in/3-b-10.png", "in/4-c-10.png"]
    let largeOnes = ["in/1-a-16.png", "in/2-b-16.png", "in/3-c-16.png"]
    _ = try run("in", "also", "--set", small)
    #expect(try dry(room) == shown(largeOnes))
    // What this run calls up to date is no orphan, whatever another run has called it.
    _ = try run("in")
    #expect(try dry(room) == shown(smallOnes))
    // The same without a change of the profile: only places differ.
    _ = try run("also", "in")
    #expect(try dry(room).contains(shown([largeOnes[0]])))
    _ = try run("in")
    #expect(try !dry(room).contains(largeOnes[0]))
  }

  private func dry(_ room: Darkroom) throws -> String {
    try room.prune("--dry-run").outputText
  }

  @Test("A step that changes a size in the path leaves the old file behind")
  func sizeInPath() throws {
    let room = try prune("{stem}-{width}x{height}.{ext}")
    #expect(try room.tree().keys.sorted().first == "a-16x10.png")
    try room.run("--set", "thumbnail-preview.max-side=10")
    let moved = ["a", "b", "c"].map { "\($0)-16x10.png: the profile gives another path now\n" }
    #expect(try dry(room) == moved.joined())
    let status = try room.status().outputText
    #expect(status.contains("3 that no run would make any more (minilab prune)"))
  }

  @Test("So does a picture of another size, and going back makes an output of the old file again")
  func inputOfAnotherSize() throws {
    let room = try prune("{stem}-{width}x{height}.{ext}")
    try room.paint("a.tif", seed: 9, width: 12, height: 12)
    try room.run()
    #expect(try dry(room) == "a-16x10.png: the profile gives another path now\n")
    try room.paint("a.tif", seed: 1)
    #expect(try room.run().items["a.tif"] == "skipped up-to-date")
    #expect(try dry(room) == "a-12x12.png: the profile gives another path now\n")
  }

  @Test("Of numbered outputs the last ones are left over when there are fewer pictures")
  func fewer() throws {
    let room = try prune("{index}.{ext}")
    try room.remove("in/a.tif")
    try room.run()
    #expect(try room.tree().keys.sorted() == ["1.png", "2.png", "3.png"])
    #expect(try dry(room) == "3.png: the profile gives another path now\n")
  }

  @Test("A clash that is gone leaves the numbered name behind")
  func clash() throws {
    let room = try prune("{stem}.{ext}", by: "clash = \"number\"")
    try room.paint("x/a.tif", seed: 7)
    try room.run()
    #expect(try room.tree()["a-2.png"] != nil)
    try room.remove("in/a.tif")
    try room.run()
    #expect(try dry(room) == "a-2.png: the profile gives another path now\n")
  }

  @Test("A run over a folder below says nothing of what a run over all has made of it")
  func otherRoot() throws {
    let room = try prune("{dir}/{stem}-{width}.{ext}")
    try room.paint("x/d.tif", seed: 4)
    try room.run()
    #expect(try room.run(input: "in/x").status == 0)
    #expect(try room.tree().count == 5)
    #expect(try dry(room) == "nothing to remove\n")
  }

  @Test("Groups that are cut another way leave theirs behind")
  func groups() throws {
    let room = try Darkroom(
      """
      profile = 1
      [gather]
      by = "count:2"
      [[step]]
      op = "compose"
      layout = "strip"
      tile = [10, 10]
      [[output]]
      path = "{group}-{stem}.{ext}"
      format = "png"
      """
    )
    for index in 1...4 { try room.paint("\(index).tif", seed: UInt32(index)) }
    try room.run()
    #expect(try room.tree().keys.sorted() == ["1-1.png", "2-3.png"])
    try room.remove("in/1.tif")
    try room.run()
    #expect(try room.tree().keys.sorted() == ["1-1.png", "1-2.png", "2-3.png", "2-4.png"])
    #expect(
      try dry(room) == """
        1-1.png: the profile gives another path now
        2-3.png: the profile gives another path now

        """
    )
  }
}
