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
    try Program.minilab.run(
      (["run", "./p.toml", "in", "-o", "out", "--jobs", "1"] + arguments).map { Path($0) },
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
  }

  @Test("--timeout is the time limit of a picture, and the retry command has it")
  func timeout() throws {
    try scratch.write("no picture", to: "in/bad.gif")
    let result = try run("--timeout", "7.5")
    #expect(result.status == 1)
    #expect(result.errorText.contains("--limit time-limit=7.5 --jobs 1 --only-failed"))
    let wrong = try run("--timeout", "never")
    #expect(wrong.status == 2)
    #expect(wrong.errorText.contains("--limit time-limit=never"), "\(wrong.errorText)")
  }
}
