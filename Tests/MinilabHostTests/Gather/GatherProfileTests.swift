import MinilabKit
import TestSupport
import Testing

@testable import FakeWorker
@testable import MinilabHost

@Suite("[gather] in a profile")
struct GatherProfileTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  private let operations = sampleOperations + [.init(SideBySide.self), .init(Refuse.self)]

  private func load(
    _ toml: String,
    set assignments: [String] = []
  ) throws -> Profile {
    let file = try folder.write("profile = 1\n" + toml, to: "a.toml")
    return try ProfileLoader.load(
      file,
      settings: assignments.map { .key($0) },
      operations: operations,
      finder: ProfileFinder(folders: [])
    )
  }

  private func problems(_ toml: String, set assignments: [String] = []) throws -> [String] {
    do {
      _ = try load(toml, set: assignments)
      return []
    } catch let error as Problems {
      return error.all.map { $0.description.replacing(folder.text + "/", with: "") }
    }
  }

  private let join = "\n[[step]]\nop = \"side-by-side\"\n"

  /// As the profile would write it.
  private func grouping(_ toml: String, set assignments: [String] = []) throws -> String? {
    try load(toml, set: assignments).gather?.by.literal
  }

  @Test(
    "each form of by is read",
    arguments: ["all", "folder", "count:1", "count:12", "pattern:^(a:b)"]
  )
  func forms(by: String) throws {
    #expect(try grouping("[gather]\nby = '\(by)'" + join) == "\"\(by)\"")
    #expect(try load(join).gather == nil)
  }

  @Test("what incomplete groups come to is kept, and can be said")
  func incomplete() throws {
    let plain = try load("[gather]\nby = 'all'" + join)
    #expect(plain.gather?.incomplete == .keep)
    let other = try load("[gather]\nby = 'all'\nincomplete = 'skip'" + join)
    #expect(other.gather?.incomplete == .skip)
  }

  @Test(
    "what by cannot be is an error at its place",
    arguments: [
      (
        "by = 'folders'",
        "a.toml:3:6: gather.by: expected a grouping (did you mean \"folder\"?), found \"folders\""
      ),
      (
        "by = 'count:0'",
        "a.toml:3:6: gather.by: expected a count of pictures, 1 or more, such as count:3, found "
          + "\"count:0\""
      ),
      (
        "by = 'count'",
        "a.toml:3:6: gather.by: expected a count of pictures, 1 or more, such as count:3, found "
          + "\"count\""
      ),
      (
        "by = 'count:+3'",
        "a.toml:3:6: gather.by: expected a count of pictures, 1 or more, such as count:3, found "
          + "\"count:+3\""
      ),
      (
        "by = 'count:99999999999999999999'",
        "a.toml:3:6: gather.by: expected a count of pictures, 1 or more, such as count:3, found "
          + "\"count:99999999999999999999\""
      ),
      (
        "by = 'pattern:'",
        "a.toml:3:6: gather.by: expected a regular expression behind \"pattern:\", found "
          + "\"pattern:\""
      ),
      (
        "by = 'pattern:x**y'",
        "a.toml:3:6: gather.by: expected a regular expression behind \"pattern:\", found "
          + "nothing to repeat at character 3 of \"x**y\""
      ),
      (
        "by = 3",
        "a.toml:3:6: gather.by: expected \"all\" | \"folder\" or text, found 3"
      ),
      (
        "by = 'pattern:(ab'",
        "a.toml:3:6: gather.by: expected a regular expression behind \"pattern:\", found missing "
          + "terminating ) at the end of \"(ab\""
      ),
      ("", "a.toml:2:1: gather: expected the key \"by\", found none"),
      (
        "by = 'all'\nsize = 3",
        "a.toml:4:1: gather: expected a known key (one of by, incomplete, max-pictures), found "
          + "\"size\""
      ),
    ]
  )
  func wrong(toml: String, message: String) throws {
    #expect(try problems("[gather]\n\(toml)" + join) == [message])
  }

  // MARK: A step that makes one

  @Test("an output that no step makes one picture for is an error, with its name")
  func noGroupStep() throws {
    let text = """
      expected a step that makes one picture of several (side-by-side), shared or its own, as there \
      is [gather], found none
      """
    #expect(try problems("[gather]\nby = 'all'") == ["a.toml:2:1: output.main: \(text)"])
    let two = """
      [gather]
      by = 'all'
      [[output]]
      name = 'sheet'
        [[output.step]]
        op = 'side-by-side'
      [[output]]
      name = 'two words'
      """
    #expect(try problems(two) == ["a.toml:8:1: output.\"two words\": \(text)"])
    #expect(try problems(two + join) == [])
    #expect(try problems(two + "\n  [[output.step]]\n  op = 'side-by-side'") == [])
  }

  // MARK: {group}

  @Test("{group} is a path variable where there are groups, and an error where there are none")
  func group() throws {
    let path = "[[output]]\npath = '{group}/{index}.{ext}'"
    #expect(try problems("[gather]\nby = 'folder'" + join + path) == [])
    #expect(
      try problems(path) == [
        "a.toml:3:8: output.main.path: expected a path variable that each picture has, found "
          + "{group}, which only groups of pictures have"
      ]
    )
    #expect(
      try problems("[[output]]\npath = '{grop}'").first?.hasPrefix(
        "a.toml:3:8: output.main.path: expected a path variable (one of "
      ) == true
    )
    #expect(
      try problems("[gather]\nby = 'folder'" + join + "[[output]]\npath = '{grop}'") == [
        "a.toml:7:8: output.main.path: expected a path variable (did you mean \"group\"?), found "
          + "{grop}"
      ]
    )
  }

  // MARK: extends and --set

  @Test("extends merges [gather] key by key")
  func extends() throws {
    try folder.write("profile = 1\n[gather]\nby = 'count:4'\n" + join, to: "base.toml")
    let child = try load("extends = 'base.toml'\n[gather]\nincomplete = 'fail'")
    #expect(child.gather?.by.literal == "\"count:4\"")
    #expect(child.gather?.incomplete == .fail)
    #expect(try grouping("extends = 'base.toml'\n[gather]\nby = 'all'") == "\"all\"")
    #expect(try problems("extends = 'base.toml'\n[gather]\nby = 'alle'").count == 1)
  }

  @Test("--set changes the grouping, and can begin one")
  func set() throws {
    #expect(
      try grouping("[gather]\nby = 'all'" + join, set: ["gather.by=count:7"]) == "\"count:7\""
    )
    #expect(try grouping(join, set: ["gather.by=pattern:^(.)[/]"]) == "\"pattern:^(.)[/]\"")
    #expect(
      try problems(join, set: ["gather.by=pattern:("]) == [
        "--set gather.by=pattern:(: gather.by: expected a regular expression behind \"pattern:\", "
          + "found missing terminating ) at the end of \"(\""
      ]
    )
    #expect(
      try problems(join, set: ["gather.incomplete=skip"]).first?.contains(
        "gather: expected the key \"by\", found none"
      ) == true
    )
  }

  @Test("no step may be called gather, whose address is taken")
  func reserved() throws {
    #expect(
      try problems("[[step]]\nop = 'cut'\nid = 'gather'") == [
        "a.toml:4:6: step: expected an id other than \"\", \"input\", \"limits\", \"gather\", "
          + "\"notes\", \"output\", found \"gather\""
      ]
    )
  }

  // MARK: Outputs that steps name

  private func outputs(_ needed: String, in owner: String = "b") -> String {
    ["a", "b", "c"].map { name in
      let step = "  [[output.step]]\n  op = 'side-by-side'\n"
      return "[[output]]\nname = '\(name)'\npath = '{output}'\n" + step
        + (name == owner ? "  beside = '\(needed)'\n" : "")
    }.joined()
  }

  @Test("an output that a step uses must stand above its own")
  func neededOutputs() throws {
    #expect(try problems(outputs("a")) == [])
    #expect(try problems(outputs("b", in: "c")) == [])
    let place = "a.toml:10:3: output.b.side-by-side"
    #expect(
      try problems(outputs("c")) == [
        "\(place): expected an output above this one (one of a), found \"c\", which stands below"
      ]
    )
    #expect(
      try problems(outputs("b")) == [
        "\(place): expected an output above this one (one of a), found \"b\", which is this output "
          + "itself"
      ]
    )
    #expect(
      try problems(outputs("x")) == [
        "\(place): expected an output above this one (did you mean \"a\"?), found \"x\""
      ]
    )
    #expect(
      try problems(outputs("b", in: "a")) == [
        "a.toml:5:3: output.a.side-by-side: expected an output above this one (there is none), "
          + "found \"b\", which stands below"
      ]
    )
  }

  @Test("a shared step can use no output, whatever its name")
  func neededByShared() throws {
    let step = "[[step]]\nop = 'side-by-side'\nbeside = 'main'\n"
    #expect(
      try problems(step) == [
        "a.toml:2:1: side-by-side: expected pictures that are there before any output is, in a "
          + "shared step, found output \"main\""
      ]
    )
  }

  @Test("a size that waits for the pixels of another output is unknown, too")
  func sizeOfAnother() throws {
    let text = """
      [[output]]
      name = 'a'
      path = 'a'
        [[output.step]]
        op = 'refuse'
        pixels = true
      [[output]]
      name = 'b'
      path = '{width}'
        [[output.step]]
        op = 'side-by-side'
      """
    #expect(try problems(text) == [])
    #expect(
      try problems(text + "\n  beside = 'a'") == [
        "a.toml:10:8: output.b.path: expected steps whose size is known before pixels are read, "
          + "for {width} and {height}, found one whose size only pixels can tell"
      ]
    )
  }
}
