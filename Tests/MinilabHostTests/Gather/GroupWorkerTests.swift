import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import FakeWorker
@testable import MinilabHost

@Suite("Gathered units in a worker", .vips)
struct GroupWorkerTests {
  private static let operations =
    [OperationEntry].builtin + [.init(SideBySide.self), .init(Refuse.self)]

  private func bench(_ toml: String, incomplete: String = "keep") throws -> Workbench {
    try Workbench(
      "[gather]\nby = 'all'\nincomplete = '\(incomplete)'\n" + toml,
      operations: Self.operations
    )
  }

  private let join = "[[step]]\nop = 'side-by-side'\n"
  private let asPNG = "[[output]]\nformat = 'png'\n"

  /// Solid colors, each of its own width.
  private func flat(_ level: Double, _ width: Int, _ height: Int = 6) -> NaivePicture {
    NaivePicture(width: width, height: height, bands: 3) { _, _, band in level + Double(band) }
  }

  private let a = (level: 10.0, width: 4)
  private let b = (level: 100.0, width: 5)
  private let c = (level: 200.0, width: 7)

  /// Writes the three pictures, as PNG.
  private func write(_ bench: Workbench) throws -> [Path] {
    try [("a", a), ("b", b), ("c", c)].map { name, look in
      try bench.folder.write(flat(look.level, look.width).encoded(.png), to: "in/\(name).png")
    }
  }

  private func row(_ pictures: [NaivePicture]) -> NaivePicture {
    let height = pictures.map(\.height).max() ?? 1
    var columns: [(NaivePicture, Int)] = []
    for picture in pictures { for x in 0..<picture.width { columns.append((picture, x)) } }
    return NaivePicture(width: columns.count, height: height, bands: 3) { x, y, band in
      let (picture, column) = columns[x]
      return y < picture.height ? picture[column, y, band] : 0
    }
  }

  private func row(_ looks: [(level: Double, width: Int)]) -> NaivePicture {
    row(looks.map { flat($0.level, $0.width) })
  }

  // MARK: Whole groups

  @Test("the members of a group are made into one picture, in their order")
  func whole() throws {
    let bench = try bench(join + asPNG)
    let outcome = try bench.process(group: write(bench))
    #expect(try outcome.picture().samples == row([a, b, c]).samples)
    #expect(outcome.result.status == .done)
    #expect(outcome.result.outputs.map(\.width) == [16])
    #expect(outcome.result.notes.isEmpty)
    #expect(try bench.leftovers().isEmpty)
  }

  @Test("the same picture twice is two members")
  func twice() throws {
    let bench = try bench(join + asPNG)
    let files = try write(bench)
    let outcome = try bench.process(group: [files[1], files[1], files[0]])
    #expect(try outcome.picture().samples == row([b, b, a]).samples)
  }

  @Test("a group of one is made, too")
  func one() throws {
    let bench = try bench(join + asPNG)
    let outcome = try bench.process(group: [write(bench)[2]])
    #expect(try outcome.picture().samples == row([c]).samples)
    #expect(outcome.result.notes.isEmpty)
  }

  @Test("steps before the group step are done to each member, later ones to what it makes")
  func steps() throws {
    let steps = """
      [[step]]
      op = 'orient'
      mode = 'rotate-90'
      [[step]]
      op = 'side-by-side'
      [[step]]
      op = 'orient'
      mode = 'flip-horizontal'

      """
    let bench = try bench(steps + asPNG)
    let outcome = try bench.process(group: write(bench))
    let turned = [a, b, c].map { look in flat(look.level, 6, look.width) }
    #expect(try outcome.picture().samples == row(turned).turned(byTag: 2).samples)
  }

