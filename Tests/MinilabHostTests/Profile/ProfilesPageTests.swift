import MinilabHost
import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@Suite("docs/profiles.md and the profiles that ship")
struct ProfilesPageTests {
  @Test("every TOML block of the page is a profile without a problem")
  func blocks() throws {
    let page = String(
      decoding: try contents(of: packageRoot.appending("docs/profiles.md")),
      as: UTF8.self
    )
    let blocks = page.split(separator: "```toml\n", omittingEmptySubsequences: false).dropFirst()
      .map { $0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex) }
    #expect(blocks.count >= 5)
    let folder = try ScratchFolder()
    for (index, block) in blocks.enumerated() {
      // A block that others extend has its name in the first line.
      let first = block.split(separator: "\n").first ?? ""
      let name = first.hasPrefix("# ") ? String(first.dropFirst(2)) : "block-\(index).toml"
      let file = try folder.write(String(block), to: name)
      #expect(throws: Never.self, "block \(index + 1)") {
        try ProfileLoader.load(file, operations: .builtin)
      }
    }
  }

  @Test("the page's example of extends does what the page says")
  func extends() throws {
    let page = String(
      decoding: try contents(of: packageRoot.appending("docs/profiles.md")),
      as: UTF8.self
    )
    let blocks = page.split(separator: "```toml\n", omittingEmptySubsequences: false).dropFirst()
      .map { String($0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex)) }
    let folder = try ScratchFolder()
    try folder.write(
      try #require(blocks.first { $0.hasPrefix("# gallery.toml") }),
      to: "gallery.toml"
    )
    let child = try #require(blocks.first { $0.hasPrefix("# gallery-square.toml") })
    let profile = try ProfileLoader.load(
      try folder.write(child, to: "gallery-square.toml"),
      operations: .builtin
    )
    #expect(profile.steps.map(\.id) == ["orient", "crop"])
    #expect(profile.outputs.map(\.name) == ["large", "small"])
    #expect(profile.input.exclude == ["**/draft/**"])
    #expect(profile.input.pages == .reject)
  }

  @Test("the page names every variable that a path may have")
  func variables() throws {
    let page = String(
      decoding: try contents(of: packageRoot.appending("docs/profiles.md")),
      as: UTF8.self
    )
    for variable in [
      "dir", "stem", "ext", "output", "index", "root", "group", "width", "height", "date",
    ] {
      #expect(page.contains("`{\(variable)"), "\(variable)")
    }
  }

  @Test(
    "each profile that ships is good, and says what it is for",
    arguments: ["archive", "previews", "square", "web"]
  )
  func shipped(name: String) throws {
    let file = packageRoot.appending("profiles/\(name).toml")
    let profile = try ProfileLoader.load(file, operations: .builtin)
    #expect(!profile.summary.isEmpty)
    #expect(profile.steps.first?.id == "orient")
    #expect(profile.input.clash == .number)
    let text = String(decoding: try contents(of: file), as: UTF8.self)
    #expect(text.hasPrefix("# "))
    #expect(text.contains("minilab run \(name) "))
  }
}
