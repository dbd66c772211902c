import Glibc
import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Where files of a profile may lie")
struct FileRootsTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    for name in ["profiles/deep/a.png", "profiles/a.png", "private/a.png", "profiles-2/a.png"] {
      try scratch.write("a", to: name)
    }
    let link = scratch.path.appending("profiles/link.png")
    try #require(link.withCString { symlink("../private/a.png", $0) } == 0)
  }

  private func problems(_ source: String, set: [String] = []) throws -> [Problem] {
    let file = try scratch.write(
      """
      profile = 1
      [[step]]
      op = "compose"
        [[step.layer]]
        source = "frame"
        [[step.layer]]
        source = '\(source)'
      """,
      to: "profiles/p.toml"
    )
    do {
      _ = try ProfileLoader.load(file, set: set, operations: .builtin)
      return []
    } catch {
      return error.all
    }
  }

  @Test(
    "below the profile, however that is written",
    arguments: ["a.png", "deep/a.png", "deep/../a.png"]
  )
  func own(source: String) throws {
    #expect(try problems(source).isEmpty)
    #expect(try problems(scratch.path.appending("profiles/\(source)").shown).isEmpty)
  }

  @Test(
    "nowhere else, be it through a link, and the error says where",
    arguments: ["../private/a.png", "link.png", "../profiles-2/a.png", "/etc/passwd"]
  )
  func elsewhere(source: String) throws {
    let problems = try problems(source)
    let text = try #require(problems.first).description
    #expect(problems.count == 1)
    #expect(text.contains("p.toml:7:"), "\(text)")
    #expect(text.contains("a file below ") && text.contains("$MINILAB_FILES"), "\(text)")
  }

  @Test("what is typed on the command line may lie anywhere")
  func typed() throws {
    let path = scratch.path.appending("private/a.png")
    // It is no color profile, which is all that is wrong with it.
    let problems = try problems("a.png", set: ["output.main.color=\(path.shown)"])
    #expect(problems.count == 1)
    #expect(problems.first?.description.contains("a file below") == false, "\(problems)")
  }

  @Test("and where a machine keeps what all may use, and where the environment says")
  func shared() throws {
    let program = try Program.minilab
    let file = try scratch.write(
      "profile = 1\n[[step]]\nop = \"compose\"\n[[step.layer]]\nsource = \"frame\"\n"
        + "[[step.layer]]\nsource = '../private/a.png'\n",
      to: "profiles/q.toml"
    )
    let words = ["check", file.shown].map { Path($0) }
    #expect(try program.run(words).status == 2)
    let folder = scratch.path.appending("private").shown
    let allowed = try program.run(words, environment: ["MINILAB_FILES": "/nowhere:\(folder)"])
    #expect(allowed.status == 0, "\(allowed.errorText)")
  }
}
