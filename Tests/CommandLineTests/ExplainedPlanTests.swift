import Foundation
import MinilabKit
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// `minilab run --explain` tells what a dry run tells, and more.
@Suite("An explanation is a dry run of one picture", .vips)
struct ExplainedPlanTests {
  let scratch: ScratchFolder
  let minilab: Program

  init() throws {
    scratch = try ScratchFolder()
    minilab = try .minilab
    let pixels = (0..<(40 * 30 * 3)).map { UInt16($0 * 13 % 65_536) }
    let deep = try Image(pixels16: pixels, width: 40, height: 30, bands: 3)
    let target = try Target()
    try deep.save("pngsave_target", to: target, [])
    try scratch.write(target.bytes, to: "in/deep.png")
    try scratch.write("[[output]]\nformat = \"jpeg\"\n", to: "tail")
  }

  private func write(_ profile: String) throws {
    try scratch.write(
      "profile = 1\n\(profile)\n[[output]]\nformat = \"jpeg\"\n",
      to: "p.toml"
    )
  }

  private func run(_ arguments: String...) throws -> Program.Result {
    try minilab.run((["run", "./p.toml"] + arguments).map { Path($0) }, in: scratch.path)
  }

  private struct Told: Decodable {
    struct Note: Decodable, Equatable {
      let code: String
    }
    struct Failure: Decodable, Equatable {
      let code: String
      let text: String
    }
    let input: String
    let status: String?
    let reason: String?
    let notes: [Note]
    let error: Failure?
  }

  /// The first line of an answer.
  private func told(_ result: Program.Result) throws -> Told {
    let line = try #require(result.outputText.split(separator: "\n").first, "\(result.errorText)")
    return try JSONDecoder().decode(Told.self, from: Data(line.utf8))
  }

  @Test("The notes are those of a dry run")
  func notes() throws {
    try write("")
    let dry = try told(run("in", "-o", "out", "-n", "--json", "-q"))
    #expect(dry.notes.map(\.code) == ["depth-reduced"])
    #expect(try told(run("--explain", "in/deep.png", "--json")).notes == dry.notes)
  }

  @Test("What a note forbids is an error, to programs in the form of a dry run")
  func forbidden() throws {
    try write("[notes]\nforbid = [\"depth-reduced\"]")
    let dry = try told(run("in", "-o", "out", "-n", "--json", "-q"))
    let result = try run("--explain", "in/deep.png", "--json")
    #expect(result.status == 1)
    #expect(try told(result).error == dry.error)
    #expect(dry.error?.code == "note-forbidden")
    #expect(result.errorText == "minilab: deep.png: \(dry.error?.text ?? "")\n")
    let text = try run("--explain", "in/deep.png")
    #expect(text.status == 1)
    #expect(text.outputText == "")
  }

  @Test(
    "A picture that is none, one that is in no group, and none at all are told to programs, too"
  )
  func refusals() throws {
    try write("")
    try scratch.write("no picture", to: "in/b.jpg")
    try scratch.write("no picture", to: "other/c.txt")
    let broken = try run("--explain", "in/b.jpg", "--json")
    #expect(broken.status == 1)
    #expect(try told(broken).error?.code == "not-a-picture")
    let none = try run("--explain", "other", "--json")
    #expect(none.status == 3)
    #expect(none.outputText.contains(#""left-out":{"not-a-picture":1"#))
    try scratch.write(
      """
      profile = 1
      [gather]
      by = "pattern:zzz"
      [[step]]
      op = "compose"
      [[output]]
      path = "{group}.{ext}"
      """,
      to: "p.toml"
    )
    let alone = try run("--explain", "in/deep.png", "--json")
    #expect(alone.status == 1)
    #expect(try told(alone).reason == "no-group")
    #expect(alone.errorText == "minilab: in/deep.png: the profile's grouping leaves it out\n")
  }

  @Test("An output root that is a file is refused as a dry run refuses it")
  func root() throws {
    try write("")
    let dry = try run("in", "-o", "tail", "-n")
    #expect(dry.status == 2)
    #expect(dry.errorText == "minilab: tail: expected a folder, found a file\n")
    #expect(try run("--explain", "in/deep.png", "-o", "tail") == dry)
  }
}