  @Test("each output makes its own picture of the members where the shared steps make none")
  func outputs() throws {
    let toml = """
      [[output]]
      name = 'row'
      format = 'png'
        [[output.step]]
        op = 'side-by-side'
      [[output]]
      name = 'small'
      format = 'png'
        [[output.step]]
        op = 'crop'
        rect = [0, 0, 2, 6]
        [[output.step]]
        op = 'side-by-side'
        beside = 'row'
      """
    let bench = try bench(toml)
    let outcome = try bench.process(group: write(bench))
    #expect(try outcome.picture(0).samples == row([a, b, c]).samples)
    let small = [(a.level, 2), (b.level, 2), (c.level, 2)] + [a, b, c]
    #expect(try outcome.picture(1).samples == row(small).samples)
    let probe = try bench.probe(group: write(bench))
    #expect(probe.sizes == [PlannedSize(width: 16, height: 6), PlannedSize(width: 22, height: 6)])
  }

  @Test(
    "another output's picture is there also where only pixels tell its size, and then unplanned"
  )
  func outputFromPixels() throws {
    let toml = """
      [[output]]
      name = 'row'
      format = 'png'
        [[output.step]]
        op = 'side-by-side'
        [[output.step]]
        op = 'refuse'
        pixels = true
      [[output]]
      name = 'twice'
      format = 'png'
        [[output.step]]
        op = 'side-by-side'
        beside = 'row'
      """
    let bench = try bench(toml)
    let outcome = try bench.process(group: write(bench))
    #expect(try outcome.picture(1).samples == row([a, b, c, a, b, c]).samples)
    let probe = try bench.probe(group: write(bench))
    #expect(probe.sizes == [nil, nil])
    #expect(probe.error == nil)
  }

