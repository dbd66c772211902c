import CSystem
import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// One run on an output root at a time.
@Suite("Two runs on one output root")
struct HoldingTests {
  let room: Darkroom

  init() throws {
    room = try Darkroom()
    try room.paint("a.tif", seed: 1)
    try room.run()
  }

  private func begin(_ arguments: String...) throws -> Process {
    try room.scratch.begin(
      ["run", "./profile.toml", "in", "-o", "out", "--json"] + arguments,
      messages: "messages"
    )
  }

  private func messages() throws -> String {
    String(decoding: try contents(of: room.path("messages")), as: UTF8.self)
  }

  private func wait(_ what: Comment, until condition: () throws -> Bool) throws {
    for _ in 0..<3000 {
      if try condition() { return }
      usleep(10_000)
    }
    Issue.record(what)
  }

  @Test("The second says who holds it, starts nothing, and ends with 2")
  func refused() throws {
    let output = try OutputFolder(preparing: room.path("out"))
    try withExtendedLifetime(output) {
      try room.paint("a.tif", seed: 2)
      let before = try room.tree()
      let run = try room.run()
      #expect(run.status == 2)
      #expect(run.messages.contains("a run that is still going (process \(getpid()) on "))
      #expect(run.messages.contains(", since 2"))
      #expect(try room.tree() == before)
    }
  }

  @Test("--wait says whom it waits for, and then runs")
  func waiting() throws {
    var output: OutputFolder? = try OutputFolder(preparing: room.path("out"))
    #expect(output != nil)
    try room.paint("a.tif", seed: 2)
    let process = try begin("--wait")
    try wait("it says that it waits") { try messages().contains("waiting for a run") }
    #expect(try messages().contains("(process \(getpid()) on "))
    #expect(process.isRunning)
    output = nil
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try room.run().items == ["a.tif": "skipped up-to-date"])
  }

  @Test("--wait ends with an interrupt")
  func interruptedWaiting() throws {
    let output = try OutputFolder(preparing: room.path("out"))
    try withExtendedLifetime(output) {
      let process = try begin("--wait")
      try wait("it says that it waits") { try messages().contains("waiting for a run") }
      process.interrupt()
      process.waitUntilExit()
      #expect(process.terminationStatus == 130)
    }
  }

  @Test("The lock of a run that is dead is no obstacle")
  func deadHolder() throws {
    try room.scratch.write("1 1 gone\n", to: "out/.minilab/lock")
    #expect(try room.run().items == ["a.tif": "skipped up-to-date"])
  }
}
