import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import FakeWorker
@testable import MinilabHost

/// A worker in which a picture's decoder does what it likes, played by an operation.
@Suite("Workers lock themselves in")
struct SandboxTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    try scratch.write("hidden", to: "other/secret")
    try scratch.write("P5 3 2 255\n\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}", to: "in/a.pgm")
    try scratch.write(
      """
      profile = 1
      [input]
      formats = "all"
      [[step]]
      op = "intruder"
      folder = '\(scratch.path.appending("other").shown)'
      output = '\(scratch.path.appending("out").shown)'
      [[output]]
      format = "png"
      """,
      to: "p.toml"
    )
  }

  private func run(_ arguments: String...) throws -> Program.Result {
    let first = ["run", "./p.toml", "in", "-o", "out", "--json", "--quiet"]
    return try Program(fakeWorker).run(
      (first + arguments).map { Path($0) },
      in: scratch.path,
      environment: ["FAKE_WORKER_IS_MINILAB": "1", "SOMEBODYS_PASSWORD": "1"]
    )
  }

  private func successes(_ result: Program.Result) throws -> Set<String> {
    let text = try #require(result.outputText.split(separator: "\n").first)
    let found = try #require(text.ranges(of: "found ").last?.upperBound)
    let end = try #require(text[found...].firstIndex(of: "\""))
    return Set(text[found..<end].split(separator: " ").map(String.init))
  }

  @Test(
    "files elsewhere, the network, new processes and others are out of reach",
    .enabled(if: Sandbox.lack == nil, "this kernel cannot lock workers in")
  )
  func locked() throws {
    #expect(try successes(run("--sandbox", "require")) == [])
    #expect(System.contents(of: scratch.path.appending("other/secret")) == Array("hidden".utf8))
  }

  @Test("the tries succeed where nothing keeps a worker from them")
  func free() throws {
    let found = try successes(run("--sandbox", "off", "--set", "intruder.gentle=true"))
    let wanted: Set = [
      "read-passwd", "read-folder", "list-folder", "read-by-link", "write-folder", "append-folder",
      "rename-out", "chmod", "touch", "make-fifo", "unix-socket", "spawn", "fork", "vfork", "clone",
      "clone3", "exec-memory", "socket-pair", "connect-udp", "signal-parent", "signal-thread",
      "queue-signal", "open-parent", "limit-parent", "outlive-parent", "link-in", "write-input",
      "handle", "watch", "unshare", "trace",
    ]
    #expect(found.isSuperset(of: wanted), "\(wanted.subtracting(found))")
    #expect(!found.contains("secret-variable"))
  }

  @Test("a mode that does not exist is a usage error that names the three")
  func mode() throws {
    let result = try run("--sandbox", "on")
    #expect(result.status == 2)
    #expect(result.errorText.contains("one of auto, off, require"), "\(result.errorText)")
  }
}

/// Locking this process in would last: children of it do that.
@Suite("What a confined worker can still do")
struct ConfinedRunTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func run(_ profile: String, _ arguments: String...) throws -> Program.Result {
    try scratch.write("profile = 1\n" + profile, to: "p.toml")
    return try Program(fakeWorker).run(
      (["run", "./p.toml", "-o", "out", "--json", "--quiet"] + arguments).map { Path($0) },
      in: scratch.path,
      environment: ["FAKE_WORKER_IS_MINILAB": "1"]
    )
  }

  private func gray(_ name: String) throws {
    try scratch.write("P5 3 2 255\n\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}", to: name)
  }

  private let all = "[input]\nformats = \"all\"\n"

  @Test("targets of links that are followed, and files that are named through links")
  func links() throws {
    for name in ["far/a.pgm", "far/deep/b.pgm", "apart/c.pgm", "named/d.pgm"] { try gray(name) }
    try scratch.write("", to: "in/none")
    for (link, target) in [
      ("in/a.pgm", "../far/a.pgm"), ("in/deep", "../far/deep"), ("d.pgm", "named/d.pgm"),
    ] {
      let path = scratch.path.appending(link)
      try #require(path.withCString { symlink(target, $0) } == 0)
    }
    let result = try run(
      all + "links = \"follow\"\n[[output]]\nformat = \"png\"\n",
      "in",
      "d.pgm"
    )
    #expect(result.status == 0, "\(result.outputText)")
    for name in ["a.png", "deep/b.png", "d.png"] {
      #expect(scratch.path.appending("out/\(name)").isReadableFile, "\(name)")
    }
  }

  @Test("mode and times of the input, where the profile wants them")
  func attributes() throws {
    try gray("in/a.pgm")
    let input = scratch.path.appending("in/a.pgm")
    try #require(input.withCString { chmod($0, 0o640) } == 0)
    let result = try run(
      all + "[[output]]\nformat = \"png\"\nmode = \"input\"\ntimestamps = \"input\"\n",
      "in"
    )
    #expect(result.status == 0, "\(result.outputText)")
    let made = try fileStatus(of: scratch.path.appending("out/a.png"))
    let read = try fileStatus(of: input)
    #expect(made.st_mode & 0o777 == 0o640)
    #expect(made.st_mtim.tv_sec == read.st_mtim.tv_sec)
  }

  @Test("templates that need headers: a worker that has probed makes outputs, too")
  func headers() throws {
    try gray("in/a.pgm")
    let result = try run(
      all + "[[output]]\nformat = \"png\"\npath = \"{width}/{stem}.{ext}\"\n",
      "in"
    )
    #expect(result.status == 0, "\(result.outputText)")
    #expect(scratch.path.appending("out/3/a.png").isReadableFile)
  }
}