  @Test("the first picture gives the format where an output names none, and the metadata")
  func firstPicture() throws {
    let bench = try bench(join + "[[output]]\n")
    let wide = NaivePicture.synthetic(64, 32)
    let exif = exifBlock(orientation: 1, description: "the first")
    let first = try bench.folder.write(jpeg(wide, exif: exif), to: "in/a.jpg")
    let second = try bench.folder.write(wide.encoded(.png), to: "in/b.png")
    let outcome = try bench.process(group: [first, second])
    #expect(outcome.result.outputs.map(\.format) == [.jpeg])
    #expect(
      try outcome.image().string("exif-ifd0-ImageDescription")?.hasPrefix("the first") == true
    )
    let other = try bench.process(group: [second, first])
    #expect(other.result.outputs.map(\.format) == [.png])
    #expect(try other.image().string("exif-ifd0-ImageDescription") == nil)
  }

  @Test("frames that a step leaves out are left out of the group, and a group of none is skipped")
  func leftOut() throws {
    let bench = try bench("[[step]]\nop = 'refuse'\nlower = 5\n" + join + asPNG)
    let files = try write(bench)
    let low = try bench.folder.write(flat(50, 9, 4).encoded(.png), to: "in/low.png")
    let outcome = try bench.process(group: [low, files[0], files[2]])
    #expect(try outcome.picture().samples == row([a, c]).samples)
    #expect(!outcome.noteCodes.contains(.incompleteGroup))
    let none = try bench.process(group: [low, low])
    #expect(none.result.status == .skipped)
    #expect(none.result.reason == .withinLimit)
  }

  @Test("what is said of a member names it, once for all of whom it is said")
  func memberNotes() throws {
    let bench = try bench(join + asPNG)
    var files = try write(bench)
    for name in ["d", "e", "f", "g", "h"] {
      files.append(
        try bench.folder.write(flat(1, 3).encoded(.png), to: "in/\(name).jpg")
      )
    }
    let outcome = try bench.process(group: files)
    #expect(
      outcome.result.notes == [
        Note(
          .nameMismatch,
          "d.jpg, e.jpg, f.jpg and 2 more: the name says JPEG, the content is PNG"
        )
      ]
    )
  }

  // MARK: Members that fail

  /// A PNG that ends in its middle.
  private func cut() throws -> [UInt8] {
    let whole = try NaivePicture.synthetic(120, 90).encoded(.png)
    return Array(whole.prefix(whole.count / 2))
  }

  /// A JPEG with an end marker in its middle: decoders see no fault, and only warn.
  private func ended() throws -> [UInt8] {
    let whole = try NaivePicture.synthetic(160, 120).encoded(.jpeg)
    return Array(whole.prefix(whole.count / 2)) + [0xff, 0xd9]
  }

  /// A header and nothing behind it.
  private func headerOnly() -> [UInt8] { png([pngHeader(30, 30)]) }

  enum Fault: String, CaseIterable, CustomTestStringConvertible {
    case missing, noPicture, badHeader, warnedHeader, cutPNG, endedJPEG, signed, tooLarge, refused
    var testDescription: String { rawValue }
  }

  private func bad(_ fault: Fault, _ bench: Workbench) throws -> Path {
    switch fault {
    case .missing:
      // There when it was planned, gone now.
      let path = try bench.folder.write(flat(1, 1).encoded(.png), to: "in/bad.png")
      return path
    case .noPicture: return try bench.folder.write("no picture", to: "in/bad.png")
    case .badHeader:
      return try bench.folder.write([0xff, 0xd8, 0xff, 0xe0, 0, 16], to: "in/bad.png")
    case .warnedHeader:
      // The decoder warns of it before it gives up.
      let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
      return try bench.folder.write(signature + Array("xxxx".utf8), to: "in/bad.png")
    case .cutPNG: return try bench.folder.write(cut(), to: "in/bad.png")
    case .endedJPEG: return try bench.folder.write(ended(), to: "in/bad.png")
    case .signed:
      // It can be decoded, and steps cannot work on its pixels.
      let signed = try flat(1, 20).image().call("cast", [.init("format", .enumeration("short"))])
        .encoded(.tiff)
      return try bench.folder.write(signed, to: "in/bad.png")
    case .tooLarge: return try bench.folder.write(flat(1, 400, 300).encoded(.png), to: "in/bad.png")
    case .refused: return try bench.folder.write(flat(1, 300, 6).encoded(.png), to: "in/bad.png")
    }
  }

  private func code(_ fault: Fault) -> ItemError.Code {
    switch fault {
    case .missing: .unreadable
    case .noPicture: .notAPicture
    case .badHeader, .warnedHeader, .cutPNG, .endedJPEG: .damaged
    case .signed: .unsupported
    case .tooLarge: .tooManyPixels
    case .refused: .cropOutside
    }
  }

  private let limits = "[input]\nmax-pixels = 50_000\n"
  private let refuse = "[[step]]\nop = 'refuse'\nwider = 200\n"

  /// A group with a bad member in its middle.
  private func processed(
    _ fault: Fault,
    _ incomplete: String
  ) throws -> (Workbench, Workbench.Outcome) {
    let bench = try bench(refuse + join + asPNG + limits, incomplete: incomplete)
    let files = try write(bench)
    let bad = try bad(fault, bench)
    let group = [files[0], bad, files[2]]
    if fault == .missing {
      return (bench, try bench.process(group: group, removing: bad))
    }
    return (bench, try bench.process(group: group))
  }

  @Test(
    "keep: a member that fails is named, and the group is made without it",
    arguments: Fault.allCases
  )
  func keep(fault: Fault) throws {
    let (bench, outcome) = try processed(fault, "keep")
    #expect(try outcome.picture().samples == row([a, c]).samples)
    #expect(outcome.result.status == .done)
    let notes = outcome.result.notes.filter { $0.code == .incompleteGroup }
    #expect(notes.count == 1)
    #expect(
      notes.first?.text.hasPrefix("1 of 3 pictures is missing: bad.png (") == true,
      "\(notes)"
    )
    // What is said of the member that is missing is no more than that.
    #expect(outcome.result.notes.count == 1, "\(outcome.result.notes)")
    #expect(try bench.leftovers().isEmpty)
  }

  @Test("skip: the group is left out, and nothing of it is written", arguments: Fault.allCases)
  func skip(fault: Fault) throws {
    let (bench, outcome) = try processed(fault, "skip")
    #expect(outcome.result.status == .skipped)
    #expect(outcome.result.reason == .incomplete)
    #expect(outcome.result.error == nil)
    // What was wrong, and with which picture, is not lost with the group.
    let notes = outcome.result.notes
    #expect(notes.map(\.code) == [.incompleteGroup])
    #expect(
      notes.first?.text.hasPrefix("1 of 3 pictures is missing: bad.png (") == true,
      "\(notes)"
    )
    #expect(try bench.outputNames().isEmpty)
    #expect(try bench.leftovers().isEmpty)
  }

  @Test("fail: the group fails, and names the member and its error", arguments: Fault.allCases)
  func fail(fault: Fault) throws {
    let (bench, outcome) = try processed(fault, "fail")
    #expect(outcome.result.status == .failed)
    let error = try #require(outcome.result.error)
    #expect(error.code == .incompleteGroup)
    #expect(error.received.hasPrefix("that bad.png failed: "), "\(error.text)")
    #expect(error.step == nil)
    #expect(try bench.outputNames().isEmpty)
    #expect(try bench.leftovers().isEmpty)
  }

  @Test("where all members fail the unit fails with the first one's error")
  func allFail() throws {
    let bench = try bench(refuse + join + asPNG + limits)
    for faults in [
      [Fault.cutPNG, .tooLarge], [.tooLarge, .cutPNG], [.refused, .cutPNG], [.endedJPEG, .refused],
      [.refused], [.signed, .cutPNG], [.tooLarge, .refused], [.noPicture, .refused],
      [.cutPNG, .endedJPEG],
    ] {
      let outcome = try bench.process(group: files(faults, bench))
      #expect(outcome.result.error?.code == code(faults[0]), "\(faults)")
      #expect(outcome.result.status == .failed)
      #expect(!outcome.noteCodes.contains(.incompleteGroup))
    }
    #expect(try bench.outputNames().isEmpty)
  }

  @Test(
    "also where incomplete groups are skipped or failed, if opening them shows it",
    arguments: ["skip", "fail"]
  )
  func allFailToOpen(incomplete: String) throws {
    let bench = try bench(refuse + join + asPNG + limits, incomplete: incomplete)
    for faults in [
      [Fault.tooLarge, .tooLarge], [.noPicture, .tooLarge], [.refused, .refused], [.cutPNG],
    ] {
      let outcome = try bench.process(group: files(faults, bench))
      #expect(outcome.result.error?.code == code(faults[0]), "\(faults)")
    }
  }

  private func files(_ faults: [Fault], _ bench: Workbench) throws -> [Path] {
    try faults.enumerated().map { index, fault in
      let file = try bad(fault, bench)
      return try bench.folder.write(contents(of: file), to: "in/\(index).png")
    }
  }

  @Test("faults that only pixels show are all found, however many")
  func manyFaults() throws {
    let bench = try bench(join + asPNG)
    let files = try write(bench)
    // Pixels are missing, and the end mark is there.
    let bytes = try self.cut() + PNGChunks.chunk("IEND", [])
    let cut = try (0..<7).map { try bench.folder.write(bytes, to: "in/x\($0).png") }
    let ended = try bench.folder.write(self.ended(), to: "in/y.jpg")
    let outcome = try bench.process(group: [cut[0], files[0], ended, files[1]] + cut.dropFirst())
    #expect(try outcome.picture().samples == row([a, b]).samples)
    #expect(
      outcome.result.notes.map(\.text) == [
        "8 of 10 pictures are missing: "
          + (["x0.png"].map { "\($0) (\(damaged("PNG")))" } + ["y.jpg (\(damaged("JPEG")))"]
          + ["x1.png", "x2.png", "x3.png"].map { "\($0) (\(damaged("PNG")))" })
          .joined(separator: ", ") + " and 3 more"
      ]
    )
  }

  private func damaged(_ format: String) -> String {
    "expected a complete \(format) picture, found data that ends early or cannot be decoded"
  }

  @Test("with damaged = warn what can be read of a member is used, and it is named")
  func warned() throws {
    let bench = try bench("[input]\ndamaged = 'warn'\n" + join + asPNG, incomplete: "fail")
    let file = try bench.folder.write(ended(), to: "in/y.jpg")
    let outcome = try bench.process(group: [write(bench)[0], file])
    #expect(outcome.result.status == .done)
    #expect(
      outcome.result.notes == [
        Note(.damaged, "y.jpg: the file is damaged; what could be read was used")
      ]
    )
  }

  @Test("a last group that is smaller is noted, skipped or failed")
  func smaller() throws {
    let kept = try bench(join + asPNG)
    let outcome = try kept.process(group: write(kept), wanted: 4)
    #expect(try outcome.picture().samples == row([a, b, c]).samples)
    #expect(
      outcome.result.notes == [Note(.incompleteGroup, "the last group has 3 of 4 pictures")]
    )
    let skipped = try bench(join + asPNG, incomplete: "skip")
    #expect(try skipped.process(group: write(skipped), wanted: 4).result.reason == .incomplete)
    let failed = try bench(join + asPNG, incomplete: "fail")
    #expect(
      try failed.process(group: write(failed), wanted: 4).result.error?.received
        == "3 of 4 pictures"
    )
  }

  @Test("an error of the group itself is its own, and blames no member")
  func ownError() throws {
    let late = join + "[[step]]\nop = 'refuse'\nwider = 10\n" + asPNG
    for incomplete in ["keep", "skip"] {
      let bench = try bench(late, incomplete: incomplete)
      let outcome = try bench.process(group: write(bench))
      #expect(outcome.result.error?.code == .cropOutside)
      #expect(outcome.result.error?.step == "refuse")
      let one = try bench.process(group: [write(bench)[0], write(bench)[2]])
      #expect(one.result.error?.received == "11 × 6")
    }
  }

  // MARK: Headers

  @Test("a probe plans the size through the group step, and tells what headers say of members")
  func probes() throws {
    let bench = try bench(refuse + join + asPNG + limits)
    let files = try write(bench)
    let whole = try bench.probe(group: files)
    #expect(whole.sizes == [PlannedSize(width: 16, height: 6)])
    #expect(whole.header?.width == 4)
    #expect(whole.notes.isEmpty)
    let bad = [try self.bad(.tooLarge, bench)]
    let without = try bench.probe(group: bad + files, wanted: 9)
    #expect(without.sizes == [PlannedSize(width: 16, height: 6)])
    #expect(without.notes.map(\.code) == [.incompleteGroup, .incompleteGroup])
    let refused = [try self.bad(.refused, bench)]
    #expect(try bench.probe(group: refused + files).sizes == [PlannedSize(width: 16, height: 6)])
    #expect(try bench.probe(group: refused).error?.code == .cropOutside)
    let skipping = try self.bench(refuse + join + asPNG, incomplete: "skip")
    let skipped = try skipping.probe(group: [self.bad(.refused, skipping)] + write(skipping))
    #expect(skipped.reason == .incomplete)
    #expect(skipped.error == nil)
    let failing = try self.bench(refuse + join + asPNG, incomplete: "fail")
    let failed = try failing.probe(group: [self.bad(.refused, failing)] + write(failing))
    #expect(failed.error?.code == .incompleteGroup)
  }

  @Test("a format that cannot hold the whole is found by the probe")
  func formatLimit() throws {
    let bench = try bench(join + "[[output]]\nformat = 'webp'\n")
    let wide = try bench.folder.write(flat(9, 9000, 2).encoded(.png), to: "in/w.png")
    #expect(try bench.probe(group: [wide]).error == nil)
    #expect(try bench.probe(group: [wide, wide]).error?.code == .formatLimit)
    #expect(try bench.process(group: [wide, wide]).result.error?.code == .formatLimit)
  }

  @Test("the bytes are the same for any number of threads")
  func threads() throws {
    var bytes: [[UInt8]] = []
    for threads in [1, 2, 4] {
      let bench = try Workbench(
        "[gather]\nby = 'all'\n" + join + "[[output]]\nformat = 'jpeg'\n",
        threads: threads,
        operations: Self.operations
      )
      let files = try (0..<5).map { index in
        try bench.folder.write(
          NaivePicture.synthetic(90 + index, 70).encoded(.jpeg),
          to: "in/\(index).jpg"
        )
      }
      bytes.append(try bench.process(group: files).bytes())
    }
    #expect(Set(bytes).count == 1)
  }

  @Test("a unit that is not gathered is made of its one item by the group step")
  func single() throws {
    let bench = try Workbench(join + asPNG, operations: Self.operations)
    let outcome = try bench.process(flat(b.level, b.width).encoded(.png), named: "b.png")
    #expect(try outcome.picture().samples == row([b]).samples)
  }
}
