import Glibc
import MinilabKit
import TestSupport
import Testing

/// `minilab run` as a process, on pictures of one pixel.
@Suite("minilab run")
struct RunTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder(
      profile: """
        profile = 1
        [[output]]
        path = "{dir}/{stem}.{ext}"
        format = "png"
        """,
      as: "plain.toml"
    )
  }

  private let gif = Sample.whitePixelGIF

  private func run(_ arguments: String...) throws -> Program.Result {
    try scratch.minilab(["run", "./plain.toml"] + arguments)
  }

  private func exists(_ name: String) -> Bool {
    scratch.path.appending(name).withCString { access($0, F_OK) } == 0
  }

  private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

  @Test("An input folder named as output root stays as it is")
  func refusedRoot() throws {
    try scratch.write(gif, to: "in/one.gif")
    #expect(try run("in", "-o", "in").status == 2)
    #expect(!exists("in/.minilab"))
  }

  /// A loader of SVG, which draws shapes too, is off then.
  @Test("Shapes are drawn while libvips' untrusted operations are blocked")
  func blockedOperations() throws {
    try scratch.write(gif, to: "in/one.gif")
    try scratch.write(
      """
      profile = 1
      [[step]]
      op = "pad"
      border = 20
      background = "red"
      [[step]]
      op = "shape-mask"
      shape = "path"
      path = "M5 5h30v30h-30zM20 20m-6 0a6 6 0 1012 0 6 6 0 10-12 0"
      feather = 1.5
      stroke = "blue"
      outside = "#00ff0080"
      [[output]]
      path = "{stem}.{ext}"
      format = "png"
      """,
      to: "shape.toml"
    )
    var files: [[UInt8]] = []
    for blocked in [false, true] {
      let result = try scratch.minilab(
        ["run", "./shape.toml", "in", "-o", "out-\(blocked)"],
        environment: blocked ? ["VIPS_BLOCK_UNTRUSTED": "1"] : [:]
      )
      #expect(result.status == 0, "\(result.errorText)")
      files.append(try contents(of: scratch.path.appending("out-\(blocked)/one.png")))
    }
    #expect(files[0] == files[1])
  }

  @Test("A full disk under standard output is told of, also in a dry run")
  func fullOutput() throws {
    try scratch.write(gif, to: "in/one.gif")
    let result = try Program(Path("/bin/sh")).run(
      "-c",
      "\"$0\" run ./plain.toml in -o out --dry-run > /dev/full",
      Program.minilab.path.shown,
      in: scratch.path
    )
    let reason = "standard output cannot be written: the disk is full\n"
    #expect(result.errorText == "minilab: stopped early: " + reason)
    #expect(result.status == 1)
    // Where nothing is stopped, too, and in the same words.
    let ops = try Program(Path("/bin/sh")).run(
      "-c",
      "\"$0\" ops > /dev/full",
      Program.minilab.path.shown,
      in: scratch.path
    )
    #expect(ops.errorText == "minilab: " + reason)
    #expect(ops.status == 1)
  }

  @Test("Each picture gets its output, an event, and the run exit status 0")
  func done() throws {
    try scratch.write(gif, to: "in/a/one.gif")
    try scratch.write(gif, to: "in/two.gif")
    for (status, reason) in [("done", "new"), ("skipped", "up-to-date")] {
      let result = try run("in", "-o", "out", "--json", "--quiet")
      #expect(result.status == 0)
      #expect(result.errorText == "")
      let events = lines(result.outputText).sorted()
      try #require(events.count == 3)
      let told = #","status":"\#(status)","reason":"\#(reason)","outputs":[{"path":""#
      #expect(
        events[0].hasPrefix(
          #"{"event":"item","input":"a/one.gif"\#(told)a/one.png","#
            + #""width":1,"height":1,"format":"png","bytes":"#
        )
      )
      #expect(events[1].hasPrefix(#"{"event":"item","input":"two.gif"\#(told)two.png","#))
      let counts =
        status == "done" ? #""done":2,"failed":0,"skipped":0"# : #""done":0,"failed":0,"skipped":2"#
      #expect(
        events[2].hasPrefix(
          #"{"event":"summary",\#(counts),"left-out":{"not-a-picture":0,"#
            + #""hidden":0,"link":0,"format-off":0,"raw":0},"seconds":"#
        )
      )
    }
    #expect(exists("out/a/one.png"))
    #expect(exists("out/two.png"))
    #expect(try contents(of: scratch.path.appending("in/two.gif")) == gif)
  }

  @Test("A bad item costs one item and makes the exit status 1")
  func failed() throws {
    try scratch.write(gif, to: "in/good.gif")
    try scratch.write("no picture", to: "in/bad.jpg")
    try scratch.write("a text", to: "in/notes.txt")
    let result = try run("in", "-o", "out")
    #expect(result.status == 1)
    #expect(result.outputText == "")
    let errors = lines(result.errorText)
    try #require(errors.count == 5)
    #expect(errors[0].hasPrefix("1 of 2 done, 1 failed in "))
    #expect(errors[1] == "left out: 1 no picture")
    #expect(errors[2] == "failed:")
    #expect(errors[3].hasPrefix("  bad.jpg: expected a picture, found "))
    #expect(errors[4] == "only these again: minilab run ./plain.toml in -o out --only-failed")
    #expect(exists("out/good.png"))
  }

  @Test("--fail-fast stops after a failure")
  func failFast() throws {
    try scratch.write("no picture", to: "in/a.jpg")
    for index in 0..<20 { try scratch.write(gif, to: "in/\(index).gif") }
    let result = try run("in", "-o", "out", "--fail-fast", "--quiet")
    #expect(result.status == 1)
    #expect(lines(result.errorText).last == "minilab: stopped early: --fail-fast and a failure")
    #expect(!exists("out/0.png"))
  }

  @Test("Without a picture the exit status is 3, and no output root is made")
  func nothing() throws {
    try scratch.write("a text", to: "in/notes.txt")
    let result = try run("in", "-o", "out", "--json")
    #expect(result.status == 3)
    #expect(result.errorText == "minilab: no picture found (left out: 1 not-a-picture)\n")
    #expect(
      result.outputText
        == #"{"event":"summary","done":0,"failed":0,"skipped":0,"left-out":{"not-a-picture":1,"#
        + #""hidden":0,"link":0,"format-off":0,"raw":0},"seconds":0.000}"# + "\n"
    )
    #expect(!exists("out"))
  }

  @Test("An output root that cannot be used starts nothing (report 41)")
  func outputRoot() throws {
    try scratch.write(gif, to: "in/one.gif")
    let missing = try run("in", "-o", "no/out")
    #expect(missing.status == 2)
    #expect(
      missing.errorText
        == "minilab: no/out: expected a folder, or a new name in a folder that is there, "
        + "found that no is not there\n"
    )
    let file = try run("in", "-o", "plain.toml")
    #expect(file.status == 2)
    #expect(file.errorText == "minilab: plain.toml: expected a folder, found a file\n")
  }

  @Test("An error of the plan starts nothing and leaves no output root")
  func planError() throws {
    try scratch.write(gif, to: "in/one.gif")
    try scratch.write(gif, to: "in/one.jpg")
    let result = try run("in", "-o", "out")
    #expect(result.status == 2)
    #expect(result.errorText.hasPrefix("minilab: one.png: expected one input for each output"))
    #expect(!exists("out"))
  }

  @Test("A dry run prints the plan in its order and makes nothing")
  func dryRun() throws {
    for index in 10..<90 { try scratch.write(gif, to: "in/\(index).gif") }
    try scratch.write("no picture", to: "in/11.jpg")
    let result = try run("in", "-o", "out", "--dry-run")
    #expect(result.status == 1)
    var expected = (10..<90).map { "\($0).gif → \($0).png 1×1" }
    expected.insert("11.jpg", at: 2)
    let printed = lines(result.outputText).map(String.init)
    #expect(printed.count == 81)
    #expect(zip(printed, expected).allSatisfy { $0.hasPrefix($1) })
    #expect(result.errorText == "81 planned, 1 would fail\n")
    #expect(!exists("out"))
  }

  @Test("A dry run with --json prints an object for each unit")
  func dryRunEvents() throws {
    try scratch.write(gif, to: "in/one.gif")
    let result = try run("in", "-o", "out", "--dry-run", "--json", "--quiet")
    #expect(result.status == 0)
    #expect(
      lines(result.outputText).first.map(String.init)
        == #"{"event":"plan","input":"one.gif","outputs":[{"path":"one.png","width":1,"#
        + #""height":1,"format":"png","reason":"new"}],"notes":[]}"#
    )
    #expect(result.errorText == "")
  }

  @Test("Paths that need headers are filled before the run")
  func headerPaths() throws {
    try scratch.write(gif, to: "in/one.gif")
    let path = "output.main.path=\"{width}x{height}/{stem}.{ext}\""
    let result = try run("in", "-o", "out", "--quiet", "--set", path)
    #expect(result.status == 0)
    #expect(exists("out/1x1/one.png"))
  }

  @Test("More jobs than cores are cut to the cores, in words (report 45)")
  func tooManyJobs() throws {
    try scratch.write(gif, to: "in/one.gif")
    let result = try run("in", "-o", "out", "--jobs", "9999", "--quiet")
    #expect(result.status == 0)
    #expect(result.errorText.hasPrefix("minilab: --jobs 9999: using "))
    #expect(result.errorText.hasSuffix(", as many as there are usable cores\n"))
  }

  @Test("A name that is no UTF-8 is processed and reported (report 33)")
  func badName() throws {
    let name = scratch.path.appending("in").appending(Path(bytes: [0x2d, 0xff, 0x0a]))
    try scratch.write(gif, to: "in/x.gif")
    let from = scratch.path.appending("in/x.gif")
    _ = from.withCString { from in name.withCString { rename(from, $0) } }
    let result = try run("in", "-o", "out", "--json", "--quiet")
    #expect(result.status == 0)
    #expect(
      result.outputText.hasPrefix(
        #"{"event":"item","input":"-\\xff\n","input-base64":"Lf8K","status":"done","reason":"new","outputs":"#
          + #"[{"path":"-\\xff\n.png","path-base64":"Lf8KLnBuZw==","#
      )
    )
  }
}
