import Glibc
import MinilabKit
import TestSupport
import Testing

/// `minilab run` and the limits of a run as a whole, on pictures of one pixel.
@Suite("Limits of a run")
struct RunLimitTests {
  private let scratch: ScratchFolder
  private let count = 30

  init() throws {
    scratch = try ScratchFolder()
    try scratch.write("profile = 1\n[[output]]\nformat = \"png\"\n", to: "p.toml")
    let gif: [UInt8] =
      Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0]
      + [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]
    for index in 0..<count { try scratch.write(gif, to: "in/\(index).gif") }
  }

  private func run(_ arguments: String...) throws -> Program.Result {
    try run(words: arguments)
  }

  private func run(words: [String]) throws -> Program.Result {
    try Program.minilab.run(
      (["run", "./p.toml", "in", "-o", "out", "--jobs", "1"] + words).map { Path($0) },
      in: scratch.path
    )
  }

  private var made: Int {
    (0..<count).count { scratch.path.appending("out/\($0).png").isReadableFile }
  }

  @Test(
    "Where too little is free nothing is begun: one message, status 1, and the next run does all"
  )
  func free() throws {
    let result = try run("--limit", "keep-free=100%")
    #expect(result.status == 1)
    #expect(result.errorText.contains("stopped early: expected "), "\(result.errorText)")
    #expect(result.errorText.ranges(of: "keep-free=").count == 1, "\(result.errorText)")
    #expect(made == 0)
    #expect(try run().status == 0)
    #expect(made == count)
  }

  @Test("A run that has written enough stops with one message; each next run goes on where it was")
  func output() throws {
    let first = try run("--limit", "max-output=300")
    #expect(first.status == 1)
    #expect(first.errorText.ranges(of: "max-output=").count == 1, "\(first.errorText)")
    let begun = made
    #expect(begun > 0 && begun < count, "\(begun)")
    #expect(try run().status == 0)
    #expect(made == count)
    // Nothing is made, so nothing counts.
    #expect(try run("--limit", "max-output=1").status == 0)
    #expect(try run("--limit", "keep-free=100%").status == 0)
  }

  @Test("A limit that is reached with the last picture stops nothing")
  func last() throws {
    let result = try Program.minilab.run(
      ["run", "./p.toml", "in/7.gif", "-o", "out", "--limit", "max-output=1"].map { Path($0) },
      in: scratch.path
    )
    #expect(result.status == 0)
    #expect(!result.errorText.contains("stopped early"), "\(result.errorText)")
    try scratch.write("no picture", to: "bad.gif")
    let failed = try Program.minilab.run(
      ["run", "./p.toml", "bad.gif", "-o", "out", "--fail-fast"].map { Path($0) },
      in: scratch.path
    )
    #expect(failed.status == 1)
    #expect(!failed.errorText.contains("stopped early"), "\(failed.errorText)")
  }

  @Test("--timeout is the time limit of a picture, and the retry command has it")
  func timeout() throws {
    try scratch.write("no picture", to: "in/bad.gif")
    let result = try run("--timeout", "7.5")
    #expect(result.status == 1)
    #expect(result.errorText.contains("--limit time-limit=7.5 --jobs 1 --only-failed"))
    let wrong = try run("--timeout", "never")
    #expect(wrong.status == 2)
    #expect(
      wrong.errorText
        == "minilab run: --timeout: expected a number of seconds, 0.1 to 86_400, found \"never\"\n"
    )
    #expect(try run("--timeout", "30s").errorText.hasPrefix("minilab run: --timeout: "))
  }

  @Test("Of all that set one key the last on the command line counts, whatever it is called")
  func order() throws {
    let tight = "max-side=1"
    #expect(try run("--limit", "max-side=0").status == 2)
    #expect(try run("--limit", "max-side=0", "--set", "input.\(tight)").status == 0)
    #expect(try run("--set", "input.max-side=0", "--limit", tight).status == 0)
    #expect(try run("--limit", tight, "--set", "input.max-side=0").status == 2)
    // Each may name the time, and none of them is the strongest.
    let good = [
      ["--timeout", "50"], ["--limit", "time-limit=50"], ["--set", "input.time-limit=50"],
    ]
    let bad = [["--limit", "time-limit=0"], ["--set", "input.time-limit=0"]]
    for last in good {
      for first in bad { #expect(try run(words: first + last).status == 0, "\(first) \(last)") }
    }
    for last in bad {
      for first in good { #expect(try run(words: first + last).status == 2, "\(first) \(last)") }
    }
    // The retry command says it in the same order.
    try scratch.write("no picture", to: "in/bad.gif")
    let failed = try run("--timeout", "9", "--set", "input.time-limit=8", "--limit", "time-limit=7")
    #expect(
      failed.errorText.contains(
        "--limit time-limit=9 --set input.time-limit=8 --limit time-limit=7 --jobs 1 --only-failed"
      ),
      "\(failed.errorText)"
    )
  }

  @Test("Numbers may have underscores, as in a profile")
  func underscores() throws {
    #expect(try run("--memory", "1_000_000_000", "--timeout", "1_000").status == 0)
    for wrong in ["1__000", "_1000", "1000_", "1_KB"] {
      let result = try run("--memory", wrong)
      #expect(result.status == 2)
      #expect(
        result.errorText.contains("expected a number of bytes such as 2GB, 512MiB or 1_000_000,"),
        "\(result.errorText)"
      )
    }
  }
}
