import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing

/// Reports from the field on names, walking and running, through the program as people start it.
@Suite("Field reports on names, walking and running")
struct RunFieldReportTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder(
      profile: "profile = 1\n[[output]]\npath = \"{dir}/{stem}.{ext}\"\nformat = \"png\"\n",
      as: "p.toml"
    )
  }

  private let gif = Sample.whitePixelGIF

  private func run(_ arguments: String...) throws -> Program.Result {
    try scratch.minilab(["run", "./p.toml"] + arguments)
  }

  /// Objects of the items, and the last one.
  private func events(
    _ result: Program.Result
  ) throws -> (items: [[String: Any]], summary: [String: Any]) {
    let objects = try result.output.split(separator: UInt8(ascii: "\n")).map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    }
    return (objects.filter { $0["event"] as? String == "item" }, try #require(objects.last))
  }

  private func write(_ name: [UInt8]) throws {
    try scratch.write(gif, to: "x")
    let folder = scratch.path.appending("in")
    _ = folder.withCString { mkdir($0, 0o755) }
    let from = scratch.path.appending("x")
    let to = folder.appending(Path(bytes: name))
    try #require(from.withCString { from in to.withCString { rename(from, $0) } } == 0)
  }

  @Test("names that other tools take for patterns, options or lists are names (report 33)")
  func names() throws {
    let stems: [[UInt8]] =
      [
        "beep:boop", "@at", "b%d", "c%03d", "{name}", "{stem}", "-lead", "--force", "new\nline",
        " sp ace ", "it's", "\"q\"", "\u{1F5BC}", "e\u{301}", "\u{e9}", "a[1]", "*", "?", "a,b",
        "a=b", "~", "$HOME", "a\\b", "#", "tab\t", "\u{1b}[31m", String(repeating: "x", count: 251),
      ].map { Array($0.utf8) } + [[0xff, 0xfe], [0x80]]
    for stem in stems { try write(stem + Array(".gif".utf8)) }
    let result = try run("in", "-o", "out", "--json", "--quiet")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try events(result).items.count == stems.count)
    for stem in stems {
      let path = scratch.path.appending("out").appending(Path(bytes: stem + Array(".png".utf8)))
      #expect(path.isReadableFile, "\(path.shown)")
    }
  }

  @Test("a name that fills a template with .. or more than 255 bytes costs its item (report 33)")
  func hostileNames() throws {
    try write(Array("...gif".utf8))
    try write(Array(String(repeating: "y", count: 251).utf8) + Array(".gif".utf8))
    try write(Array("good.gif".utf8))
    try scratch.write(
      "profile = 1\n[[output]]\npath = \"{stem}/{stem}-large.{ext}\"\nformat = \"png\"\n",
      to: "p.toml"
    )
    let result = try run("in", "in/...gif", "-o", "out", "--json", "--quiet")
    #expect(result.status == 1)
    let codes = try events(result).items.map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(codes.filter { $0 == "output-path" }.count == 2, "\(result.outputText)")
    #expect(scratch.path.appending("out/good/good-large.png").isReadableFile)
    #expect(!scratch.path.appending("..-large.png").isReadableFile)
  }

  @Test("capitals, no extension and a wrong one: content decides, and the output tells (report 35)")
  func extensions() throws {
    for name in ["x.GIF", "y.gIf", "z", "w.jpg"] { try write(Array(name.utf8)) }
    try scratch.write("profile = 1\n[[output]]\npath = \"{stem}.{ext}\"\n", to: "p.toml")
    let result = try run("in", "-o", "out", "--json", "--quiet")
    #expect(result.status == 0, "\(result.outputText)")
    for name in ["x", "y", "z", "w"] {
      #expect(scratch.path.appending("out/\(name).gif").isReadableFile, "\(name)")
    }
    let noted = try events(result).items.filter { item in
      (item["notes"] as? [[String: Any]] ?? []).contains {
        $0["code"] as? String == "name-mismatch"
      }
    }
    #expect(noted.map { $0["input"] as? String } == ["w.jpg"])
  }

  @Test("sidecars of macOS are hidden files: counted, and no errors (report 37)")
  func sidecars() throws {
    try write(Array("x.gif".utf8))
    let double: [UInt8] = [0, 5, 0x16, 7, 0, 2, 0, 0] + [UInt8](repeating: 0, count: 4088)
    for name in ["._x.jpg", ".DS_Store", "a/._y.png"] {
      try scratch.write(double, to: "in/" + name)
    }
    try scratch.write(gif, to: "in/.hidden.jpg")
    let result = try run("in", "-o", "out", "--json")
    #expect(result.status == 0)
    let summary = try events(result).summary
    #expect((summary["left-out"] as? [String: Any])?["hidden"] as? Int == 4, "\(summary)")
    #expect(result.errorText.contains("left out: 4 hidden\n"), "\(result.errorText)")
  }

  @Test("results below the input are no inputs, however often it runs (report 47)")
  func outputBelowInput() throws {
    try scratch.write(gif, to: "one.gif")
    try scratch.write(gif, to: "sub/two.gif")
    for (pass, status) in [(1, "done"), (2, "skipped"), (3, "skipped")] {
      let items = try events(run(".", "-o", "./out", "--json", "--quiet")).items
      let names = items.compactMap { $0["input"] as? String }.sorted()
      #expect(names == ["one.gif", "sub/two.gif"], "\(pass)")
      #expect(items.allSatisfy { $0["status"] as? String == status }, "\(pass)")
    }
  }

  @Test("an encoder that takes too long is ended, listed, and the next file goes on (report 49)")
  func slowEncoder() throws {
    var large = Array("P5 8000 8000 255\n".utf8)
    let rows = (0..<64_000).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 5) }
    for _ in 0..<1000 { large += rows }
    try scratch.write(large, to: "in/a.pgm")
    try scratch.write("P5 3 2 255\n\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}", to: "in/b.pgm")
    try scratch.write(
      """
      profile = 1
      [input]
      formats = "all"
      [[output]]
      format = "avif"
      effort = 9
      """,
      to: "p.toml"
    )
    let result = try run("in", "-o", "out", "--json", "--timeout", "1", "--jobs", "1")
    #expect(result.status == 1)
    let items = try events(result).items
    let codes = items.map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(Set(codes) == ["timeout", nil], "\(result.outputText)")
    #expect(scratch.path.appending("out/b.avif").isReadableFile)
    #expect(!scratch.path.appending("out/a.avif").isReadableFile)
    // It took its second, and was not waited for: the encoder alone would take a minute.
    let seconds = items.compactMap { $0["seconds"] as? Double }.max() ?? 0
    #expect(seconds < 30, "\(seconds)")
  }
}
