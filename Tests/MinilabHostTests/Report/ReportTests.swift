import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

@Suite("Report")
struct ReportTests {
  private let done = ItemReport(
    input: Path("a/b.jpg"),
    status: .done,
    outputs: [
      OutputRecord(path: Path("a/b.webp"), width: 640, height: 427, format: .webp, bytes: 12_345)
    ],
    notes: [Note(.damaged, "two\nlines")],
    seconds: 0.123_4
  )

  // MARK: Events

  @Test("An item's event has fixed names in a fixed order")
  func item() {
    #expect(
      Events.item(done).text
        == #"{"event":"item","input":"a/b.jpg","status":"done","outputs":[{"path":"a/b.webp","#
        + #""width":640,"height":427,"format":"webp","bytes":12345}],"#
        + #""notes":[{"code":"damaged","text":"two\nlines"}],"seconds":0.123}"#
    )
  }

  @Test("A failure says code, step and text; a skipped item its reason")
  func otherItems() {
    let error = ItemError(.cropOutside, step: "crop", expected: "x", received: "\"y\"")
    #expect(
      Events.item(ItemReport(input: Path("a"), status: .failed, error: error, seconds: 2)).text
        == #"{"event":"item","input":"a","status":"failed","outputs":[],"notes":[],"#
        + #""error":{"code":"crop-outside","step":"crop","text":"crop: expected x, found \"y\""},"#
        + #""seconds":2.000}"#
    )
    #expect(
      Events.item(ItemReport(input: Path("a"), status: .skipped, reason: .withinLimit)).text
        == #"{"event":"item","input":"a","status":"skipped","reason":"within-limit","#
        + #""outputs":[],"notes":[],"seconds":0.000}"#
    )
  }

  @Test("A name that is no UTF-8 shows its bad bytes and has all bytes beside it (report 33)")
  func badNames() {
    var item = done
    item.input = Path(bytes: [0x61, 0xff, 0x0a])
    item.outputs[0].path = Path(bytes: [0x62, 0xfe])
    item.notes = []
    #expect(
      Events.item(item).text
        == #"{"event":"item","input":"a\\xff\n","input-base64":"Yf8K","status":"done","#
        + #""outputs":[{"path":"b\\xfe","path-base64":"Yv4=","width":640,"height":427,"#
        + #""format":"webp","bytes":12345}],"notes":[],"seconds":0.123}"#
    )
  }

  @Test("A gathered unit's events have all inputs, and all of their bytes where one is no UTF-8")
  func gathered() {
    let inputs = [Path("a"), Path(bytes: [0x62, 0xff])]
    var item = ItemReport(input: inputs[0], inputs: inputs, status: .skipped, reason: .incomplete)
    let names = #""input":"a","inputs":["a","b\\xff"],"inputs-base64":["YQ==","Yv8="],"#
    #expect(
      Events.item(item).text
        == #"{"event":"item","# + names
        + #""status":"skipped","reason":"incomplete","outputs":[],"notes":[],"seconds":0.000}"#
    )
    item.inputs = [inputs[0]]
    #expect(
      Events.item(item).text.hasPrefix(#"{"event":"item","input":"a","inputs":["a"],"status""#)
    )
    let planned = PlannedItem(input: inputs[0], inputs: inputs, outputs: [], reason: .incomplete)
    #expect(
      Events.plan(planned).text
        == #"{"event":"plan","# + names
        + #""status":"skipped","reason":"incomplete","outputs":[],"notes":[]}"#
    )
    #expect(Summary.text(planned) == "[a, b\\xff]: skipped (incomplete)\n")
  }

  @Test("Items in no group are skipped and no units; a failed group names its first input")
  func groupCounts() {
    var tally = Tally(planned: 2)
    tally.count(ItemReport(input: Path("x"), status: .skipped, reason: .noGroup))
    tally.count(ItemReport(input: Path("y"), status: .skipped, reason: .noGroup))
    #expect(tally.finished == 0)
    tally.count(ItemReport(input: Path("a"), inputs: [Path("a"), Path("b")], status: .done))
    let error = ItemError(.damaged, expected: "a picture", received: "half of one")
    let failed = ["c", "d", "e"].map { Path($0) }
    tally.count(ItemReport(input: Path("c"), inputs: failed, status: .failed, error: error))
    #expect(tally.finished == 2)
    #expect(
      Summary.text(tally, seconds: 1)
        == "1 of 2 done, 2 skipped, 1 failed in 1.0 s\nin no group: 2\n"
    )
    #expect(
      Summary.failures(tally)
        == "failed:\n  c and 2 more: expected a picture, found half of one [damaged]\n"
    )
  }

  @Test("The last event has the counts")
  func summary() {
    var tally = Tally(planned: 4)
    tally.leftOut = [("not-a-picture", 3), ("hidden", 0)]
    tally.count(done)
    tally.count(ItemReport(input: Path("b"), status: .skipped))
    #expect(
      Events.summary(tally, seconds: 61.5).text
        == #"{"event":"summary","done":1,"failed":0,"skipped":1,"#
        + #""left-out":{"not-a-picture":3,"hidden":0},"seconds":61.500}"#
    )
  }

  @Test("A dry run's event has the planned sizes where they are known")
  func plan() {
    let item = PlannedItem(
      input: Path("a.jpg"),
      outputs: [
        PlannedOutput(
          place: 0,
          path: Path("l/a.jpg"),
          format: .jpeg,
          size: PlannedSize(width: 3, height: 2)
        ),
        PlannedOutput(place: 1, path: Path("s/a.png"), format: .png),
      ]
    )
    #expect(
      Events.plan(item).text
        == #"{"event":"plan","input":"a.jpg","outputs":[{"path":"l/a.jpg","width":3,"height":2,"#
        + #""format":"jpeg"},{"path":"s/a.png","format":"png"}],"notes":[]}"#
    )
    #expect(Summary.text(item) == "a.jpg → l/a.jpg 3×2, s/a.png\n")
  }

  @Test(
    "Seconds have three digits behind the point",
    arguments: [
      (0.0, "0.000"), (1e-9, "0.000"), (0.000_5, "0.001"), (12.345_67, "12.346"),
      (99.999_9, "100.000"), (1e6, "1000000.000"), (-0.25, "-0.250"), (.nan, "0"),
    ]
  )
  func seconds(value: Double, text: String) {
    #expect(JSONLine.rounded(value, digits: 3) == text)
  }

  @Test("A crop's bounds stand with the output, made or planned")
  func cropBounds() {
    let bounds = PixelRectangle(x: 10, y: 20, width: 30, height: 40)
    var item = done
    item.outputs[0].cropBounds = bounds
    #expect(Events.item(item).text.contains(#""bytes":12345,"crop-bounds":[10,20,30,40]}"#))
    let size = PlannedSize(width: 3, height: 2, cropBounds: bounds)
    let planned = PlannedItem(
      input: Path("a.jpg"),
      outputs: [PlannedOutput(place: 0, path: Path("a.png"), format: .png, size: size)]
    )
    #expect(Events.plan(planned).text.contains(#""format":"png","crop-bounds":[10,20,30,40]}"#))
  }

  // MARK: People

  @Test("The summary names the first failures and counts the rest")
  func failures() {
    var tally = Tally(planned: 30)
    tally.leftOut = [("not-a-picture", 2), ("hidden", 0), ("raw", 1)]
    let error = ItemError(.damaged, expected: "a picture", received: "half of one")
    for index in 0..<25 {
      tally.count(ItemReport(input: Path("a\n\(index)"), status: .failed, error: error))
    }
    let lines = Summary.failures(tally).split(separator: "\n")
    #expect(lines.count == 22)
    #expect(lines[1] == #"  a\n0: expected a picture, found half of one [damaged]"#)
    #expect(lines[21] == "  and 5 more; .minilab/report.json lists all")
    #expect(
      Summary.text(tally, seconds: 1.25)
        == "0 of 30 done, 25 failed, 5 not begun in 1.3 s\nleft out: 2 no picture, 1 camera raw\n"
    )
    #expect(Summary.failures(Tally(planned: 1)) == "")
  }

  @Test("The summary counts the pictures with a note, by its code, once each")
  func notes() {
    var tally = Tally(planned: 4)
    let lost = [
      Note(.metadataDropped, "a"), Note(.metadataDropped, "b"), Note(.alphaFlattened, ""),
    ]
    tally.count(ItemReport(input: Path("a"), status: .done, notes: lost))
    tally.count(ItemReport(input: Path("b"), status: .done, notes: [Note(.metadataDropped, "a")]))
    tally.count(ItemReport(input: Path("c"), status: .failed, notes: [Note(.pagesDropped, "")]))
    tally.count(ItemReport(input: Path("d"), status: .done))
    #expect(
      Summary.text(tally, seconds: 1)
        == "3 of 4 done, 1 failed in 1.0 s\n"
        + "notes: 1 alpha-flattened, 2 metadata-dropped; --json has each\n"
    )
  }

  @Test("Progress says done of total, rate, time left and failures")
  func progress() {
    var tally = Tally(planned: 400)
    #expect(ProgressLine.text(tally, seconds: 1) == "0/400  0 %")
    for _ in 0..<98 { tally.count(done) }
    #expect(ProgressLine.text(tally, seconds: 49) == "98/400  24 %  2.0/s  2:31 left")
    tally.count(ItemReport(input: Path("x"), status: .failed))
    tally.count(ItemReport(input: Path("y"), status: .failed))
    #expect(ProgressLine.text(tally, seconds: 5000).hasSuffix("4:10:00 left  2 failed"))
    #expect(ProgressLine.text(tally, seconds: 2) == "100/400  25 %  50/s  0:06 left  2 failed")
  }

  @Test("There is a progress line on a terminal only, and it keeps within its width")
  func terminal() throws {
    let pipe = try System.pipe()
    #expect(ProgressLine(on: pipe.write.number, start: .now) == nil)

    let terminal = try Terminal(columns: 12)
    guard var line = ProgressLine(on: terminal.far, start: .now) else {
      // Where TERM is "dumb" there is none.
      return
    }
    var tally = Tally(planned: 123_456)
    tally.count(done)
    line.draw(tally)
    line.clear()
    let expected = "\r1/123456  0\u{1b}[K\r\u{1b}[K"
    #expect(terminal.read(expecting: expected) == expected)
  }

  // MARK: What stops a run

  private func report(
    _ options: RunReport.Options,
    lost: Bool = false
  ) -> RunReport {
    RunReport(Tally(planned: 3), options, input: { Path("\($0)") }, outputIsLost: { lost })
  }

  private func failed(_ code: ItemError.Code) -> UnitResult {
    UnitResult(id: 0, status: .failed, error: ItemError(code, expected: "", received: ""))
  }

  @Test("A full disk and a lost output root stop a run; other failures where that is asked")
  func stops() {
    #expect(report(.init()).finished(failed(.damaged)) == nil)
    #expect(report(.init()).finished(failed(.writeFailed)) == nil)
    #expect(report(.init(), lost: true).finished(failed(.writeFailed)) == .outputLost)
    #expect(report(.init()).finished(failed(.outputLost)) == .outputLost)
    #expect(report(.init()).finished(failed(.diskFull)) == .diskFull)
    #expect(report(.init(failFast: true)).finished(failed(.damaged)) == .failFast)
  }

  @Test("Events that nobody reads stop a run, and so does a full disk that takes none of them")
  func outputStops() throws {
    let pipe = try System.pipe()
    let report = report(.init(json: true, output: pipe.write.number))
    let good = UnitResult(id: 1, status: .done)
    #expect(report.finished(good) == nil)
    failing(.write, EPIPE) { #expect(report.finished(good) == .outputClosed) }
    #expect(report.finished(good) == .outputClosed)
    let other = self.report(.init(json: true, output: pipe.write.number))
    failing(.write, ENOSPC) {
      #expect(other.finished(good) == .outputFailed("the disk is full"))
    }
    // It has missed an event, and gets no more.
    #expect(other.finished(good) == .outputFailed("the disk is full"))
  }

  @Test("Quiet says nothing but failures")
  func quiet() throws {
    let pipe = try System.pipe()
    System.setNonBlocking(pipe.read.number)
    let report = report(.init(quiet: true, messages: pipe.write.number))
    _ = report.finished(UnitResult(id: 1, status: .done))
    report.end(nil)
    var buffer = [UInt8](repeating: 0, count: 1000)
    #expect(
      try buffer.withUnsafeMutableBytes { try System.read(pipe.read.number, into: $0) } == nil
    )
    _ = report.finished(failed(.damaged))
    report.end(nil)
    let count = try buffer.withUnsafeMutableBytes { try System.read(pipe.read.number, into: $0) }
    #expect(
      String(decoding: buffer[..<(count ?? 0)], as: UTF8.self)
        == "failed:\n  0: expected , found  [damaged]\n"
    )
  }

  @Test("Results come in the order of the plan, whatever the order of workers")
  func inOrder() {
    var order = InOrder<Int>()
    #expect(order.add(2, at: 2) == [])
    #expect(order.add(0, at: 0) == [0])
    #expect(order.add(3, at: 3) == [])
    #expect(order.add(1, at: 1) == [1, 2, 3])
  }
}

/// A pseudoterminal: what is written to its far side is read here.
final class Terminal {
  private let near: Descriptor
  private let farSide: Descriptor

  var far: Int32 { farSide.number }

  init(columns: UInt16) throws {
    var near: Int32 = -1
    var far: Int32 = -1
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    var modes = termios()
    cfmakeraw(&modes)
    guard openpty(&near, &far, nil, &modes, &size) == 0 else {
      throw SystemError(call: .open, number: errno)
    }
    self.near = Descriptor(adopting: near)
    farSide = Descriptor(adopting: far)
  }

  /// What was written, as far as it is `expected`: the kernel hands it over piece by piece.
  func read(expecting expected: String) -> String {
    var text: [UInt8] = []
    while text.count < expected.utf8.count {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = buffer.withUnsafeMutableBytes { try? System.read(near.number, into: $0) }
      guard let count, count > 0 else { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
