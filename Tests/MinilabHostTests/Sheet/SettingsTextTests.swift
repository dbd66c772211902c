import MinilabKit
import Testing

@testable import MinilabHost

@Suite("What a caption says of a step's keys")
struct SettingsTextTests {
  private func lines(_ toml: String) throws -> [String] {
    let table = try TOMLReader.read(Array(toml.utf8), from: Path("a.toml"))
    return SettingsText.lines(of: table, leavingOut: ["op", "id"])
  }

  @Test("a line for each key that was given, as the profile writes it")
  func keys() throws {
    let text = """
      op = "crop"
      id = "square"
      rect = ["10%", 20, 0.5, 1e3]
      gravity = "north"
      on = true
      "odd key" = 2
      when = 2020-01-02
      shape = { shape = "star", spikes = 5 }
      """
    #expect(
      try lines(text) == [
        #"rect = ["10%", 20, 0.5, 1000]"#, #"gravity = "north""#, "on = true", #""odd key" = 2"#,
        "when = 2020-01-02", #"shape = { shape = "star", spikes = 5 }"#,
      ]
    )
    #expect(try lines("op = \"crop\"") == [])
  }

  @Test("a list of tables has a line for each")
  func tables() throws {
    let text = """
      [[layer]]
      source = "frame"
      [[layer]]
      source = "logo.png"
      opacity = 0.5
      """
    #expect(
      try lines(text) == [
        #"layer 1: source = "frame""#, #"layer 2: source = "logo.png", opacity = 0.5"#,
      ]
    )
  }

  @Test("what is endless is cut, and control characters are shown escaped")
  func cut() throws {
    let long = try lines("path = \"\(String(repeating: "L 10 20 ", count: 500))\"")
    #expect(long.count == 1 && long[0].count == 180 && long[0].hasSuffix("…"))
    let many = try lines((1...40).map { "k\($0) = \($0)" }.joined(separator: "\n"))
    #expect(many.count == 14)
    #expect(many.last == "… and 27 more lines")
    #expect(try lines(#"text = "a\nb\u001b""#) == [#"text = "a\nb\x1b""#])
  }
}
