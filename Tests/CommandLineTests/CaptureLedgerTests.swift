import FoundationEssentials
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// What is captured is in the ledger like everything else that is made.
@Suite("Captures and the ledger", .vips)
struct CaptureLedgerTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func profile(_ outputs: String, count: Int = 3) throws {
    try scratch.write(
      """
      profile = 1
      [[step]]
      op = "capture"
      device = "test"
      size = [32, 24]
      warm-up = 1
      count = \(count)
      \(outputs)
      """,
      to: "p.toml"
    )
  }

  private static let two = """
    [[output]]
    name = "full"
    path = "{stem}.{ext}"
    [[output]]
    name = "small"
    path = "small/{stem}.{ext}"
    format = "png"
    """
  private static let latest = "[[output]]\npath = \"latest.{ext}\"\nformat = \"png\""

  private func minilab(_ words: String...) throws -> Program.Result {
    try Program.minilab.run(words.map { Path($0) }, in: scratch.path)
  }

  private func capture(_ words: String...) throws -> (Program.Result, [CaptureEvent]) {
    let words = ["run", "./p.toml", "-o", "out", "--json", "--quiet"] + words
    let result = try Program.minilab.run(words.map { Path($0) }, in: scratch.path)
    return (result, try CaptureEvent.all(result.outputText))
  }

  private func names(_ folder: String) -> [Path] {
    let path = scratch.path.appending(Path(folder))
    guard let open = try? Descriptor(opening: path, O_RDONLY | Int32(O_DIRECTORY)) else {
      return []
    }
    return (try? System.names(in: open.number)) ?? []
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try contents(of: scratch.path.appending(Path(name))), as: UTF8.self)
  }

  private var kept: Int { names("out/.minilab/captured").count }

  @Test("status counts what was captured, and prune removes what the profile no longer has")
  func known() throws {
    try profile(Self.two)
    let (result, items) = try capture()
    #expect(result.status == 0, "\(result.errorText)")
    #expect(items.count == 3)
    let status = try minilab("status", "out", "--json").outputText
    #expect(status.contains(#""made":6,"altered":0,"left-out":0,"unfinished":0,"missing":0,"#))
    #expect(status.contains(#""done":3"#))
    #expect(try minilab("prune", "out", "--yes").outputText == "nothing to remove\n")
    let report = try text("out/.minilab/report.json")
    #expect(report.contains(#""done":3"#))

    try profile("[[output]]\nname = \"full\"\npath = \"{stem}.{ext}\"")
    let pruned = try minilab("prune", "out", "--yes").outputText
    #expect(pruned.contains("the profile has no output \"small\" any more"))
    #expect(pruned.hasSuffix("removed 3 of 3\n"))
    #expect(names("out").count == 4)
  }

  @Test("A path that each run gives again is replaced, as long as nobody else has touched it")
  func latest() throws {
    try profile(Self.latest, count: 1)
    #expect(try capture().0.status == 0)
    let first = try contents(of: scratch.path.appending("out/latest.png"))
    #expect(try capture().0.status == 0)
    #expect(kept == 0)

    // Retouched: the next picture does not take its place, and is kept.
    try scratch.write(first + [0], to: "out/latest.png")
    let items = try capture().1
    #expect(items.map(\.status) == ["skipped"])
    #expect(items[0].notes.map(\.code).contains("capture-kept"))
    #expect(try contents(of: scratch.path.appending("out/latest.png")) == first + [0])
    #expect(kept == 1)
    #expect(try capture("--force").0.status == 0)
    #expect(try contents(of: scratch.path.appending("out/latest.png")) != first + [0])
  }

  @Test("Pictures of runs that follow at once have names of their own")
  func quickRuns() throws {
    try profile("[[output]]\npath = \"{stem}.{ext}\"", count: 1)
    for number in 1...4 {
      #expect(try capture().0.status == 0)
      #expect(names("out").count == number + 1)
    }
  }

  @Test("A file that the ledger does not know is not replaced, and the picture is kept")
  func exists() throws {
    try profile(Self.latest, count: 1)
    try scratch.write("a letter", to: "out/latest.png")
    let (result, items) = try capture()
    #expect(result.status == 1)
    #expect(items.map { $0.error?.code } == ["exists"])
    #expect(try text("out/latest.png") == "a letter")
    #expect(kept == 1)
    #expect(try minilab("status", "out", "--json").outputText.contains(#""failed":1"#))
    #expect(try capture("--force").0.status == 0)
    #expect(try text("out/latest.png") != "a letter")
  }

  @Test("A limit that is reached with the last picture stops nothing")
  func lastPicture() throws {
    try profile(Self.two, count: 2)
    let (result, items) = try capture("--limit", "max-output=1KB", "--jobs", "1")
    #expect(items.count == 1)
    #expect(result.status == 1)
    #expect(result.errorText.contains("stopped early"))
    try profile(Self.two, count: 1)
    let (last, made) = try capture("--limit", "max-output=1KB")
    #expect(made.map(\.status) == ["done"])
    #expect(last.status == 0)
    #expect(!last.errorText.contains("stopped early"), "\(last.errorText)")
  }

  @Test("Where too little is free no picture is taken")
  func noRoom() throws {
    try profile(Self.two)
    let (result, items) = try capture("--limit", "keep-free=100%")
    #expect(result.status == 1)
    #expect(items.isEmpty)
    #expect(result.errorText.contains("stopped early: expected "), "\(result.errorText)")
    #expect(names("out") == [Path(".minilab")])
    #expect(kept == 0)
  }

  @Test("A picture whose worker is ended is kept, and nothing is unfinished for ever")
  func timedOut() throws {
    let slow = "[[output]]\npath = \"{stem}.{ext}\"\nformat = \"avif\"\neffort = 9\n"
    try profile(slow, count: 1)
    // Much more than a tenth of a second, on any machine.
    let (result, items) = try capture("--set", "capture.size=[1920, 1080]", "--timeout", "0.1")
    #expect(result.status == 1)
    #expect(items.map { $0.error?.code } == ["timeout"])
    #expect(kept == 1)
    let status = try minilab("status", "out", "--json").outputText
    #expect(status.contains("\"unfinished\":0,"), "\(status)")
    #expect(status.contains("\"failed\":1"), "\(status)")
  }

  @Test("--only-failed takes no new picture, and says where those are that failed")
  func onlyFailed() throws {
    try profile(Self.two)
    let result = try minilab("run", "./p.toml", "-o", "out", "--only-failed")
    #expect(result.status == 2)
    #expect(
      result.errorText == """
        minilab run: --only-failed: the profile's step "capture" makes new pictures, and none again; \
        the pictures of what has failed are kept in out/.minilab/captured

        """
    )
    #expect(names("out").isEmpty)
  }
}
