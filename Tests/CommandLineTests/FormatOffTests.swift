import MinilabKit
import TestSupport
import Testing

/// Pictures of a format that the profile does not open are named, with what opens them.
@Suite("Formats that are off", .vips)
struct FormatOffTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"><rect/></svg>"
    try scratch.write(svg, to: "in/drawing.svg")
    try scratch.write("profile = 1\n[[output]]\nformat = \"png\"\n", to: "p.toml")
  }

  private func run(_ profile: String, _ words: String...) throws -> Program.Result {
    try Program.minilab.run(
      (["run", profile, "in", "-o", "out"] + words).map { Path($0) },
      in: scratch.path
    )
  }

  private let gif: [UInt8] =
    Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0]
    + [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]
  private let hint =
    "drawing.svg is SVG, which --set 'input.formats=[\"safe\", \"svg\"]' opens\n"

  @Test("Where nothing else is found, and where others are")
  func named() throws {
    let nothing = try run("./p.toml")
    #expect(nothing.status == 3)
    #expect(nothing.errorText == "minilab: no picture found (left out: 1 format-off); " + hint)
    try scratch.write(gif, to: "in/a.gif")
    let some = try run("./p.toml")
    #expect(some.errorText.contains("left out: 1 of a format that is off; " + hint))
    // And what it says is so.
    let all = try run("./p.toml", "--set", "input.formats=[\"safe\", \"svg\"]")
    #expect(all.status == 0)
    #expect(scratch.path.appending("out/drawing.png").isReadableFile)
  }

  @Test("So is a file that a step names")
  func namedByStep() throws {
    try scratch.write("<svg xmlns=\"http://www.w3.org/2000/svg\"/>", to: "logo.svg")
    try scratch.write(
      """
      profile = 1
      [[step]]
      op = "compose"
        [[step.layer]]
        source = "frame"
        [[step.layer]]
        source = "logo.svg"
      [[output]]
      format = "png"
      """,
      to: "c.toml"
    )
    try scratch.write(gif, to: "in/a.gif")
    let result = try run("./c.toml")
    #expect(result.status == 1)
    #expect(
      result.errorText.contains(
        "compose: expected a picture of a format that is on, \"logo.svg\", found SVG, "
          + "which --set 'input.formats=[\"safe\", \"svg\"]' opens"
      ),
      "\(result.errorText)"
    )
  }
}
