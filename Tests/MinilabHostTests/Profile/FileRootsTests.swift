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

  /// What `minilab check` says of a profile with that layer; nil where it is good.
  ///
  /// The program's environment is its own: this process lets profiles name any file.
  private func problems(_ source: String, files: String = "") throws -> String? {
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
    let result = try Program.minilab.run(
      [Path("check"), file],
      environment: ["MINILAB_FILES": files]
    )
    return result.status == 0 ? nil : result.outputText + result.errorText
  }

  private func run(_ words: String...) throws -> Program.Result {
    try Program.minilab.run(words.map { Path($0) }, environment: ["MINILAB_FILES": ""])
  }

  @Test(
    "below the profile, however that is written",
    arguments: ["a.png", "deep/a.png", "deep/../a.png"]
  )
  func own(source: String) throws {
    #expect(try problems(source) == nil)
    #expect(try problems(scratch.path.appending("profiles/\(source)").shown) == nil)
  }

  @Test(
    "nowhere else, be it through a link, and the error says where",
    arguments: ["../private/a.png", "link.png", "../profiles-2/a.png", "/etc/passwd"]
  )
  func elsewhere(source: String) throws {
    let text = try #require(try problems(source))
    #expect(text.split(separator: "\n").count == 1, "\(text)")
    #expect(text.contains("p.toml:7:"), "\(text)")
    #expect(text.contains("a file below ") && text.contains("$MINILAB_FILES"), "\(text)")
  }

  @Test("what is typed on the command line may lie anywhere")
  func typed() throws {
    _ = try problems("a.png")
    let profile = scratch.path.appending("profiles/p.toml").shown
    let file = scratch.path.appending("private/a.png").shown
    let output = scratch.path.appending("out").shown
    let text = try run(
      "run",
      profile,
      scratch.text,
      "-o",
      output,
      "--set",
      "output.main.color=\(file)"
    ).errorText
    // It is no color profile, which is all that is wrong with it.
    #expect(text.contains("output.main.color") && !text.contains("a file below"), "\(text)")
  }

  @Test("and where the environment says")
  func named() throws {
    let folder = scratch.path.appending("private").shown
    #expect(try problems("../private/a.png", files: "/nowhere:\(folder)") == nil)
    #expect(try problems("../private/a.png", files: "\(folder)-2") != nil)
  }
}
