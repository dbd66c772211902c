import Glibc
import MinilabKit

@testable import MinilabHost

/// What coordinator and workers say to each other, should one of them have gone mad.
let protocolTargets = [
  Target("messages", [readRequests, readReplies])
]

@Sendable
private func readRequests(_ bytes: [UInt8]) {
  for line in bytes.split(separator: 0x0a) {
    checkRepeated(Request.self, line)
    checkRepeated(SourceRequest.self, line)
  }
  // The whole loop of a worker, around a processor that only answers.
  ScratchFile.shared.bytes = bytes
  try? WorkerLoop.serve(
    requests: ScratchFile.shared.descriptor,
    replies: silence,
    makeProcessor: { _ in Echo() }
  )
}

@Sendable
private func readReplies(_ bytes: [UInt8]) {
  let listener = Listener()
  for line in bytes.split(separator: 0x0a) {
    checkRepeated(Reply.self, line)
    checkRepeated(SourceReply.self, line)
    guard let reply = try? Line.decode(Reply.self, from: line) else { continue }
    listener.hear(reply)
  }
}

/// Where answers go.
private let silence = open("/dev/null", O_WRONLY)

/// What was understood is said again, and understood as the same.
private func checkRepeated<Message: Codable>(_ type: Message.Type, _ line: ArraySlice<UInt8>) {
  guard let message = try? Line.decode(type, from: line) else { return }
  do {
    let said = try Line.encode(message)
    require(said.last == 0x0a && said.count { $0 == 0x0a } == 1, "more than a line")
    let again = try Line.decode(type, from: said.dropLast())
    // The keys of a table have no order.
    require(try Line.encode(again).count == said.count, "another message")
  } catch {
    fatalError("a message cannot be repeated: \(error)")
  }
}

private struct Echo: UnitProcessor {
  func process(_ unit: UnitRequest) -> ProcessedUnit {
    ProcessedUnit(UnitResult(id: unit.id, status: .done))
  }

  func probe(_ request: ProbeRequest) -> ProbeResult { ProbeResult(id: request.id) }
}

/// Who is told of replies in a run, as far as it believes what a worker says.
private struct Listener {
  private let report = RunReport(
    Tally(planned: 3),
    .init(json: true, output: silence, messages: silence),
    input: { _ in Path("a.jpg") },
    outputIsLost: { false }
  )

  func hear(_ reply: Reply) {
    switch reply {
    case .ready, .begun, .made: break
    case .finished(let result):
      guard result.makesSense else { return }
      _ = report.finished(result)
      let failed = result.status == .failed
      require(failed == (result.error != nil), "a failure without a reason")
    case .probed(let results):
      for result in results where result.makesSense {
        _ = report.probed(result)
        if let header = result.header {
          require(
            header.pages >= 1 && header.width >= 0 && header.height >= 0,
            "a picture of nothing"
          )
        }
        if let clock = result.header?.taken.flatMap(WallClock.init(exif:)) {
          _ = clock.written(as: "%Y-%m-%d %H:%M:%S")
        }
      }
    }
  }
}
