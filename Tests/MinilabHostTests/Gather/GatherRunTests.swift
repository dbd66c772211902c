import Glibc
import MinilabKit
import TestSupport
import Testing
import Vips

@testable import FakeWorker
@testable import MinilabHost

/// The whole program with an operation of these tests, as processes.
@Suite("Gathered runs")
struct GatherRunTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func profile(_ gather: String, _ output: String = "path = '{group}.{ext}'") throws {
    try scratch.write(
      """
      profile = 1
      [gather]
      \(gather)
      [[step]]
      op = "side-by-side"
      [[output]]
      \(output)
      format = "png"
      """,
      to: "p.toml"
    )
  }

  /// Uncompressed, so that no library has to be asked for them: gray, of this width.
  private func write(_ names: [String], width: Int = 3) throws {
    for name in names { try scratch.write(pgm(width), to: "in/" + name) }
  }

  private func pgm(_ width: Int) -> [UInt8] {
    Array("P5 \(width) 2 255\n".utf8) + [UInt8](repeating: UInt8(width), count: 2 * width)
  }

  private func run(_ arguments: String...) throws -> Program.Result {
    let first = ["run", "./p.toml", "-o", "out", "--set", "input.formats=all"]
    return try Program(fakeWorker).run(
      (first + arguments).map { Path($0) },
      in: scratch.path,
      environment: ["FAKE_WORKER_IS_MINILAB": "1"]
    )
  }

  /// Events without their times, in the order of their text.
  private func events(_ result: Program.Result) -> [String] {
    result.outputText.split(separator: "\n").map { line in
      let seconds = line.ranges(of: "\"seconds\":").last?.lowerBound ?? line.endIndex
      return String(line[..<seconds])
    }.sorted()
  }

  private let leftOut =
    #""left-out":{"not-a-picture":0,"hidden":0,"link":0,"format-off":0,"raw":0}"#

  @Test("each group gets its output and one event, with all its inputs")
  func done() throws {
    try profile("by = 'folder'")
    try write(["a/1.pgm", "a/2.pgm", "b/3.pgm"])
    let result = try run("in", "--json", "--quiet")
    #expect(result.errorText == "")
    #expect(result.status == 0)
    let events = events(result)
    try #require(events.count == 3)
    #expect(
      events[0].hasPrefix(
        #"{"event":"item","input":"a/1.pgm","inputs":["a/1.pgm","a/2.pgm"],"status":"done","#
          + #""reason":"new","outputs":[{"path":"a.png","width":6,"height":2,"#
      )
    )
    #expect(events[1].hasPrefix(#"{"event":"item","input":"b/3.pgm","inputs":["b/3.pgm"],"#))
    #expect(events[2] == #"{"event":"summary","done":2,"failed":0,"skipped":0,"# + leftOut + ",")
  }

  @Test("names that are no text have their bytes beside them (33)")
  func badNames() throws {
    try profile("by = 'all'")
    try write(["a\n.pgm"])
    let bad = scratch.path.appending("in").appending(Path(bytes: [0x62, 0xff, 0x2e, 0x70]))
    let good = scratch.path.appending("in/a\n.pgm")
    _ = good.withCString { from in bad.withCString { link(from, $0) } }
    let event = events(try run("in", "--json"))[0]
    #expect(
      event.hasPrefix(
        #"{"event":"item","input":"a\n.pgm","inputs":["a\n.pgm","b\\xff.p"],"#
          + #""inputs-base64":["YQoucGdt","Yv8ucA=="],"status":"done","#
      )
    )
  }

  @Test("what no group takes is reported, skipped and counted, by people and programs")
  func ungrouped() throws {
    try profile("by = 'pattern:^([a-z]+)-'")
    try write(["mug-1.pgm", "mug-2.pgm", "7.pgm", "8.pgm"])
    let result = try run("in", "--json")
    let events = events(result)
    #expect(result.status == 0)
    #expect(
      events[0]
        == #"{"event":"item","input":"7.pgm","status":"skipped","reason":"no-group","#
        + #""outputs":[],"notes":[],"#
    )
    #expect(events[3] == #"{"event":"summary","done":1,"failed":0,"skipped":2,"# + leftOut + ",")
    #expect(result.errorText.hasPrefix("1 of 1 done, 2 skipped in "))
    #expect(result.errorText.hasSuffix("\nin no group: 2\n"))
    let dry = try run("in", "--dry-run")
    #expect(
      dry.outputText == """
        7.pgm: skipped (no-group)
        8.pgm: skipped (no-group)
        [mug-1.pgm, mug-2.pgm]: skipped (up-to-date)

        """
    )
    #expect(dry.errorText == "1 planned, 1 up to date, 2 would be skipped\nin no group: 2\n")
    let json = try run("in", "--dry-run", "--force", "--json", "--quiet")
    #expect(
      json.outputText.split(separator: "\n").map(String.init) == [
        #"{"event":"plan","input":"7.pgm","status":"skipped","reason":"no-group","outputs":[],"#
          + #""notes":[]}"#,
        #"{"event":"plan","input":"8.pgm","status":"skipped","reason":"no-group","outputs":[],"#
          + #""notes":[]}"#,
        #"{"event":"plan","input":"mug-1.pgm","inputs":["mug-1.pgm","mug-2.pgm"],"outputs":"#
          + #"[{"path":"mug.png","width":6,"height":2,"format":"png","reason":"forced"}],"notes":[]}"#,
        #"{"event":"plan-summary","planned":1,"failed":0,"skipped":2,"reasons":{"forced":1},"#
          + leftOut + "}",
      ]
    )
  }

  @Test("a pattern that matches nothing at all is told by the exit status")
  func nothing() throws {
    try profile("by = 'pattern:^never$'")
    try write(["a.pgm", "b.pgm"])
    let result = try run("in", "--json", "--quiet")
    #expect(events(result).count == 3)
    #expect(result.status == 3)
    #expect(try run("in", "--dry-run", "--quiet").status == 3)
  }

  @Test("a failure names the first picture and how many more there are")
  func failures() throws {
    try profile("by = 'folder'\nincomplete = 'fail'")
    try write(["a/1.pgm", "a/2.pgm", "a/3.pgm", "b/4.pgm"])
    try scratch.write("no picture", to: "in/a/2.jpg")
    try scratch.write("no picture", to: "in/c/5.jpg")
    let result = try run("in")
    #expect(result.status == 1)
    #expect(
      result.errorText.contains(
        """

        failed:
          a/1.pgm and 3 more: expected a complete group (gather.incomplete = "fail"), found that \
        a/2.jpg failed: expected a picture, found content of no format that is known here [incomplete-group]
          c/5.jpg: expected a picture, found content of no format that is known here [not-a-picture]

        """
      )
    )
    #expect(result.errorText.hasPrefix("1 of 3 done, 2 failed in "))
    #expect(try run("in", "--fail-fast").errorText.contains("stopped early: --fail-fast"))
  }

  @Test("a group that is skipped says why, in a run and in a dry one")
  func skipped() throws {
    try profile("by = 'count:2'\nincomplete = 'skip'")
    try write(["1.pgm", "2.pgm", "3.pgm"])
    let event =
      #"{"event":"item","input":"3.pgm","inputs":["3.pgm"],"status":"skipped","#
      + #""reason":"incomplete","outputs":[],"notes":[],"#
    #expect(events(try run("in", "--json")).contains(event))
    #expect(
      try run("in", "--dry-run", "--quiet").outputText
        == "[1.pgm, 2.pgm]: skipped (up-to-date)\n[3.pgm]: skipped (incomplete)\n"
    )
    // A header can tell it, too.
    try scratch.write(Array("P5 3 ".utf8), to: "in/0.pgm")
    #expect(
      try run("in", "--dry-run", "--quiet").outputText
        == "[0.pgm, 1.pgm]: skipped (incomplete)\n[2.pgm, 3.pgm] → 2.png 6×2\n"
    )
    try profile("by = 'count:2'\nincomplete = 'skip'", "path = '{group}-{width}.{ext}'")
    let sized = try run("in", "--json", "--quiet")
    #expect(sized.status == 0)
    #expect(events(sized)[1].contains(#""path":"2-6.png""#))
    #expect(events(sized)[0].contains(#""reason":"incomplete""#))
  }

  @Test("a pattern that never comes to an end is a mistake of the plan")
  func catastrophe() throws {
    try profile("by = 'pattern:^(a|aa|a?)+$'")
    try write([String(repeating: "a", count: 80) + ".pgm"])
    let result = try run("in")
    #expect(result.status == 2)
    #expect(result.errorText.hasPrefix("minilab: gather.by: expected a pattern that is matched in"))
  }

  @Test("the bytes are the same for one worker and for several, whatever comes first")
  func jobs() throws {
    try profile("by = 'count:7'")
    try write((0..<50).map { "\(100 + $0).pgm" })
    for index in 0..<50 { try scratch.write(pgm(1 + index % 9), to: "in/\(100 + index).pgm") }
    var seen: Set<[[UInt8]]> = []
    for jobs in ["1", "2", "4"] {
      let result = try run("in", "--jobs", jobs, "--quiet", "--force")
      #expect(result.status == 0)
      seen.insert(
        try (1...8).map { try contents(of: scratch.path.appending("out/\($0).png")) }
      )
    }
    #expect(seen.count == 1)
  }

  @Test("--set gathers otherwise for one run")
  func set() throws {
    try profile("by = 'folder'")
    try write(["a/1.pgm", "b/2.pgm"])
    let result = try run("in", "--set", "gather.by=all", "--dry-run", "--quiet")
    #expect(result.outputText == "[a/1.pgm, b/2.pgm] → 1.png 6×2\n")
  }

  @Test("groups go on from one input to the next")
  func roots() throws {
    try profile("by = 'pattern:^([a-z]+)'")
    try write(["a1.pgm", "b1.pgm"])
    try scratch.write(pgm(2), to: "more/a2.pgm")
    let result = try run("in", "more", "--dry-run", "--quiet")
    #expect(
      result.outputText == "[a1.pgm, a2.pgm] → a.png 5×2\n[b1.pgm] → b.png 3×2\n"
    )
  }
}
