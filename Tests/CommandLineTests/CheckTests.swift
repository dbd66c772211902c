import MinilabKit
import TestSupport
import Testing

@Suite("The command line: check")
struct CheckTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  private func check(
    _ profiles: String...,
    environment: [String: String] = [:]
  ) throws -> Program.Result {
    try Program.minilab.run(
      (["check"] + profiles).map { Path($0) },
      in: folder.path,
      environment: ["MINILAB_PROFILES": ""].merging(environment) { $1 }
    )
  }

  @Test("a good profile is a line on standard output")
  func good() throws {
    try folder.write(
      "profile = 1\n[[step]]\nop = 'orient'\n[[output]]\nname = 'a'\n[[output]]\nname = 'b'\n",
      to: "good.toml"
    )
    let result = try check("good.toml")
    #expect(result.outputText == "good.toml: good, 1 step, 2 outputs\n")
    #expect(result.errorText == "")
    #expect(result.status == 0)
  }

  @Test("whatever keys and names are, an error is a line that a terminal only shows")
  func hostileText() throws {
    let long = String(repeating: "x", count: 100_000)
    try folder.write(
      """
      profile = 1
      "a\\nb\\u001b[31m" = 1
      [[step]]
      op = "crop"
      id = "c\\rd"
      sizee = 3
      [[output]]
      name = "e\\u009bf"
      \(long) = 1
      path = "\(long)"
      """,
      to: "bad.toml"
    )
    let result = try check("bad.toml")
    #expect(result.status == 2)
    let lines = result.errorText.split(separator: "\n")
    #expect(
      lines.map { $0.prefix(11) } == ["bad.toml:2:", "bad.toml:6:", "bad.toml:9:", "bad.toml:10"]
    )
    #expect(lines.allSatisfy { $0.count < 1500 })
    #expect(
      result.errorText.unicodeScalars.allSatisfy {
        $0 == "\n" || $0.properties.generalCategory != .control
      }
    )
  }

  @Test("a profile from a pipe is waited for")
  func pipe() throws {
    try folder.write("profile = 1\n", to: "good.toml")
    let result = try Program(Path("/bin/sh")).run(
      "-c",
      "{ sleep 0.2; cat good.toml; } | \"$0\" check /dev/stdin",
      Program.minilab.path.shown,
      in: folder.path
    )
    #expect(result.outputText == "/dev/stdin: good, 0 steps, 1 output\n")
    #expect(result.errorText == "")
  }

  @Test("all errors of all profiles are shown with file, line and column, and the status is 2")
  func bad() throws {
    try folder.write("profile = 1\n", to: "good.toml")
    try folder.write("profile = 1\n[[step]]\nop = 'crp'\n[[step]]\nop = 'ornt'\n", to: "bad.toml")
    try folder.write("profile =\n", to: "worse.toml")
    let result = try check("bad.toml", "good.toml", "worse.toml", "none.toml")
    #expect(result.outputText == "good.toml: good, 0 steps, 1 output\n")
    #expect(
      result.errorText == """
        bad.toml:3:6: step: expected an operation (did you mean "crop"?), found "crp"
        bad.toml:5:6: step: expected an operation (did you mean "orient"?), found "ornt"
        worse.toml:1:10: expected value, found the end of the line
        none.toml: expected a profile that can be read, found none.toml: No such file or directory

        """
    )
    #expect(result.status == 2)
  }

  @Test("a name is found in the listed folders, in ./profiles and in the user's own")
  func names() throws {
    try folder.write("profile = 1\n", to: "one/mine.toml")
    try folder.write("profile = 1\n", to: "two/mine.toml")
    try folder.write("profile = 1\n", to: "profiles/local.toml")
    try folder.write("profile = 1\n", to: "config/minilab/profiles/own.toml")
    try folder.write("profile = 1\n", to: "home/.config/minilab/profiles/home.toml")
    let config = folder.text + "/config"
    let good = "good, 0 steps, 1 output\n"
    #expect(
      try check("mine", environment: ["MINILAB_PROFILES": "none:two:one"]).outputText
        == "two/mine.toml: \(good)"
    )
    #expect(try check("local").outputText == "profiles/local.toml: \(good)")
    #expect(
      try check("own", environment: ["XDG_CONFIG_HOME": config]).outputText
        == "\(config)/minilab/profiles/own.toml: \(good)"
    )
    let home = folder.text + "/home"
    #expect(
      try check("home", environment: ["XDG_CONFIG_HOME": "", "HOME": home]).outputText
        == "\(home)/.config/minilab/profiles/home.toml: \(good)"
    )
    let missing = try check("locl")
    #expect(missing.status == 2)
    #expect(
      missing.errorText.hasPrefix("locl: expected a profile (did you mean \"local\"?), found")
    )
  }

  @Test("a profile's name is bytes")
  func bytes() throws {
    let result = try Program.minilab.run(
      [Path("check"), Path(bytes: Array("a\n".utf8) + [0xff] + Array(".toml".utf8))],
      in: folder.path
    )
    #expect(
      result.errorText
        == "a\\n\\xff.toml: expected a profile that can be read, "
        + "found a\\n\\xff.toml: No such file or directory\n"
    )
    #expect(result.status == 2)
  }

  @Test("a FIFO in a profile's place does not hold the program up")
  func fifo() throws {
    let shell = Program(Path("/bin/sh"))
    #expect(try shell.run("-c", "mkfifo pipe.toml", in: folder.path).status == 0)
    let result = try check("pipe.toml")
    #expect(result.errorText.contains("pipe.toml"))
    #expect(result.status == 2)
  }
}
