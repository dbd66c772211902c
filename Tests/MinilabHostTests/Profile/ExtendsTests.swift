import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("What extends does")
struct ExtendsTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    try folder.write(
      """
      profile = 1
      summary = "base"
      [input]
      links = "follow"
      pages = "reject"
      [[step]]
      op = "cut"
      [[step]]
      op = "shrink"
      [[output]]
      name = "large"
      format = "jpeg"
      quality = 90
        [[output.step]]
        op = "shrink"
      [[output]]
      name = "small"
      """,
      to: "base.toml"
    )
  }

  private func load(_ name: String = "a.toml", folders: [Path] = []) throws(Problems) -> Profile {
    try ProfileLoader.load(
      folder.path.appending(name),
      operations: sampleOperations,
      finder: ProfileFinder(folders: folders)
    )
  }

  private func problems(_ name: String = "a.toml") -> [String] {
    do {
      _ = try load(name)
      return []
    } catch {
      return error.all.map { $0.description.replacing(folder.text + "/", with: "") }
    }
  }

  @Test("a child that says nothing is its parent")
  func nothing() throws {
    try folder.write("profile = 1\nextends = 'base.toml'", to: "a.toml")
    let profile = try load()
    #expect(profile.summary == "base")
    #expect(profile.input.links == .follow)
    #expect(profile.steps.map(\.id) == ["cut", "shrink"])
    #expect(profile.outputs.map(\.name) == ["large", "small"])
  }

  @Test("tables merge key by key")
  func tables() throws {
    try folder.write("profile = 1\nextends = 'base.toml'\n[input]\nlinks = 'skip'\n", to: "a.toml")
    let profile = try load()
    #expect(profile.input.links == .skip)
    #expect(profile.input.pages == .reject)
  }

  @Test("a list of steps replaces the parent's list")
  func steps() throws {
    try folder.write(
      """
      profile = 1
      extends = 'base.toml'
      [[step]]
      op = "stamp"
      [[output]]
      name = "large"
        [[output.step]]
        op = "cut"
      """,
      to: "a.toml"
    )
    let profile = try load()
    #expect(profile.steps.map(\.id) == ["stamp"])
    #expect(profile.outputs[0].steps.map(\.id) == ["cut"])
  }

  @Test("outputs merge by name, and a new one is added")
  func outputs() throws {
    try folder.write(
      """
      profile = 1
      extends = 'base.toml'
      [[output]]
      name = "new"
      [[output]]
      name = "large"
      quality = 12
      """,
      to: "a.toml"
    )
    let profile = try load()
    #expect(profile.outputs.map(\.name) == ["large", "small", "new"])
    #expect((profile.outputs[0].encoders[.jpeg] as? JPEGEncoder)?.quality == 12)
    #expect(profile.outputs[0].steps.map(\.id) == ["shrink"])
  }

  @Test("two outputs of one name in the child are an error, not a merge")
  func twice() throws {
    try folder.write(
      "profile = 1\nextends = 'base'\n[[output]]\nname = 'large'\n[[output]]\nname = 'large'\n",
      to: "a.toml"
    )
    #expect(
      problems() == [
        "a.toml:6:8: output: expected a name of its own for each output, "
          + "found \"large\" again, as at a.toml:4:8"
      ]
    )
  }

  @Test("a chain is followed, the nearest value counts, and errors name the file they are in")
  func chain() throws {
    try folder.write(
      "profile = 1\nextends = '../base.toml'\n[input]\npages = 'first'\nlnks = 'skip'\n",
      to: "sub/middle.toml"
    )
    try folder.write(
      "profile = 1\nextends = 'sub/middle.toml'\n[input]\nmax-pixels = -1\n",
      to: "a.toml"
    )
    #expect(
      problems() == [
        "a.toml:4:14: input.max-pixels: expected 1 to 1_000_000_000_000, found -1",
        "sub/middle.toml:5:1: input: expected a known key (did you mean \"links\"?), "
          + "found \"lnks\"",
      ]
    )
    try folder.write(
      "profile = 1\nextends = '../base.toml'\n[input]\npages = 'first'\n",
      to: "sub/middle.toml"
    )
    try folder.write("profile = 1\nextends = 'sub/middle.toml'\n", to: "a.toml")
    #expect(try load().input.pages == .first)
    #expect(try load().input.links == .follow)
  }

  @Test("a circle is an error that shows the way round")
  func circle() throws {
    try folder.write("profile = 1\nextends = './b.toml'\n", to: "a.toml")
    try folder.write("profile = 1\nextends = './a.toml'\n", to: "b.toml")
    #expect(
      problems() == [
        "./b.toml:2:11: extends: expected a profile that does not lead back here, "
          + "found a.toml → ./b.toml → ././a.toml"
      ]
    )
    try folder.write("profile = 1\nextends = 'a'\n", to: "a.toml")
    #expect(problems().count == 1)
  }

  @Test("a name is looked for beside the profile, then in the folders of profiles")
  func names() throws {
    let other = try ScratchFolder()
    try other.write("profile = 1\nsummary = 'other'\n", to: "far.toml")
    try other.write("profile = 1\nsummary = 'wrong'\n", to: "base.toml")
    try folder.write("profile = 1\nextends = 'base'\n", to: "a.toml")
    #expect(try load(folders: [other.path]).summary == "base")
    try folder.write("profile = 1\nextends = 'far'\n", to: "a.toml")
    #expect(try load(folders: [other.path]).summary == "other")
    try folder.write("profile = 1\nextends = 'bse'\n", to: "a.toml")
    #expect(
      problems() == [
        "a.toml:2:11: expected a profile (did you mean \"base\"?), "
          + "found none of that name in \(folder.text)"
      ]
    )
  }

  @Test("a parent that is not there is an error where it is named")
  func missing() throws {
    try folder.write("profile = 1\nextends = 'no/such.toml'\n", to: "a.toml")
    #expect(
      problems() == [
        "a.toml:2:11: expected a profile that can be read, "
          + "found no/such.toml: No such file or directory"
      ]
    )
    try folder.write("profile = 1\nextends = 3\n", to: "a.toml")
    #expect(
      problems() == ["a.toml:2:11: extends: expected the name or path of a profile, found 3"]
    )
  }
}
