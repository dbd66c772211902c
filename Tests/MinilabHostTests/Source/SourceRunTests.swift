import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// Runs of a source that does what its mood says, in processes of their own.
@Suite("Runs whose pictures come while they go on")
struct SourceRunTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func run(_ mood: String, count: Int, jobs: Int = 2) throws -> Program.Result {
    try scratch.write(
      """
      profile = 1
      [[step]]
      op = "moody"
      mood = "\(mood)"
      count = \(count)
      log = "log"
      [[output]]
      path = "{stem}-{index}.{ext}"
      format = "png"
      """,
      to: "p.toml"
    )
    return try Program(fakeWorker).run(
      ["run", "p.toml", "-o", "out", "--json", "--jobs", "\(jobs)"].map { Path($0) },
      in: scratch.path,
      environment: ["FAKE_WORKER_IS_MINILAB": "1"]
    )
  }

  private func counts(_ result: Program.Result) -> (done: Int, failed: Int) {
    let lines = result.outputText.split(separator: "\n")
    return (
      lines.count { $0.contains("\"status\":\"done\"") },
      lines.count { $0.contains("\"status\":\"failed\"") }
    )
  }

  @Test("A source that is faster than the workers waits for them, and loses nothing")
  func eager() throws {
    let result = try run("eager", count: 200, jobs: 1)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(counts(result) == (200, 0))
    let most = scratch.lines("log").first.flatMap { Int($0.dropFirst("most ".count)) }
    // One worker: three for it, and two on their way.
    #expect((1...5).contains(try #require(most)))
  }

  @Test("A source that is not heard of is ended, and what it has left is put back")
  func mute() throws {
    let result = try run("mute", count: 3)
    #expect(result.status == 1)
    #expect(counts(result) == (1, 1))
    #expect(result.outputText.contains("\"code\":\"timeout\""))
    #expect(result.outputText.contains("\"input\":\"moody-2\""))
    #expect(scratch.lines("log") == ["restored"])
  }

  @Test("A source that dies fails the run, and what it has left is put back")
  func dying() throws {
    let result = try run("dying", count: 3)
    #expect(result.status == 1)
    #expect(counts(result) == (1, 1))
    #expect(result.outputText.contains("\"code\":\"crashed\""))
    #expect(scratch.lines("log") == ["restored"])
  }

  @Test("A source that cannot go on fails the run with its own words")
  func broken() throws {
    let result = try run("broken", count: 3)
    #expect(result.status == 1)
    #expect(counts(result) == (1, 1))
    #expect(result.errorText.contains("moody: expected another picture, found a broken source"))
  }
}
