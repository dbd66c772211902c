import FoundationEssentials
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Loading profiles")
struct ProfileLoaderTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  private func load(
    _ given: String,
    set assignments: [String] = [],
    folders: [Path] = []
  ) throws -> Profile {
    let path = given.hasSuffix(".toml") ? folder.path.appending(given) : Path(given)
    return try ProfileLoader.load(
      path,
      settings: assignments.map { .key($0) },
      operations: sampleOperations,
      finder: ProfileFinder(folders: folders)
    )
  }

  /// The problems, one to a line, without the scratch folder's name.
  private func problems(
    _ given: String,
    set assignments: [String] = [],
    folders: [Path] = []
  ) -> [String] {
    do {
      _ = try load(given, set: assignments, folders: folders)
      return []
    } catch let problems as Problems {
      return problems.all.map { $0.description.replacing(folder.text + "/", with: "") }
    } catch {
      return ["\(error)"]
    }
  }

  private func write(_ text: String, to name: String = "a.toml") throws {
    try folder.write(text, to: name)
  }

  @Test("a whole profile is understood")
  func whole() throws {
    try write(
      """
      profile = 1
      summary = "All of it"
      [input]
      links = "follow"
      max-pixels = 1000
      [[step]]
      op = "cut"
      gravity = "north"
      [[step]]
      op = "cut"
      id = "again"
      aspect = "1:1"
      [[output]]
      name = "large"
      path = "{stem}.{ext}"
      format = "webp"
      quality = 71
        [[output.step]]
        op = "shrink"
        side = 30
      [[output]]
      name = "small"
      """
    )
    let profile = try load("a.toml")
    #expect(profile.summary == "All of it")
    #expect(profile.input.links == .follow)
    #expect(profile.input.maxPixels == 1000)
    #expect(profile.steps.map(\.id) == ["cut", "again"])
    #expect((profile.steps[0].operation as? Cut)?.gravity == .north)
    #expect((profile.steps[1].operation as? Cut)?.aspect == "1:1")
    #expect(profile.outputs.map(\.name) == ["large", "small"])
    let large = profile.outputs[0]
    #expect(large.settings.format == .webp)
    #expect(large.namesEncoderOption)
    #expect(Array(large.encoders.keys) == [.webp])
    #expect((large.encoders[.webp] as? WebPEncoder)?.quality == 71)
    #expect((large.steps.first?.operation as? Shrink)?.side == 30)
    let small = profile.outputs[1]
    #expect(!small.namesEncoderOption)
    #expect(Set(small.encoders.keys) == Set(pictureEncoders.map { $0.format }))
  }

  @Test("a profile without an output has one named main")
  func defaultOutput() throws {
    try write("profile = 1\n")
    let profile = try load("a.toml", set: ["output.main.quality=33"])
    #expect(profile.outputs.map(\.name) == ["main"])
    #expect((profile.outputs[0].encoders[.jpeg] as? JPEGEncoder)?.quality == 33)
    #expect(try load("a.toml").outputs.map(\.settings.path) == [OutputSettings().path])
  }

  @Test("every problem is reported at once, sorted by place, with the nearest name")
  func allAtOnce() throws {
    try write(
      """
      profile = 1
      sumary = "x"
      [input]
      inclde = ["**"]
      max-pixels = 0
      [[step]]
      op = "ct"
      [[step]]
      op = "cut"
      aspct = "4:3"
      gravity = "nort"
      [[step]]
      op = "cut"
      aspect = "1:1"
      rect = [0, 0, 1, 1]
      [[step]]
      id = "x"
      [[output]]
      name = "one"
      colour = "srgb"
        [[output.step]]
        op = "shrink"
        side = 0
      [[output]]
      name = "one"
      """
    )
    #expect(
      problems("a.toml") == [
        "a.toml:2:1: expected a known key (did you mean \"summary\"?), found \"sumary\"",
        "a.toml:4:1: input: expected a known key (did you mean \"include\"?), found \"inclde\"",
        "a.toml:5:14: input.max-pixels: expected 1 to 1_000_000_000_000, found 0",
        "a.toml:7:6: step: expected an operation (did you mean \"cut\"?), found \"ct\"",
        "a.toml:10:1: cut: expected a known key (did you mean \"aspect\"?), found \"aspct\"",
        "a.toml:11:11: cut.gravity: expected \"center\" | \"north\" (did you mean \"north\"?), "
          + "found \"nort\"",
        "a.toml:15:1: cut: expected at most one of aspect, rect, found aspect and rect",
        "a.toml:16:1: step: expected the key \"op\" with an operation's name, found none",
        "a.toml:20:1: output.one: expected a known key (did you mean \"color\"?), found \"colour\"",
        "a.toml:23:10: output.one.shrink.side: expected 1 to 10_000, found 0",
        "a.toml:25:8: output: expected a name of its own for each output, "
          + "found \"one\" again, as at a.toml:19:8",
      ]
    )
  }

  @Test("two steps of one operation need no id, and are told apart in messages")
  func repeatedSteps() throws {
    try write(
      """
      profile = 1
      [[step]]
      op = "cut"
      [[step]]
      op = "shrink"
      [[step]]
      op = "cut"
      """
    )
    #expect(try load("a.toml").steps.map(\.id) == ["cut", "shrink", "cut (2)"])
  }

  @Test("an id that another step has is an error, whichever comes first")
  func repeatedIdentifier() throws {
    let steps = ["[[step]]\nop = \"cut\"\n", "[[step]]\nop = \"shrink\"\nid = \"cut\"\n"]
    let text = "step: expected an id that no other step of the list has, found \"cut\" again, as at"
    try write("profile = 1\n" + steps[0] + steps[1])
    #expect(problems("a.toml") == ["a.toml:6:6: \(text) a.toml:3:6"])
    try write("profile = 1\n" + steps[1] + steps[0])
    #expect(problems("a.toml") == ["a.toml:6:6: \(text) a.toml:4:6"])
  }

  @Test("after a syntax error only that one is reported")
  func syntaxAlone() throws {
    try write("nonsense = 1\n[input\n")
    #expect(problems("a.toml") == ["a.toml:2:7: expected ']', found the end of the line"])
  }

  @Test(
    "the version of the format is asked for in every file",
    arguments: [
      ("", "a.toml:1:1: expected profile = 1, the version of the format, found none"),
      ("profile = 2", "a.toml:1:11: profile: expected 1, the version of the format, found 2"),
      ("profile = '1'", "a.toml:1:11: profile: expected 1, the version of the format, found \"1\""),
    ]
  )
  func version(text: String, message: String) throws {
    try write(text)
    try write("profile = 1\nextends = \"a\"", to: "child.toml")
    #expect(problems("a.toml") == [message])
    #expect(problems("child.toml") == [message])
  }

  @Test(
    "a list of tables that is none is one clear error",
    arguments: [
      ("step = 1", "a.toml:2:8: step: expected a list of tables, each under [[step]], found 1"),
      (
        "[step]\nop='cut'",
        "a.toml:2:1: step: expected a list of tables, each under [[step]], found a table"
      ),
      ("step = [1]", "a.toml:2:9: step: expected a table under [[step]], found 1"),
      (
        "output = [[]]",
        "a.toml:2:11: output: expected a table under [[output]], found an array of 0"
      ),
      ("input = 3", "a.toml:2:9: input: expected a table, found 3"),
      ("summary = 3", "a.toml:2:11: summary: expected text, found 3"),
      (
        "[[output.step]]\nop = 'cut'",
        "a.toml:2:1: output: expected a list of tables, each under [[output]], found a table"
      ),
      ("[[step]]\nop = 3", "a.toml:3:6: step: expected an operation's name, found 3"),
      (
        "[[step]]\nop = 'cut'\nid = 'output'",
        "a.toml:4:6: step: expected an id other than \"\", \"input\", \"limits\", \"gather\", \"notes\", \"output\", found \"output\""
      ),
      ("[[output]]\npath = ''", "a.toml:3:8: output.main.path: expected a path, found \"\""),
    ]
  )
  func wrongKinds(text: String, message: String) throws {
    try write("profile = 1\n" + text)
    #expect(problems("a.toml") == [message])
  }

  @Test("a resolved profile travels as data and is understood the same")
  func resolved() throws {
    try write(
      """
      profile = 1
      [[step]]
      op = "cut"
      aspect = "1:1"
      [[output]]
      format = "png"
      effort = 3
      """
    )
    let profile = try load("a.toml", set: ["cut.aspect=3:2"])
    let line = try JSONEncoder().encode(profile.node)
    let node = try JSONDecoder().decode(Node.self, from: line)
    let again = try Profile(resolved: node, operations: sampleOperations)
    #expect((again.steps[0].operation as? Cut)?.aspect == "3:2")
    #expect((again.outputs[0].encoders[.png] as? PNGEncoder)?.effort == 3)
    #expect(again.file == profile.file)
  }

  @Test("a file that cannot be read is one clear error")
  func unreadable() throws {
    try folder.write("", to: "folder.toml/x")
    #expect(
      problems("none.toml") == [
        "none.toml: expected a profile that can be read, "
          + "found none.toml: No such file or directory"
      ]
    )
    #expect(
      problems("folder.toml") == [
        "folder.toml: expected a profile, found the folder folder.toml"
      ]
    )
  }

  @Test("a file that a step names is looked for beside the profile it is named in")
  func fileReferences() throws {
    try write("profile = 1\n[[step]]\nop = 'stamp'\nfile = 'logo.png'\n", to: "sub/base.toml")
    try write("profile = 1\nextends = 'sub/base.toml'\n")
    #expect(
      problems("a.toml") == [
        "sub/base.toml:4:8: stamp.file: expected a file that can be read, found sub/logo.png"
      ]
    )
    try folder.write("", to: "sub/logo.png")
    let file = try #require((try load("a.toml").steps.first?.operation as? Stamp)?.file)
    #expect(file.path == folder.path.appending("sub/logo.png"))
    #expect(
      problems("a.toml", set: ["stamp.file=no/such.png"]) == [
        "--set stamp.file=no/such.png: stamp.file: expected a file that can be read, "
          + "found no/such.png"
      ]
    )
  }
}
