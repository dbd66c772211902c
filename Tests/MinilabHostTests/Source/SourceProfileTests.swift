import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Profiles whose first step makes the pictures")
struct SourceProfileTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func load(_ toml: String, set: [String] = []) throws(any Error) -> Profile {
    let file = try scratch.write("profile = 1\n" + toml, to: "p.toml")
    return try ProfileLoader.load(file, set: set, operations: .builtin)
  }

  private func problems(_ toml: String) throws -> [String] {
    do {
      _ = try load(toml)
      return []
    } catch let problems as Problems {
      return problems.all.map {
        String("\($0)".dropFirst(scratch.path.appending("p.toml:").bytes.count))
      }
    }
  }

  @Test("The source is no step that treats pictures, and --set reaches it")
  func split() throws {
    let profile = try load(
      "[[step]]\nop = \"capture\"\ndevice = \"a\"\n[[step]]\nop = \"orient\"",
      set: ["capture.device=test"]
    )
    #expect(profile.source?.id == "capture")
    #expect(profile.steps.map(\.id) == ["orient"])
    let resolved = try Profile(resolved: profile.node, operations: .builtin)
    #expect(resolved.source?.id == "capture")
    #expect(try load("[[step]]\nop = \"orient\"").source == nil)
  }

  @Test("A source behind another step is an error")
  func second() throws {
    #expect(
      try problems("[[step]]\nop = \"orient\"\n[[step]]\nop = \"capture\"") == [
        """
        4:1: capture: expected capture, which makes the pictures, as the first step of the profile, \
        found it behind another step
        """
      ]
    )
  }

  @Test("A second source, and one of an output, are errors")
  func others() throws {
    let found = try problems(
      """
      [[step]]
      op = "capture"
      [[step]]
      op = "capture"
      [[output]]
      name = "a"
        [[output.step]]
        op = "capture"
      """
    )
    #expect(found.count == 2)
    #expect(found.last?.contains("output.a.capture") == true)
    #expect(found.last?.contains("found it among the steps of an output") == true)
  }

  @Test("Keys that choose files have no place beside a source; others have")
  func input() throws {
    let capture = "[[step]]\nop = \"capture\"\n"
    #expect(try problems("[input]\nmax-pixels = 100\ntime-limit = 3\n" + capture).isEmpty)
    for line in [
      "include = [\"a\"]", "exclude = [\"a\"]", "formats = \"all\"", "links = \"follow\"",
      "clash = \"number\"",
    ] {
      let found = try problems("[input]\n\(line)\n" + capture)
      #expect(found.count == 1, "\(line)")
      #expect(found.first?.contains("no key that chooses files") == true)
    }
  }

  @Test("Paths that would clash are found before anything is begun")
  func clash() throws {
    func plan(_ toml: String, count: Int) throws -> Plan {
      let profile = try load("[[step]]\nop = \"capture\"\n" + toml)
      let announced = SourceAnnouncement(
        name: "cam",
        format: .jpeg,
        size: Size(width: 300, height: 200),
        orientation: .right
      )
      return try SourceSample(profile, announced, count: count)
        .plan(units: 2, output: scratch.path.appending("out"))
    }
    #expect(throws: PlanError.self) { try plan("[[output]]\npath = \"a.{ext}\"", count: 2) }
    #expect(throws: PlanError.self) {
      try plan("[[output]]\npath = \"{date:%Y}.{ext}\"", count: 9)
    }
    #expect(try plan("[[output]]\npath = \"a.{ext}\"", count: 1).count == 1)
    #expect(try plan("[[output]]\npath = \"{index}.{ext}\"", count: 9).count == 2)
    let sized = try plan("[[output]]\npath = \"{stem}-{width}.{ext}\"", count: 1)
    #expect(sized.outputs(at: 0).first?.shown.hasSuffix("-200.jpg") == true)
  }
}
