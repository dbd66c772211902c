import Glibc
import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@testable import MinilabHost

/// Profiles that were written to do harm, or by a cat on the keyboard: each is one clear error, soon.
@Suite("Profiles that are none")
struct HostileProfileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func problems(_ bytes: [UInt8]) throws -> [String] {
    let path = try folder.write(bytes, to: "a.toml")
    do throws(Problems) {
      _ = try ProfileLoader.load(
        path,
        operations: .builtin,
        finder: ProfileFinder(folders: [])
      )
      return []
    } catch {
      return error.all.map { $0.description.replacing(folder.text + "/", with: "") }
    }
  }

  private func problems(_ text: String) throws -> [String] { try problems(Array(text.utf8)) }

  @Test(
    "a header that no key begins is an error at its place, and ends no process",
    arguments: [
      ("[/output]", "a.toml:2:2: expected a key, found '/'"),
      ("  [ é]", "a.toml:2:5: expected a key, found 'é'"),
      ("[[!a]]", "a.toml:2:3: expected a key, found '!'"),
      ("[\u{1}", "a.toml:2:2: expected a key, found '\\x01'"),
      ("[=]", "a.toml:2:2: expected a key, found '='"),
      ("[\n", "a.toml:2:2: expected a key, found the end of the line"),
    ]
  )
  func headers(line: String, message: String) throws {
    #expect(try problems("profile = 1\n\(line)") == [message])
    #expect(try problems("profile = 1\n\(line)\nb = 'é'\n[c]\n") == [message])
  }

  @Test("the place behind wide characters is counted in characters")
  func wide() throws {
    let text = String(repeating: "# ÄÖ€𝄞\n", count: 500) + "'ä' = 1\n[ \t+]\n"
    #expect(try problems(text) == ["a.toml:502:4: expected a key, found '+'"])
  }

  @Test("more steps or outputs than anybody writes are one error")
  func tables() throws {
    let steps = "profile = 1\n" + String(repeating: "[[step]]\n", count: 1001)
    #expect(
      try problems(steps)
        == ["a.toml:1002:1: step: expected at most 1000 tables under [[step]], found 1001"]
    )
    let layers = "profile = 1\n[[step]]\n" + String(repeating: "[[step.layer]]\n", count: 2000)
    #expect(
      try problems(layers) == [
        "a.toml:1003:1: step.layer: expected at most 1000 tables under [[step.layer]], found 2000"
      ]
    )
  }

  @Test("a name of any length is an error like a short one")
  func names() throws {
    let long = String(repeating: "z", count: 900_000)
    for text in ["[[step]]\nop = \"\(long)\"", "\(long) = 1"] {
      let found = try problems("profile = 1\n" + text)
      #expect(found.count == 1)
      #expect((found.first?.utf8.count ?? .max) < 2000)
    }
  }

  @Test("a chain of profiles has an end")
  func chain() throws {
    for index in 0..<70 {
      try folder.write(
        "profile = 1\nextends = \"./c\(index + 1).toml\"\n",
        to: "c\(index).toml"
      )
    }
    let found = try problems("profile = 1\nextends = \"./c0.toml\"\n")
    #expect(found.count == 1)
    #expect(
      found.first?.hasSuffix(
        "c62.toml:2:11: extends: expected at most 64 profiles, each of which extends the next, "
          + "found one more"
      ) == true
    )
  }

  @Test("a circle through links is one")
  func circle() throws {
    try folder.write("profile = 1\nextends = \"./l.toml\"\n", to: "b.toml")
    try #require(symlink("b.toml", folder.path.appending("l.toml").shown) == 0)
    let found = try problems("profile = 1\nextends = \"./b.toml\"\n")
    #expect(found.count == 1)
    #expect(found.first?.contains("does not lead back here") == true)
  }

  private static func text(_ value: String) -> [UInt8] { Array("profile = 1\n\(value)".utf8) }

  private static let texts: [([UInt8], String)] = [
    (text("\0\n"), "a.toml:2:1: "),
    ([0xff, 0xfe, 0x70, 0], "a.toml:1:1: expected UTF-8 text"),
    (text("a = \"") + [0xc3, 0x28, 0x22], "a.toml:"),
    (Array("profile = 1\ra = 1".utf8), "a.toml:1:13: "),
    ([0xef, 0xbb, 0xbf] + text("\r\nx = 1\r\n"), "a.toml:3:1: "),
    (text("a = 9999-99-99"), "a.toml:2:"),
    (text("a = " + String(repeating: "9", count: 900_000)), "a.toml:2:5: "),
    (text("a = " + String(repeating: "[", count: 900_000)), "a.toml:2:261: "),
  ]

  @Test("bytes that are no TOML are an error with a place", arguments: texts)
  func bytes(bytes: [UInt8], start: String) throws {
    let found = try problems(bytes)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(start) == true, "\(found)")
    #expect((found.first?.utf8.count ?? .max) < 2000)
  }
}
