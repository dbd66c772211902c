import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Finding profiles")
struct ProfileFinderTests {
  private let asker = Place(argument: "name")

  @Test(
    "a slash or .toml makes a path, anything else is a name",
    arguments: [
      ("web", false), ("web.toml", true), ("./web", true), ("a/b", true), ("/web", true),
      ("web.tom", false), (".toml", false),
    ]
  )
  func paths(given: String, isPath: Bool) {
    #expect(ProfileFinder.isPath(Path(given)) == isPath)
  }

  @Test("the first folder that has the name counts")
  func order() throws {
    let first = try ScratchFolder()
    let second = try ScratchFolder()
    try second.write("", to: "web.toml")
    let finder = ProfileFinder(folders: [first.path, second.path])
    #expect(
      try finder.find(Path("web"), asker: asker) == second.path.appending("web.toml")
    )
    try first.write("", to: "web.toml")
    #expect(try finder.find(Path("web"), asker: asker) == first.path.appending("web.toml"))
  }

  @Test("a name that is nowhere is answered with the nearest and the folders")
  func missing() throws {
    let folder = try ScratchFolder()
    try folder.write("", to: "previews.toml")
    try folder.write("", to: "preview.txt")
    let finder = ProfileFinder(folders: [folder.path, Path("no/such/folder")])
    #expect {
      try finder.find(Path("preview"), asker: asker)
    } throws: { error in
      "\(error)"
        == "name: expected a profile (did you mean \"previews\"?), "
        + "found none of that name in \(folder.text), no/such/folder"
    }
  }

  @Test("a name of any bytes is looked for as it is")
  func bytes() throws {
    let folder = try ScratchFolder()
    let name = Path(bytes: [0xff, 0x5b, 0x2a])
    let finder = ProfileFinder(folders: [folder.path])
    #expect {
      try finder.find(name, asker: asker)
    } throws: { error in
      "\(error)".contains("none of that name")
    }
  }
}
