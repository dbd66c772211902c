import Glibc
import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@testable import MinilabHost

/// `minilab preview` as a process.
@Suite("minilab preview")
struct PreviewTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder(
      profile: """
        profile = 1
        summary = "Cut and turned"
        [[step]]
        op = "crop"
        rect = [1, 1, 4, 4]
        [[output]]
        name = "large"
        format = "png"
          [[output.step]]
          op = "rotate"
          angle = 90
        [[output]]
        name = "small"
        format = "jpeg"
        """,
      as: "plain.toml"
    )
    try scratch.write(gif, to: "one.gif")
    _ = scratch.path.appending("tmp").withCString { mkdir($0, 0o777) }
  }

  /// Six pixels by six, all white.
  private let gif: [UInt8] =
    Array("GIF89a".utf8) + [6, 0, 6, 0, 0x80, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0]
    + [0x2c, 0, 0, 0, 0, 6, 0, 6, 0, 0, 2, 5, 0x84, 0x8f, 0xa9, 0xcb, 0x5d, 0, 0x3b]

  private func preview(
    _ arguments: String...,
    profile: String = "./plain.toml"
  ) throws -> Program.Result {
    try preview(arguments.map { Path($0) }, profile: profile)
  }

  private func preview(
    _ arguments: [Path],
    profile: String = "./plain.toml"
  ) throws -> Program.Result {
    // Temporary files go where the test can see what is left of them.
    let result = try Program.minilab.run(
      ["preview", profile].map { Path($0) } + arguments,
      in: scratch.path,
      environment: ["TMPDIR": scratch.path.appending("tmp").shown]
    )
    #expect(try names("tmp") == [])
    return result
  }

  private func names(_ folder: String) throws -> [String] {
    let descriptor = try Descriptor(
      opening: scratch.path.appending(folder),
      O_RDONLY | Int32(O_DIRECTORY)
    )
    return try System.names(in: descriptor.number).map(\.shown).sorted()
  }

  private func start(of name: String, _ count: Int) throws -> [UInt8] {
    try Array(contents(of: scratch.path.appending(name)).prefix(count))
  }

  @Test("a file that the profile names, the profile and a pipe are not replaced")
  func kept() throws {
    try scratch.write(gif, to: "mark.gif")
    try scratch.write(
      "profile = 1\n[[step]]\nop = \"compose\"\n[[step.layer]]\nsource = \"mark.gif\"\n",
      to: "marked.toml"
    )
    #expect(scratch.path.appending("pipe.png").withCString { mkfifo($0, 0o600) } == 0)
    for (name, link) in [("mark.gif", "other.gif"), ("marked.toml", "other.png")] {
      let (from, to) = (scratch.path.appending(name), scratch.path.appending(link))
      #expect(from.withCString { from in to.withCString { Glibc.link(from, $0) } } == 0)
    }
    for name in ["mark.gif", "other.gif", "other.png"] {
      let result = try preview("one.gif", "-o", name, profile: "./marked.toml")
      #expect(result.status == 2)
      #expect(
        result.errorText.hasPrefix(
          "minilab: \(name): expected a name where no file of the profile is, found "
        )
      )
    }
    #expect(
      try preview("one.gif", "-o", "pipe.png").errorText
        == "minilab: pipe.png: expected a name for a file, found a pipe, a socket or a device\n"
    )
    #expect(try Array(contents(of: scratch.path.appending("mark.gif"))) == gif)
    #expect(try preview("one.gif", "-o", "new.png", profile: "./marked.toml").status == 0)
  }

  @Test("a sheet is written, nothing is said, and nothing is left beside it")
  func done() throws {
    try scratch.write("", to: "out/.keep")
    let result = try preview("one.gif", "-o", "out/sheet.png")
    #expect(result.errorText == "")
    #expect(result.outputText == "")
    #expect(result.status == 0)
    #expect(try names("out") == [".keep", "sheet.png"])
    #expect(try start(of: "out/sheet.png", 4) == [0x89, 0x50, 0x4e, 0x47])
    #expect(try contents(of: scratch.path.appending("one.gif")) == gif)
    // The same again, in place of the first.
    let first = try contents(of: scratch.path.appending("out/sheet.png"))
    #expect(try preview("one.gif", "-o", "out/sheet.png").status == 0)
    #expect(try contents(of: scratch.path.appending("out/sheet.png")) == first)
    #expect(try names("out") == [".keep", "sheet.png"])
  }

  @Test(
    "the sheet's extension says its format",
    arguments: [
      ("jpg", [0xff, 0xd8]), ("JPEG", [0xff, 0xd8]), ("webp", Array("RIFF".utf8)),
      ("tif", Array("II*".utf8)), ("gif", Array("GIF8".utf8)), ("avif", [0, 0, 0]),
      ("heic", [0, 0, 0]), ("jxl", [0xff, 0x0a]),
    ] as [(String, [UInt8])]
  )
  func formats(ending: String, signature: [UInt8]) throws {
    #expect(try preview("one.gif", "-o", "sheet.\(ending)").status == 0)
    #expect(try start(of: "sheet.\(ending)", signature.count) == signature)
  }

  @Test("a step, guides, an output and settings of the command line each change the sheet")
  func options() throws {
    let changes: [[String]] = [
      [], ["--step", "1"], ["--step", "0"], ["--guides", "off"], ["--output", "small"],
      ["--output", "large"], ["--set", "crop.rect=[0,0,3,3]"],
    ]
    var sheets: Set<[UInt8]> = []
    for (index, change) in changes.enumerated() {
      let arguments = ["one.gif", "-o", "\(index).png"] + change
      let result = try preview(arguments.map { Path($0) })
      #expect(result.status == 0, "\(change) \(result.errorText)")
      sheets.insert(try contents(of: scratch.path.appending("\(index).png")))
    }
    #expect(sheets.count == changes.count)
    #expect(try preview("one.gif", "-o", "on.png", "--guides", "on").status == 0)
    #expect(
      try contents(of: scratch.path.appending("on.png"))
        == contents(of: scratch.path.appending("0.png"))
    )
  }

  @Test(
    "what cannot be shown is said in one line, with status 2, and nothing is written",
    arguments: [
      (["one.gif"], "minilab preview: no file for the sheet: -o SHEET"),
      (["-o", "a.png"], "minilab preview: no PICTURE"),
      (
        ["one.gif", "-o", "a.bmp"],
        "minilab preview: -o: expected a name that ends in one of .jpg .png .webp .tif .gif .avif "
          + ".heic .jxl, found \"a.bmp\""
      ),
      (
        ["one.gif", "-o", "a.png", "--step", "3"],
        "minilab preview: --step: expected a step from 0 to 2, found 3"
      ),
      (
        ["one.gif", "-o", "a.png", "--step", "2", "--output", "small"],
        "minilab preview: --step: expected a step from 0 to 1, found 2"
      ),
      (
        ["one.gif", "-o", "a.png", "--step", "one"],
        "minilab preview: --step: expected a whole number from 0, found \"one\""
      ),
      (
        ["one.gif", "-o", "a.png", "--guides", "of"],
        "minilab preview: --guides: expected on or off, found \"of\""
      ),
      (
        ["one.gif", "-o", "a.png", "--output", "smal"],
        "minilab preview: --output: expected an output (did you mean \"small\"?), found \"smal\""
      ),
      (
        ["one.gif", "-o", "nowhere/a.png"],
        "minilab: nowhere/a.png: expected a name in a folder that is there, found that nowhere is "
          + "not there"
      ),
      (
        ["one.gif", "-o", "one.gif"],
        "minilab: one.gif: expected a name where no input is, found the input one.gif; it would be "
          + "replaced"
      ),
      (
        ["two.gif", "-o", "a.png"],
        "minilab: two.gif: expected a file or folder that can be read, found nothing is there"
      ),
      (
        ["one.gif", "-o", "a.png", "--set", "crop.rct=1"],
        "--set crop.rct=1: crop: expected a known key (did you mean \"rect\"?), found \"rct\""
      ),
    ]
  )
  func faults(arguments: [String], message: String) throws {
    let before = try names(".")
    let result = try preview(arguments.map { Path($0) })
    #expect(result.errorText == message + "\n")
    #expect(result.outputText == "")
    #expect(result.status == 2)
    #expect(try names(".") == before)
    #expect(try contents(of: scratch.path.appending("one.gif")) == gif)
  }

  @Test("a link to the input is the input, and a folder of the sheet's name is none")
  func names() throws {
    _ = scratch.path.appending("link.gif").withCString { symlink("one.gif", $0) }
    #expect(try preview("one.gif", "-o", "link.gif").status == 2)
    try scratch.write("", to: "folder.png/file")
    let result = try preview("one.gif", "-o", "folder.png")
    #expect(
      result.errorText == "minilab: folder.png: expected a name for a file, found a folder\n"
    )
    #expect(result.status == 2)
  }

  @Test("a profile that is wrong is told of with its place")
  func wrongProfile() throws {
    try scratch.write("profile = 1\n[[step]]\nop = \"crp\"\n", to: "wrong.toml")
    let result = try preview("one.gif", "-o", "a.png", profile: "./wrong.toml")
    #expect(result.errorText.hasPrefix("./wrong.toml:3:6: step: expected an operation"))
    #expect(result.status == 2)
  }

  @Test("a picture that cannot be opened has no sheet, one line, and status 1")
  func noPicture() throws {
    try scratch.write("only text", to: "text.jpg")
    try scratch.write(Array(gif.prefix(30)), to: "broken.gif")
    for name in ["text.jpg", "broken.gif"] {
      let result = try preview(name, "-o", "a.png")
      #expect(result.errorText.hasPrefix("minilab: \(name): expected a"))
      #expect(result.errorText.split(separator: "\n").count == 1)
      #expect(result.status == 1)
    }
    #expect(try !names(".").contains("a.png"))
    _ = scratch.path.appending("empty").withCString { mkdir($0, 0o777) }
    let result = try preview("empty", "-o", "a.png")
    #expect(result.errorText == "minilab: no picture found\n")
    #expect(result.status == 3)
  }

  @Test("of a folder the first picture is shown, and said which")
  func folder() throws {
    for name in ["b.gif", "a.gif", "c.gif"] { try scratch.write(gif, to: "in/\(name)") }
    let result = try preview("in", "-o", "a.png")
    #expect(result.errorText == "minilab: a.gif is shown, one of 3 pictures\n")
    #expect(result.status == 0)
    // The sheet of a run before is a picture of that folder.
    #expect(try preview("in", "-o", "in/0.png").status == 0)
    #expect(try preview("in", "-o", "in/0.png").status == 2)
  }

  @Test("a profile that gathers is shown with its first group")
  func gathered() throws {
    for name in ["b.gif", "a.gif", "c.gif"] { try scratch.write(gif, to: "in/\(name)") }
    let profile = """
      profile = 1
      [gather]
      by = "count:2"
      [[step]]
      op = "compose"
      layout = "strip"
      [[output]]
      format = "png"
      path = "{group}.{ext}"
      """
    try scratch.write(profile, to: "gather.toml")
    let result = try preview("in", "-o", "a.png", profile: "./gather.toml")
    #expect(result.errorText == "minilab: a.gif is shown, one of 2 groups\n")
    #expect(result.status == 0)
    #expect(
      try preview("in/a.gif", "in/b.gif", "-o", "b.png", profile: "./gather.toml").status == 0
    )
    // One that is no picture is left out of its group, and said to be.
    try scratch.write("only text", to: "in/b.gif")
    let kept = try preview("in", "-o", "b.png", profile: "./gather.toml")
    #expect(kept.errorText.contains("minilab: a.gif: 1 of 2 pictures is missing: b.gif"))
    #expect(kept.status == 0)
    try scratch.write(profile.replacing("count:2", with: "pattern:x(.)"), to: "none.toml")
    let none = try preview("in", "-o", "c.png", profile: "./none.toml")
    #expect(none.errorText == "minilab: a.gif: the profile's grouping leaves it out\n")
    #expect(none.status == 1)
  }

  @Test("a step that refuses the picture: the sheet up to there, the error, and status 1")
  func refused() throws {
    let result = try preview("one.gif", "-o", "a.png", "--set", "crop.rect=[90,0,4,4]")
    #expect(
      result.errorText
        == "minilab: one.gif: crop: expected a rectangle inside the picture [0, 0, 6, 6], found "
        + "[90, 0, 4, 4] outside it\n"
    )
    #expect(result.status == 1)
    #expect(try start(of: "a.png", 4) == [0x89, 0x50, 0x4e, 0x47])
  }

  @Test("a profile without steps shows the picture and what is made of it")
  func noSteps() throws {
    try scratch.write("profile = 1\n", to: "none.toml")
    #expect(try preview("one.gif", "-o", "a.png", profile: "./none.toml").status == 0)
  }

  @Test("odd names are names: of the picture, of the sheet")
  func oddNames() throws {
    let name = Path(bytes: Array("a[1] %d\n".utf8) + [0xff] + Array(".gif".utf8))
    let file = scratch.path.appending(name)
    _ = file.withCString { rename(scratch.path.appending("one.gif").shown, $0) }
    let sheet = Path(bytes: [0xfe] + Array("@sheet:.png".utf8))
    let result = try preview([name, Path("-o"), sheet])
    #expect(result.errorText == "")
    #expect(result.status == 0)
    #expect(scratch.path.appending(sheet).isReadableFile)
  }
}
