import FoundationEssentials
import Glibc
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import V4L2
import Vips

/// `minilab run` with a step that takes the pictures, as a process, on the built-in pattern.
@Suite("Captures of the test pattern, through the program", .vips)
struct CaptureTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private static let step = """
    profile = 1
    [[step]]
    op = "capture"
    device = "test"
    size = [160, 120]
    warm-up = 3

    """

  private func run(_ toml: String, _ arguments: String...) throws -> Program.Result {
    try scratch.write(Self.step + toml, to: "p.toml")
    let words = ["run", "./p.toml", "-o", "out", "--json"] + arguments
    return try Program.minilab.run(words.map { Path($0) }, in: scratch.path)
  }

  private func items(_ result: Program.Result) throws -> [CaptureEvent] {
    try CaptureEvent.all(result.outputText).filter { $0.event == "item" }
  }

  private func picture(_ path: String) throws -> Image {
    let bytes = try contents(of: scratch.path.appending("out").appending(path))
    let loader = path.hasSuffix("png") ? "pngload_source" : "jpegload_source"
    return try load(loader, from: Source(bytes: bytes))
  }

  private func number(_ path: String) throws -> Int? {
    let image = try picture(path)
    let bitmap = Bitmap(
      width: image.width,
      height: image.height,
      bands: image.bands,
      samples: try image.pixels()
    )
    return TestPattern.reading(of: bitmap)?.number
  }

  private var leftovers: [String] {
    ["tmp", "captured"].flatMap { names(in: scratch.path.appending("out/.minilab/\($0)")) }
  }

  @Test("every picture is an item with its name, done once, and its original is gone")
  func items() throws {
    let result = try run("count = 12\n[[output]]\npath = \"{stem}.{ext}\"")
    #expect(result.status == 0, "\(result.errorText)")
    let items = try items(result)
    #expect(items.count == 12)
    for item in items {
      #expect(item.input.hasPrefix("test-"))
      #expect(item.outputs.map(\.path) == [item.input])
      // Nothing was to be changed: the frame is the file.
      #expect(item.notes.map(\.code) == ["copied"])
    }
    let paths = items.map(\.input).sorted { $0.suffix(8) < $1.suffix(8) }
    #expect(try paths.map(number) == Array(3..<15))
    #expect(leftovers.isEmpty)
  }

  @Test("an MJPEG frame that no step touches is in the output as the camera sent it")
  func unchanged() throws {
    let result = try run("[[output]]\npath = \"a.{ext}\"", "--set", "capture.device=test:tables")
    #expect(result.status == 0, "\(result.errorText)")
    let file = try contents(of: scratch.path.appending("out/a.jpg"))
    let frame = try #require(TestPattern(width: 160, height: 120)).frame(number: 3, as: .mjpeg)
    #expect(Array(file.suffix(frame.bytes.count - 2)) == Array(frame.bytes.dropFirst(2)))
  }

  @Test(
    "pixels of each form are encoded as the output says, and never copied",
    arguments: ["yuyv", "nv12", "rgb24", "grey"]
  )
  func pixels(_ form: String) throws {
    let result = try run(
      "pixel-format = \"\(form)\"\n[[output]]\npath = \"{stem}.{ext}\"\n"
        + "[[output]]\nname = \"small\"\npath = \"{stem}-{width}.{ext}\"\nformat = \"jpeg\"\n"
        + "[[output.step]]\nop = \"resize\"\nwidth = 80"
    )
    #expect(result.status == 0, "\(result.errorText)")
    let item = try #require(items(result).first)
    #expect(item.notes.isEmpty)
    #expect(item.outputs.map(\.format) == ["png", "jpeg"])
    #expect(item.outputs[1].path.hasSuffix("-80.jpg"))
    #expect(try number(item.outputs[0].path) == 3)
    // The working file has every sample; the output is compressed.
    #expect(item.outputs[0].bytes < 160 * 120)
  }

  @Test("held and mirror are undone by orient")
  func orient() throws {
    let result = try run(
      """
      held = "portrait-upside-down"
      mirror = true
      [[step]]
      op = "orient"
      [[output]]
      path = "a.{ext}"
      format = "png"
      """
    )
    #expect(result.status == 0, "\(result.errorText)")
    let image = try picture("a.png")
    #expect(image.width == 120 && image.height == 160)
    let bitmap = Bitmap(width: 120, height: 160, bands: 3, samples: try image.pixels())
    // What is made upright here was upright before it was turned: the inverse of 7 is itself.
    #expect(TestPattern.reading(of: bitmap)?.orientation == 7)
    #expect(TestPattern.reading(of: bitmap)?.number == 3)
  }

  @Test("what the camera does not zoom is cut from the middle, before any step")
  func zoom() throws {
    let result = try run("zoom = 2.5\n[[output]]\npath = \"a.{ext}\"\nformat = \"png\"")
    let item = try #require(items(result).first)
    #expect(item.outputs[0].width == 64 && item.outputs[0].height == 48)
    #expect(item.notes.map(\.code) == ["zoom-cropped"])
    let whole = try #require(TestPattern(width: 160, height: 120)).bitmap(number: 3)
    let image = try picture("a.png")
    for (x, y) in [(2, 2), (30, 20), (60, 45)] {
      let at = ((y + 36) * 160 + x + 48) * 3
      let wanted = Array(whole.samples[at..<(at + 3)])
      let found = try image.samples(x: x, y: y)
      // JPEG smears edges between bars; these places are beside none.
      #expect(zip(found, wanted).allSatisfy { abs(Int($0) - Int($1)) < 12 }, "\(x), \(y)")
    }
  }

  @Test("four shots make a strip, and a last, smaller group follows the profile")
  func strip() throws {
    let strip = """
      [gather]
      by = "count:4"
      [[step]]
      op = "compose"
      layout = "strip"
      tile = [160, 120]
      [[output]]
      path = "{group}.{ext}"
      format = "png"
      """
    let result = try run("count = 10\n" + strip)
    #expect(result.status == 0, "\(result.errorText)")
    // Workers end in any order.
    let items = try items(result).sorted { $0.input.suffix(8) < $1.input.suffix(8) }
    #expect(items.map { $0.inputs?.count } == [4, 4, 2])
    #expect(items.last?.notes.map(\.code) == ["incomplete-group"])
    let second = try picture("2.png")
    #expect(second.width == 640 && second.height == 120)
    let tile = try second.extractArea(left: 160, top: 0, width: 160, height: 120)
    let bitmap = Bitmap(width: 160, height: 120, bands: tile.bands, samples: try tile.pixels())
    #expect(TestPattern.frameNumber(in: bitmap) == 8)
    #expect(leftovers.isEmpty)

    let failing = try run("count = 5\n" + strip, "--set", "gather.incomplete=fail", "--force")
    #expect(failing.status == 1)
    let failed = try #require(self.items(failing).first { $0.status == "failed" })
    #expect(failed.error?.code == "incomplete-group")
    // The picture that was taken is there.
    #expect(failed.notes.map(\.code) == ["capture-kept"])
    #expect(leftovers == [failed.input])
    #expect(failed.notes[0].text.contains(".minilab/captured/\(failed.input)"))
  }

  @Test("a picture whose unit fails is kept, named, and spoken of by the next run")
  func kept() throws {
    let result = try run(
      """
      [[step]]
      op = "crop"
      rect = [900, 0, 10, 10]
      [[output]]
      path = "{stem}.{ext}"
      """
    )
    #expect(result.status == 1)
    let item = try #require(items(result).first)
    #expect(item.error?.code == "crop-outside")
    #expect(item.notes.map(\.code) == ["capture-kept"])
    #expect(leftovers == [item.input])
    let next = try run("[[output]]\npath = \"{stem}.{ext}\"")
    #expect(next.status == 0)
    #expect(next.errorText.contains("1 captured picture of earlier runs"))
    #expect(leftovers == [item.input])
  }

  @Test("notes that the profile forbids fail the picture, those of the camera as well")
  func forbidden() throws {
    let result = try run("zoom = 2\n[notes]\nforbid = [\"zoom-cropped\"]\n")
    #expect(result.status == 1)
    #expect(try items(result).first?.error?.code == "note-forbidden")
  }

  @Test("a dry run shows what would be asked for, and takes nothing")
  func dryRun() throws {
    let result = try run("count = 2\n[[output]]\npath = \"{stem}.{ext}\"", "--dry-run")
    #expect(result.status == 0)
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0].contains("\"event\":\"source\""))
    #expect(lines[0].contains("\"device\":\"test pattern\""))
    #expect(lines[1].contains("-0001.jpg\",\"width\":160,\"height\":120"))
    #expect(names(in: scratch.path.appending("out")).isEmpty)
  }

  @Test("inputs and a capture exclude each other, and one of them is needed")
  func usage() throws {
    let both = try run("", "somewhere")
    #expect(both.status == 2)
    #expect(
      both.errorText
        == "minilab run: expected no INPUT, as the profile's step \"capture\" makes the pictures\n"
    )
    try scratch.write("profile = 1\n", to: "none.toml")
    let none = try Program.minilab.run("run", "none.toml", "-o", "out", in: scratch.path)
    #expect(none.status == 2)
    #expect(none.errorText == "minilab run: no INPUT: a folder or a file\n")
  }

  @Test("a camera that is not there is told before anything is begun")
  func missing() throws {
    let empty = scratch.path.appending("dev")
    _ = empty.withCString { mkdir($0, 0o777) }
    try scratch.write(Self.step, to: "p.toml")
    let result = try Program.minilab.run(
      ["run", "p.toml", "-o", "out", "--set", "capture.device=default"].map { Path($0) },
      in: scratch.path,
      environment: ["MINILAB_VIDEO_DEVICES": empty.shown]
    )
    #expect(result.status == 2)
    #expect(result.errorText.contains("no camera is connected"))
    #expect(names(in: scratch.path.appending("out")).isEmpty)
    let list = try Program.minilab.run(
      "devices",
      in: scratch.path,
      environment: ["MINILAB_VIDEO_DEVICES": empty.shown]
    )
    #expect(list.status == 0)
    #expect(list.outputText.hasPrefix("No camera is there."))
  }
}

/// The names in a folder; none where it is not there.
private func names(in folder: Path) -> [String] {
  guard let stream = folder.withCString({ opendir($0) }) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
    names.append(String(decoding: bytes, as: UTF8.self))
  }
  return names.filter { $0 != "." && $0 != ".." }.sorted()
}

/// What an event of `--json` says of an item.
struct CaptureEvent: Decodable {
  struct Output: Decodable {
    let path: String
    let width: Int
    let height: Int
    let format: String
    let bytes: Int
  }

  struct Remark: Decodable {
    let code: String
    let text: String
  }

  let event: String
  let input: String
  let inputs: [String]?
  let status: String
  let outputs: [Output]
  let notes: [Remark]
  let error: Remark?

  /// The items among the lines.
  static func all(_ text: String) throws -> [CaptureEvent] {
    try text.split(separator: "\n").filter { $0.contains("\"event\":\"item\"") }.map {
      try JSONDecoder().decode(CaptureEvent.self, from: Data($0.utf8))
    }
  }
}
