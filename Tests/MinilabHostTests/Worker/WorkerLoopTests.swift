import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

@Suite("Worker loop")
struct WorkerLoopTests {
  private struct Echo: UnitProcessor {
    func process(_ unit: UnitRequest) -> ProcessedUnit {
      ProcessedUnit(UnitResult(id: unit.id, status: .done))
    }
    func probe(_ request: ProbeRequest) -> ProbeResult { ProbeResult(id: request.id) }
  }

  private struct Refusal: Error {}

  private func unit(_ id: Int) -> Request {
    .unit(UnitRequest(id: id, input: Path("a"), format: .jpeg, outputs: []))
  }

  private func probe(_ ids: Int...) -> Request {
    .probe(ids.map { ProbeRequest(id: $0, input: Path("a"), format: .jpeg) })
  }

  /// What a worker answers, in short.
  ///
  /// `closing` ends the requests before the worker sees any, as a coordinator does that takes back
  /// what is not begun.
  private func answers(
    _ requests: [Request],
    closing: Bool,
    _ make: (Setup) throws -> any UnitProcessor = { _ in Echo() }
  ) throws -> [String] {
    let inbox = try System.pipe()
    let outbox = try System.pipe()
    for request in requests {
      try System.writeAll(inbox.write.number, try Line.encode(request))
    }
    if closing {
      // The number stays open, so that its owner does not close somebody else's.
      let nothing = Glibc.open("/dev/null", O_WRONLY)
      dup2(nothing, inbox.write.number)
      close(nothing)
    } else {
      // Ends the loop with what stands behind the last request: no message.
      try System.writeAll(inbox.write.number, Array("end\n".utf8))
    }
    do {
      try WorkerLoop.serve(
        requests: inbox.read.number,
        replies: outbox.write.number,
        makeProcessor: make
      )
    } catch is DecodingError {
    }
    System.setNonBlocking(outbox.read.number)
    var reader = LineReader()
    _ = try reader.read(from: outbox.read.number)
    var answers: [String] = []
    while let line = reader.next() {
      switch try Line.decode(Reply.self, from: line) {
      case .ready: answers.append("ready")
      case .begun(let id): answers.append("begun \(id)")
      case .made(let id): answers.append("made \(id)")
      case .finished(let result): answers.append("finished \(result.id)")
      case .probed(let results): answers.append("probed \(results.map(\.id))")
      }
    }
    return answers
  }

  @Test("It says what it begins before it begins it")
  func order() throws {
    let all = try answers([.setup(FakeLab.setup), unit(4), unit(9), probe(1, 2)], closing: false)
    // A unit may be finished on its way to the disk while the next one is begun.
    #expect(
      all.filter { !$0.hasPrefix("finished") }
        == ["ready", "begun 4", "begun 9", "begun 1", "begun 2", "probed [1, 2]"]
    )
    #expect(all.filter { $0.hasPrefix("finished") } == ["finished 4", "finished 9"])
    for id in [4, 9] {
      let begun = try #require(all.firstIndex(of: "begun \(id)"))
      let finished = try #require(all.firstIndex(of: "finished \(id)"))
      #expect(begun < finished)
    }
  }

  @Test("What is not begun when the requests are closed is not begun any more")
  func withdrawn() throws {
    #expect(try answers([.setup(FakeLab.setup), unit(1)], closing: true) == ["ready"])
    #expect(try answers([.setup(FakeLab.setup), probe(1)], closing: true) == ["ready"])
  }

  @Test("It ends with the requests")
  func ends() throws {
    #expect(try answers([], closing: true) == [])
  }

  @Test("A set-up that cannot be carried out ends it before it is ready")
  func refusedSetup() throws {
    #expect(throws: Refusal.self) {
      try answers([.setup(FakeLab.setup)], closing: false) { _ in throw Refusal() }
    }
  }

  @Test("A unit before the set-up is refused")
  func noSetup() throws {
    #expect(throws: (any Error).self) { try answers([unit(1)], closing: false) }
  }
}
