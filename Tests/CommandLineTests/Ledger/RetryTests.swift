import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("What has failed, and trying it again")
struct RetryTests {
  struct Report: Decodable {
    struct Failure: Decodable {
      let input: String
      let root: String
      let code: String
      let text: String
    }
    let status: Int
    let planned: Int
    let done: Int
    let failed: Int
    let skipped: Int
    let reasons: [String: Int]
    let retry: [String]?
    let failures: [Failure]
  }

  let room: Darkroom

  init() throws {
    room = try Darkroom()
    try room.paint("good.tif", seed: 1)
    try room.scratch.write("no picture", to: "in/b/bad one.jpg")
    let half = Darkroom.picture(seed: 2, width: 20, height: 12).dropLast(300)
    try room.scratch.write(Array(half), to: "in/half.tif")
  }

  private func report() throws -> Report {
    try JSONDecoder().decode(
      Report.self,
      from: Data(contents(of: room.path("out/.minilab/report.json")))
    )
  }

  @Test("The report names every failed item with code and reason, and the command for only these")
  func failed() throws {
    #expect(try room.run().status == 1)
    let report = try report()
    #expect(report.status == 1)
    #expect(report.planned == 3)
    #expect((report.done, report.failed, report.skipped) == (1, 2, 0))
    #expect(report.reasons == ["new": 1])
    #expect(report.failures.map(\.input) == ["b/bad one.jpg", "half.tif"])
    #expect(report.failures.map(\.code) == ["not-a-picture", "damaged"])
    #expect(report.failures[0].root == Path(bytes: try realPath(room.path("in"))).shown)
    #expect(report.failures[0].text.hasPrefix("expected a picture, found "))
    #expect(
      report.retry == ["minilab", "run", "./profile.toml", "in", "-o", "out", "--only-failed"]
    )
  }

  @Test("--only-failed takes what failed and nothing else, until nothing fails")
  func onlyFailed() throws {
    try room.run()
    try room.paint("new.tif", seed: 9)
    try room.paint("half.tif", seed: 2)
    let run = try room.run("--only-failed")
    #expect(
      run.items == [
        "b/bad one.jpg": "failed not-a-picture",
        "half.tif": "done new half-large.png small/half.webp",
      ]
    )
    #expect(try report().failures.map(\.input) == ["b/bad one.jpg"])
    #expect(try report().planned == 2)
    try room.remove("in/b/bad one.jpg")
    let last = try room.run("--only-failed")
    #expect(last.items.isEmpty)
    #expect(last.status == 0)
    let status = try room.status("--json")
    #expect(status.outputText.contains("\"failed\":0,"))
    // The ordinary run forgets what failed before it.
    #expect(try room.run().items["new.tif"]?.hasPrefix("done new") == true)
    #expect(try report().failures.isEmpty)
    #expect(try report().retry == nil)
  }

  @Test("The command that is printed does what it says, whatever the names")
  func printedCommand() throws {
    let folder = "it's a $HOME \u{e9}"
    try System.rename(room.path("in"), in: AT_FDCWD, to: room.path(folder), in: AT_FDCWD)
    let words = ["run", "./profile.toml", folder, "-o", "o ut"]
    let first = try room.scratch.minilab(words)
    #expect(first.status == 1)
    let line = try #require(
      first.errorText.split(separator: "\n").first { $0.hasPrefix("only these again: minilab ") }
    )
    try room.scratch.write(
      Darkroom.picture(seed: 2, width: 20, height: 12),
      to: "\(folder)/half.tif"
    )
    let command = line.dropFirst("only these again: minilab ".count)
    let again = try Program(Path("/bin/sh")).run(
      "-c",
      "\"$0\" \(command) --json",
      Program.minilab.path.shown,
      in: room.scratch.path
    )
    let run = try Darkroom.run(again)
    #expect(Set(run.items.keys) == ["b/bad one.jpg", "half.tif"])
    #expect(run.items["half.tif"]?.hasPrefix("done") == true)
  }

  @Test(
    "Names of no text, of several lines and with quotes fail by their bytes, a line each (report 33)"
  )
  func oddNames() throws {
    let names: [[UInt8]] = [
      Array("a\n\"b'.jpg".utf8), Array("c".utf8) + [0xff] + Array(".jpg".utf8),
      Array("$(touch owned).jpg".utf8), Array("\u{1b}[31m.jpg".utf8), Array("-o.jpg".utf8),
    ]
    for name in names {
      try room.scratch.write("no picture", to: "in/x")
      let to = room.path("in").appending(Path(bytes: name))
      try System.rename(room.path("in/x"), in: AT_FDCWD, to: to, in: AT_FDCWD)
    }
    let words = ["run", "./profile.toml", "in", "-o", "out"]
    let result = try room.scratch.minilab(words)
    let lines = result.errorText.split(separator: "\n")
    let start = try #require(lines.firstIndex(of: "failed:"))
    let end = try #require(lines.firstIndex { $0.hasPrefix("only these again: ") })
    // Two are there from the start.
    #expect(end - start - 1 == names.count + 2, "\(result.errorText)")
    #expect(!result.errorText.unicodeScalars.contains("\u{1b}"))
    for line in lines[(start + 1)..<end] { #expect(line.hasSuffix("]"), "\(line)") }
    let failures =
      try #require(
        JSONSerialization.jsonObject(
          with: Data(contents(of: room.path("out/.minilab/report.json")))
        ) as? [String: Any]
      )["failures"] as? [[String: Any]]
    let told = try #require(failures).map { failure in
      (failure["input-base64"] as? String).flatMap { Data(base64Encoded: $0) }.map { Array($0) }
        ?? Array((failure["input"] as? String ?? "").utf8)
    }
    for name in names { #expect(told.contains(name), "\(Path(bytes: name).shown)") }
    // They can be tried again, and nothing else is.
    #expect(try room.run("--only-failed").items.count == names.count + 2)
  }

  @Test("The report and the summary name the step that failed")
  func step() throws {
    try room.scratch.write(
      "profile = 1\n[[step]]\nid = \"cut\"\nop = \"crop\"\nrect = [500, 0, 9, 9]\nclamp = \"reject\"\n"
        + "[[output]]\nformat = \"png\"\n",
      to: "profile.toml"
    )
    let words = ["run", "./profile.toml", "in", "-o", "out"]
    let result = try room.scratch.minilab(words)
    #expect(result.errorText.contains("  good.tif: cut: expected "), "\(result.errorText)")
    #expect(result.errorText.contains(" [crop-outside]\n"), "\(result.errorText)")
    let report = String(
      decoding: try contents(of: room.path("out/.minilab/report.json")),
      as: UTF8.self
    )
    #expect(
      report.contains("\"code\":\"crop-outside\",\"step\":\"cut\",\"text\":\"cut: "),
      "\(report)"
    )
  }

  @Test("The summary says how many were up to date, and why others were made")
  func summary() throws {
    try room.run()
    try room.paint("good.tif", seed: 3)
    try room.paint("half.tif", seed: 4)
    let words = ["run", "./profile.toml", "in", "-o", "out"]
    let result = try room.scratch.minilab(words)
    #expect(result.errorText.hasPrefix("2 of 3 done, 1 failed in "))
    #expect(result.errorText.contains("\nbecause: 1 new, 1 input changed\n"))
    let again = try room.scratch.minilab(words)
    #expect(again.errorText.hasPrefix("0 of 3 done, 2 up to date, 1 failed in "))
  }
}
