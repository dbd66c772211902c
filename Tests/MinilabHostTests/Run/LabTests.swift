import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// A pipe of which programs that other tests start meanwhile inherit nothing.
///
/// Foundation's are inherited: as long as such a program lives, its end is not closed for the writer.
private struct OwnPipe {
  let reading: FileHandle
  let writing: FileHandle

  init() throws {
    let ends = try System.pipe()
    reading = Self.handle(ends.read)
    writing = Self.handle(ends.write)
  }

  /// With a descriptor of its own.
  private static func handle(_ end: borrowing Descriptor) -> FileHandle {
    FileHandle(fileDescriptor: fcntl(end.number, F_DUPFD_CLOEXEC, 0), closeOnDealloc: true)
  }
}

/// A coordinator in a process of its own, with two fake workers, to be sent signals.
final class LabProcess {
  private let process = Process()
  private let output: OwnPipe
  private let errors: OwnPipe

  init(output folder: Path, _ orders: [String]) throws {
    output = try OwnPipe()
    errors = try OwnPipe()
    process.executableURL = URL(fileURLWithPath: fakeWorker.shown)
    process.arguments = ["lab", folder.shown] + orders
    process.standardOutput = output.writing
    process.standardError = errors.writing
    try process.run()
    try output.writing.close()
    try errors.writing.close()
  }

  func send(_ signal: Int32) {
    kill(process.processIdentifier, signal)
  }

  /// Takes the reader of its events away.
  func closeOutput() throws {
    try output.reading.close()
  }

  /// Reads until it says something about its stopping.
  func waitUntilStopping() {
    var text = ""
    while !text.contains("stopping") {
      let data = errors.reading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
  }

  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// What it has said to people, after its end.
  func messages() throws -> String {
    String(decoding: try errors.reading.readToEnd() ?? Data(), as: UTF8.self)
  }

  /// Its events, after its end.
  func events() throws -> [String] {
    let data = try output.reading.readToEnd() ?? Data()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

@Suite("A run and its signals")
struct LabTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private var output: Path { scratch.file("out") }

  /// Waits until a worker is in the middle of a unit, and tells which.
  private func worker(at gate: String) throws -> Int32 {
    try waitUntil("\(gate) is begun") { !scratch.lines("\(gate).begun").isEmpty }
    return try #require(scratch.lines("\(gate).begun").last.flatMap { Int32($0) })
  }

  private func gate(_ name: String) -> String { "gate:\(scratch.file(name).shown)" }

  private func open(_ gate: String) throws {
    try scratch.write("", to: "\(gate).open")
  }

  private func plantTemporary() throws {
    try scratch.write("half", to: "out/.minilab/tmp/1-1")
  }

  @Test(
    "An interrupt lets what is begun finish, takes back the rest, and exits with 130 (report 39)",
    arguments: [SIGINT, SIGTERM, SIGHUP]
  )
  func interrupt(signal: Int32) throws {
    let lab = try LabProcess(
      output: output,
      [gate("a"), gate("b")] + Array(repeating: "fine", count: 50)
    )
    _ = try worker(at: "a")
    _ = try worker(at: "b")
    try plantTemporary()
    lab.send(signal)
    lab.waitUntilStopping()
    try open("a")
    try open("b")
    #expect(lab.wait() == 130)
    let events = try lab.events()
    #expect(events.count == 3)
    #expect(events.filter { $0.contains("\"status\":\"done\"") }.count == 2)
    #expect(events.last?.contains("\"event\":\"summary\",\"done\":2,") == true)
    #expect(try scratch.names("out/.minilab/tmp") == [])
  }

  @Test("A second interrupt ends workers at once and leaves no temporary file (report 39)")
  func secondInterrupt() throws {
    let lab = try LabProcess(output: output, [gate("never"), gate("nor"), "fine"])
    let workers = try [worker(at: "never"), worker(at: "nor")]
    try plantTemporary()
    lab.send(SIGINT)
    lab.waitUntilStopping()
    lab.send(SIGINT)
    #expect(lab.wait() == 130)
    #expect(workers.allSatisfy(isGone))
    #expect(try lab.events().count == 1)
    #expect(try scratch.names("out/.minilab/tmp") == [])
  }

  @Test("A closed standard output ends the run like an interrupt")
  func closedOutput() throws {
    let lab = try LabProcess(
      output: output,
      [gate("a"), gate("b")] + Array(repeating: "log:\(scratch.file("log").shown)", count: 50)
    )
    _ = try worker(at: "a")
    _ = try worker(at: "b")
    try lab.closeOutput()
    try open("a")
    try open("b")
    #expect(lab.wait() == 130)
    // At most the two units that each worker has in hand behind its first, and one that it was handed
    // when the closing came too late to be noticed with the first one's end.
    #expect(scratch.lines("log").count <= 6)
  }

  @Test("A worker that somebody kills costs nothing but time")
  func killedWorker() throws {
    let lab = try LabProcess(output: output, [gate("a"), "fine", "fine"])
    let first = try worker(at: "a")
    kill(first, SIGKILL)
    try waitUntil("another worker tries again") { scratch.lines("a.begun").count == 2 }
    #expect(try worker(at: "a") != first)
    try open("a")
    #expect(lab.wait() == 0)
    #expect(try lab.events().filter { $0.contains("\"status\":\"done\"") }.count == 3)
  }

  @Test("An interrupt of the whole terminal does not reach workers")
  func workersIgnoreInterrupts() throws {
    let lab = try LabProcess(output: output, [gate("a"), "fine"])
    let first = try worker(at: "a")
    for signal in [SIGINT, SIGTERM, SIGHUP] { kill(first, signal) }
    try open("a")
    #expect(lab.wait() == 0)
    #expect(scratch.lines("a.begun") == ["\(first)"])
  }

  @Test("When the coordinator is killed its workers die, and the next run starts (report 39)")
  func killedCoordinator() throws {
    let lab = try LabProcess(output: output, [gate("never"), gate("nor")])
    let workers = try [worker(at: "never"), worker(at: "nor")]
    try plantTemporary()
    lab.send(SIGKILL)
    _ = lab.wait()
    try waitUntil("its workers are gone") { workers.allSatisfy(isGone) }
    let next = try LabProcess(output: output, ["fine"])
    #expect(next.wait() == 0)
    #expect(try scratch.names("out/.minilab/tmp") == [])
  }

  @Test("An output root that another run is using is refused")
  func heldOutput() throws {
    let lab = try LabProcess(output: output, [gate("a")])
    _ = try worker(at: "a")
    let other = try LabProcess(output: output, ["fine"])
    #expect(other.wait() == 2)
    #expect(try other.events().first?.contains("a run that is still going") == true)
    try open("a")
    #expect(lab.wait() == 0)
  }

  @Test("Failures give exit status 1, a full disk stops early")
  func exitStatus() throws {
    let failing = try LabProcess(output: output, ["fine", "fail", "fine"])
    #expect(failing.wait() == 1)
    #expect(try failing.events().count == 4)
    let full = try LabProcess(output: output, ["disk-full"])
    #expect(full.wait() == 1)
    #expect(try full.messages().hasSuffix("minilab: stopped early: the disk is full\n"))
  }
}
