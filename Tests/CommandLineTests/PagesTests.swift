import Glibc
import MinilabHost
import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@Suite("The pages for people")
struct PagesTests {
  private static let pages = [
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/profiles.md", "docs/operations.md",
    "docs/cameras.md",
    "docs/gallery.md",
    "docs/writing-an-operation.md", "docs/release-checklist.md", "docs/decisions/README.md",
    "Benchmarks/README.md",
  ]

  private func text(_ page: String) throws -> String {
    String(decoding: try contents(of: packageRoot.appending(page)), as: UTF8.self)
  }

  /// What stands between two texts, each time.
  private func parts(of text: String, from start: String, to end: String) -> [String] {
    text.split(separator: start, omittingEmptySubsequences: false).dropFirst().map {
      String($0.prefix(upTo: $0.firstRange(of: end)?.lowerBound ?? $0.endIndex))
    }
  }

  @Test("every profile in the README is one without a problem")
  func profile() throws {
    let folder = try ScratchFolder()
    let profiles = parts(of: try text("README.md"), from: "```toml\n", to: "```")
    #expect(!profiles.isEmpty)
    for profile in profiles {
      let file = try folder.write(profile, to: "shop.toml")
      #expect(throws: Never.self) { try ProfileLoader.load(file, operations: .builtin) }
    }
  }

  @Test("the README has the table of exit statuses that the program ends with")
  func statuses() throws {
    let readme = try text("README.md")
    for status in [ExitStatus.success, .someFailed, .notStarted, .nothingMatched, .interrupted] {
      #expect(readme.contains("\n| \(status.rawValue) | "), "\(status)")
    }
  }

  @Test("code that a guide shows from a file is what the file holds")
  func code() throws {
    let blocks = parts(
      of: try text("docs/writing-an-operation.md"),
      from: "<!-- Examples/",
      to: "\n```\n"
    )
    #expect(blocks.count >= 5)
    for block in blocks {
      let lines = block.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
      let file = try #require(lines.first).dropLast(" -->".count)
      try #require(lines.count == 3 && lines[1] == "```swift")
      #expect(
        try text("Examples/\(file)") == lines[2] + "\n",
        "copy the file into the page, or the page into the file: Examples/\(file)"
      )
    }
  }

  @Test("links between pages lead to files that are there", arguments: pages)
  func links(page: String) throws {
    let folder = Path(page).folder
    for link in parts(of: try text(page), from: "](", to: ")") {
      let target = link.split(separator: "#", omittingEmptySubsequences: false)[0]
      if target.isEmpty || target.hasPrefix("https://") { continue }
      let path = packageRoot.appending(folder).appending(String(target))
      let isFound = path.withCString { access($0, F_OK) == 0 }
      #expect(isFound, "\(link)")
    }
  }

  @Test("the profile of the station in the guide to cameras is one without a problem")
  func station() throws {
    let profiles = parts(of: try text("docs/cameras.md"), from: "```toml\n", to: "```")
    #expect(profiles.count == 1)
    let folder = try ScratchFolder()
    for profile in profiles {
      let file = try folder.write(profile, to: "station.toml")
      #expect(throws: Never.self) { try ProfileLoader.load(file, operations: .builtin) }
    }
  }

  @Test("the page's example of gathering does what the page says")
  func gathers() throws {
    let blocks = parts(of: try text("docs/profiles.md"), from: "```toml\n", to: "```")
    let sheets = try #require(blocks.first { $0.hasPrefix("# sheets.toml") })
    let folder = try ScratchFolder()
    let pixel =
      Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0]
      + [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]
    for name in ["a/1.gif", "a/2.gif", "a/b/3.gif"] { try folder.write(pixel, to: "in/" + name) }
    let file = try folder.write(sheets, to: "sheets.toml")
    let result = try Program.minilab.run(
      [Path("run"), file, Path("in"), Path("-o"), Path("out"), Path("--dry-run"), Path("--quiet")],
      in: folder.path
    )
    #expect(result.errorText == "")
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("[a/1.gif, a/2.gif] → a/a.jpg ") == true)
    #expect(lines.last?.hasPrefix("[a/b/3.gif] → a/b/b.jpg ") == true)
  }
}
