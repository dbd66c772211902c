import Glibc
import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@testable import MinilabHost

/// What an output's key depends on, and what it does not.
@Suite("Keys of outputs")
struct OutputKeysTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    try scratch.write("a mark", to: "mark.png")
    try scratch.write("another", to: "other.png")
  }

  private func keys(_ toml: String, fonts: [String] = ["DejaVu"]) throws -> [ContentDigest] {
    let file = try scratch.write("profile = 1\n" + toml, to: "profile.toml")
    let profile = try ProfileLoader.load(file, operations: .builtin)
    return OutputKeys.keys(of: profile) { fonts }
  }

  private let base = """
    [[step]]
    op = "crop"
    aspect = "1:1"
    gravity = "north"
    [[output]]
    name = "one"
    path = "one/{stem}.{ext}"
    format = "jpeg"
    quality = 80
    [[output]]
    name = "two"
    path = "two/{stem}.{ext}"
    format = "png"
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 100
    """

  @Test("Outputs that differ in their steps alone have different keys")
  func ownSteps() throws {
    let keys = try keys(
      """
      [[output]]
      name = "one"
      path = "one/{stem}.{ext}"
      format = "png"
      [[output]]
      name = "two"
      path = "two/{stem}.{ext}"
      format = "png"
        [[output.step]]
        op = "thumbnail-preview"
        max-side = 100
      """
    )
    #expect(keys[0] != keys[1])
  }

  @Test("The order of keys, names of steps and outputs, and where a file goes change no key")
  func irrelevant() throws {
    let keys = try keys(base)
    #expect(keys.count == 2 && keys[0] != keys[1])
    let others = [
      base.replacing(
        "aspect = \"1:1\"\ngravity = \"north\"",
        with: "gravity = \"north\"\naspect = \"1:1\""
      ),
      base.replacing("op = \"crop\"", with: "op = \"crop\"\nid = \"square\""),
      base.replacing("one/{stem}", with: "elsewhere/{stem}"),
      base.replacing("name = \"two\"", with: "name = \"small\""),
      "summary = \"other words\"\n" + base,
      "[input]\nmax-pixels = 1000\ntime-limit = 3\nexclude = [\"x\"]\n" + base,
    ]
    for other in others { #expect(try self.keys(other) == keys, "\(other)") }
  }

  @Test("A name counts where a step takes the picture of the output that has it")
  func neededNames() throws {
    func output(_ name: String, _ side: Int) -> String {
      """
      [[output]]
      name = "\(name)"
      path = "\(side)/{stem}.{ext}"
      format = "png"
        [[output.step]]
        op = "thumbnail-preview"
        max-side = \(side)

      """
    }
    let badge = """
      [[output]]
      name = "badge"
      path = "badge/{stem}.{ext}"
      format = "png"
        [[output.step]]
        op = "compose"
          [[output.step.layer]]
          source = "output:one"
      """
    let keys = try keys(output("one", 100) + output("two", 50) + badge)
    // The same three pictures, of which the badge shows another one.
    let exchanged = try self.keys(output("two", 100) + output("one", 50) + badge)
    #expect(exchanged[2] != keys[2])
    // Nobody asks for the second one by its name.
    #expect(try self.keys(output("one", 100) + output("other", 50) + badge) == keys)
  }

  @Test("An output's own settings change its own key alone")
  func own() throws {
    let keys = try keys(base)
    for (from, to) in [
      ("quality = 80", "quality = 81"), ("quality = 80", "quality = 80\nmetadata = \"none\""),
      ("quality = 80", "quality = 80\ncolor = \"p3\""), ("quality = 80\n", ""),
    ] {
      let other = try self.keys(base.replacing(from, with: to))
      #expect(other[0] != keys[0], "\(to)")
      #expect(other[1] == keys[1], "\(to)")
    }
  }

  @Test("A step changes every key: the way to the pixels is that of the whole profile")
  func steps() throws {
    let keys = try keys(base)
    for (from, to) in [
      ("max-side = 100", "max-side = 101"), ("gravity = \"north\"", "gravity = \"south\""),
    ] {
      let other = try self.keys(base.replacing(from, with: to))
      #expect(other[0] != keys[0] && other[1] != keys[1], "\(to)")
    }
    for input in ["pages = \"reject\"", "damaged = \"warn\""] {
      let other = try self.keys("[input]\n\(input)\n" + base)
      #expect(other[0] != keys[0] && other[1] != keys[1], "\(input)")
    }
  }

  @Test("Files count by their content")
  func files() throws {
    let marked = """
      [[step]]
      op = "compose"
        [[step.layer]]
        source = "frame"
        [[step.layer]]
        source = "mark.png"
      [[output]]
      format = "png"
      """
    let keys = try keys(marked)
    try scratch.write("a new mark", to: "mark.png")
    let changed = try self.keys(marked)
    #expect(changed != keys)
    try scratch.write("a mark", to: "mark.png")
    #expect(try self.keys(marked) == keys)
    #expect(try self.keys(marked.replacing("mark.png", with: "other.png")) != keys)
  }

  @Test("Fonts count where text is drawn, and nowhere else")
  func fonts() throws {
    let text = """
      [[step]]
      op = "caption"
      text = "{stem}"
      [[output]]
      format = "png"
      """
    #expect(try keys(text, fonts: ["A"]) != keys(text, fonts: ["B"]))
    #expect(try keys(base, fonts: ["A"]) == keys(base, fonts: ["B"]))
    let sheet = "[[output]]\nkind = \"sheet\"\nformat = \"png\"\n"
    #expect(try keys(sheet, fonts: ["A"]) != keys(sheet, fonts: ["B"]))
    #expect(!Fonts.fingerprint().isEmpty)
  }

  @Test("What groups pictures counts")
  func gather() throws {
    let sheet = """
      [gather]
      by = "all"
      [[step]]
      op = "compose"
      layout = "strip"
      [[output]]
      format = "png"
      """
    #expect(try keys(sheet) != keys(sheet.replacing("\"all\"", with: "\"folder\"")))
  }
}
