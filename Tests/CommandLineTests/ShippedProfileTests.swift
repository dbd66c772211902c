import FoundationEssentials
import Glibc
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import V4L2
import Vips

/// Each profile that ships, run as a process over samples of every shape.
@Suite("The profiles that ship", .vips)
struct ShippedProfileTests {
  /// What an event of `--json` says of a unit.
  private struct Event: Decodable {
    struct Output: Decodable, Equatable, CustomStringConvertible {
      let path: String
      let width: Int
      let height: Int
      let format: String

      init(_ path: String, _ width: Int, _ height: Int, _ format: String) {
        (self.path, self.width, self.height, self.format) = (path, width, height, format)
      }

      var description: String { "\(path) \(width) × \(height) \(format)" }
    }

    let event: String
    let status: String?
    let outputs: [Output]?
  }

  private let folder: ScratchFolder

  /// A wide picture, a tall one, a cut-out disc on nothing, and a small square.
  init() throws {
    folder = try ScratchFolder()
    try write(Self.portrait(width: 1500, height: 1000), as: "wide")
    try write(Self.portrait(width: 900, height: 1200), as: "tall")
    try write(Sample.disc([200, 40, 30], outside: [0, 0, 0], side: 600), as: "disc")
    try write(Self.portrait(width: 200, height: 200), as: "small")
  }

  /// A head's colors before a wall, right of the middle.
  private static func portrait(width: Int, height: Int) throws -> Image {
    let wall = try Sample.gradient(width: width, height: height)
    let side = min(width, height) / 3
    let head = try Sample.flat([224, 169, 136], width: side, height: side)
    let call = try OperationCall("insert")
    try call.set("main", .image(wall))
    try call.set("sub", .image(head))
    try call.set("x", .int(width * 3 / 5))
    try call.set("y", .int(height / 4))
    return try call.run().image
  }

  private func write(_ image: Image, as name: String) throws {
    let target = try Target()
    try image.save("pngsave_target", to: target)
    try folder.write(target.bytes, to: "in/\(name).png")
  }

  /// Runs a profile, which must leave nothing out, and gives its outputs by their paths.
  ///
  /// - Parameters:
  ///   - profile: its name.
  ///   - arguments: in place of the folder of samples.
  /// - Returns: the outputs.
  /// - Throws: where the program cannot be started.
  private func run(
    _ profile: String,
    _ arguments: [String] = ["in"]
  ) throws -> [Event.Output] {
    let file = packageRoot.appending("profiles/\(profile).toml")
    let result = try Program.minilab.run(
      [Path("run"), file, Path("-o"), Path(profile), Path("--json"), Path("--quiet")]
        + arguments.map { Path($0) },
      in: folder.path
    )
    #expect(result.status == 0, "\(result.errorText)")
    let events = try result.outputText.split(separator: "\n").map {
      try JSONDecoder().decode(Event.self, from: Data($0.utf8))
    }
    let items = events.filter { $0.event == "item" }
    #expect(!items.isEmpty && items.allSatisfy { $0.status == "done" })
    return items.flatMap { $0.outputs ?? [] }.sorted { $0.path < $1.path }
  }

  private func picture(_ profile: String, _ path: String, _ loader: String) throws -> Image {
    let file = folder.path.appending(profile).appending(path)
    return try load(loader, from: Source(bytes: contents(of: file)))
  }

  @Test("every one of them is tested here")
  func complete() throws {
    let tested = [
      "archive", "booth", "collage", "contact-sheet", "id-photo", "previews", "print-10x15",
      "product-square", "product-table",
      "round-avatar", "square", "watermark", "web",
    ]
    let found = names(in: packageRoot.appending("profiles"))
      .filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(".toml".count)) }.sorted()
    #expect(found == tested, "add the profile to this list, and a test of what it makes")
  }

  private func names(in folder: Path) -> [String] {
    guard let stream = folder.withCString({ opendir($0) }) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      names.append(String(decoding: bytes, as: UTF8.self))
    }
    return names
  }

  @Test("id-photo makes photos of 35 × 45 mm, and eight of them on a print")
  func idPhoto() throws {
    let made = try run("id-photo")
    #expect(
      made
        == ["disc", "small", "tall", "wide"].flatMap {
          [
            Event.Output("\($0)-photo.jpg", 413, 531, "jpeg"),
            Event.Output("\($0)-print.jpg", 1772, 1181, "jpeg"),
          ]
        }
    )
    let photo = try picture("id-photo", "wide-photo.jpg", "jpegload_source")
    let print = try picture("id-photo", "wide-print.jpg", "jpegload_source")
    #expect(abs(photo.resolution.x - 300 / 25.4) < 0.1)
    // The head is in the middle of the photo, and eight times on the print, with paper between.
    let head = try photo.samples(x: 206, y: 265)
    #expect(near(head, [224, 169, 136]))
    for x in [230, 667, 1105, 1542] {
      for y in [312, 868] { #expect(near(try print.samples(x: x, y: y), [224, 169, 136])) }
      #expect(try print.samples(x: x, y: 590) == [255, 255, 255])
    }
    #expect(try print.samples(x: 12, y: 300) == [255, 255, 255])
  }

  @Test("product-square keeps the whole picture on a white square")
  func productSquare() throws {
    let made = try run("product-square")
    #expect(
      made == [
        .init("disc-small.webp", 400, 400, "webp"), .init("disc.jpg", 600, 600, "jpeg"),
        .init("small-small.webp", 200, 200, "webp"), .init("small.jpg", 200, 200, "jpeg"),
        .init("tall-small.webp", 400, 400, "webp"), .init("tall.jpg", 1200, 1200, "jpeg"),
        .init("wide-small.webp", 400, 400, "webp"), .init("wide.jpg", 1200, 1200, "jpeg"),
      ]
    )
    let wide = try picture("product-square", "wide.jpg", "jpegload_source")
    #expect(try wide.samples(x: 600, y: 20) == [255, 255, 255])
    #expect(near(try wide.samples(x: 20, y: 600), [4, 128, 64]))
    let disc = try picture("product-square", "disc.jpg", "jpegload_source")
    #expect(near(try disc.samples(x: 5, y: 5), [255, 255, 255]))
    #expect(near(try disc.samples(x: 300, y: 300), [200, 40, 30]))
  }

  @Test("round-avatar cuts a circle with a ring, and nothing is left around it")
  func roundAvatar() throws {
    let made = try run("round-avatar")
    #expect(
      made
        == ["disc", "small", "tall", "wide"].flatMap {
          [
            Event.Output("\($0)-256.webp", 256, 256, "webp"),
            Event.Output("\($0)-64.webp", 64, 64, "webp"),
          ]
        }
    )
    let avatar = try picture("round-avatar", "tall-256.webp", "webpload_source")
    #expect(try avatar.samples(x: 2, y: 2)[3] == 0)
    #expect(try avatar.samples(x: 128, y: 128)[3] == 255)
    #expect(near(try avatar.samples(x: 128, y: 2), [255, 255, 255, 255]))
  }

  @Test("contact-sheet puts all pictures on a sheet, in their order")
  func contactSheet() throws {
    #expect(try run("contact-sheet") == [.init("in-1.jpg", 2480, 618, "jpeg")])
    let sheet = try picture("contact-sheet", "in-1.jpg", "jpegload_source")
    // "disc" is first; its middle is the first tile's.
    #expect(near(try sheet.samples(x: 40 + 224, y: 40 + 249), [200, 40, 30]))
    #expect(try sheet.samples(x: 20, y: 300) == [255, 255, 255])
    // The fifth tile of the row is empty.
    #expect(try sheet.samples(x: 2480 - 264, y: 289) == [255, 255, 255])
    // Below a tile is its name.
    let names = try sheet.extractArea(left: 40, top: 540, width: 448, height: 38)
    #expect(try names.pixels().contains { $0 < 100 })
  }

  @Test("watermark lays the mark into the corner, and changes nothing elsewhere")
  func watermark() throws {
    let made = try run("watermark")
    #expect(
      made == [
        .init("disc.jpg", 600, 600, "jpeg"), .init("small.jpg", 200, 200, "jpeg"),
        .init("tall.jpg", 900, 1200, "jpeg"), .init("wide.jpg", 1500, 1000, "jpeg"),
      ]
    )
    let marked = try picture("watermark", "wide.jpg", "jpegload_source").pixels()
    let plain = try Self.portrait(width: 1500, height: 1000).pixels()
    var changed = 0
    for y in stride(from: 0, to: 1000, by: 5) {
      for x in stride(from: 0, to: 1500, by: 5) {
        let at = (y * 1500 + x) * 3
        let isNear = near(Array(marked[at..<(at + 3)]), Array(plain[at..<(at + 3)]), within: 25)
        if x < 1190 || y < 700 {
          #expect(isNear || nearEdge(x, y), "\(x), \(y)")
        } else if !isNear {
          changed += 1
        }
      }
    }
    #expect(changed > 100)
  }

  /// JPEG smears the head's edge a little.
  private func nearEdge(_ x: Int, _ y: Int) -> Bool {
    (890...1243).contains(x) && (240...593).contains(y)
  }

  @Test("collage lays four prints on a table")
  func collage() throws {
    #expect(try run("collage") == [.init("in-1.jpg", 2000, 1500, "jpeg")])
    let collage = try picture("collage", "in-1.jpg", "jpegload_source")
    #expect(near(try collage.samples(x: 10, y: 1490), [59, 74, 79]))
  }

  /// Not as large as the profile asks for: the pattern takes its time to draw.
  private static let pattern = ["--set", "capture.device=test", "--set", "capture.size=[480,360]"]

  @Test("booth puts four pictures of a camera on a strip, as in a mirror")
  func booth() throws {
    let made = try run("booth", Self.pattern + ["--set", "capture.interval=0"])
    #expect(made.map(\.width) == [600] && made.map(\.height) == [1800])
    let path = try #require(made.first?.path)
    #expect(path.hasPrefix("test-") && path.hasSuffix("-0001.jpg"))
    let strip = try picture("booth", path, "jpegload_source")
    #expect(abs(strip.resolution.x - 300 / 25.4) < 0.1)
    #expect(try strip.samples(x: 10, y: 700) == [255, 255, 255])
    #expect(try strip.samples(x: 300, y: 1790) == [255, 255, 255])
    for tile in 0..<4 {
      let part = try strip.extractArea(left: 20, top: 20 + 440 * tile, width: 560, height: 420)
      let bitmap = Bitmap(width: 560, height: 420, bands: 3, samples: try part.pixels())
      let reading = TestPattern.reading(of: bitmap)
      #expect(reading?.number == 15 + tile && reading?.orientation == 2)
    }
  }

  @Test("product-table cuts round corners, in two sizes")
  func productTable() throws {
    let made = try run("product-table", Self.pattern)
    #expect(made.map(\.width) == [320, 360])
    let list = try picture("product-table", made[0].path, "webpload_source")
    #expect(try list.samples(x: 2, y: 2)[3] == 0)
    #expect(try list.samples(x: 160, y: 160)[3] == 255)
  }

  @Test("print-10x15 cuts wide pictures to 3:2 and tall ones to 2:3")
  func print10x15() throws {
    let made = try run("print-10x15")
    #expect(
      made == [
        .init("disc.jpg", 600, 400, "jpeg"), .init("small.jpg", 200, 133, "jpeg"),
        .init("tall.jpg", 800, 1200, "jpeg"), .init("wide.jpg", 1500, 1000, "jpeg"),
      ]
    )
    let print = try picture("print-10x15", "wide.jpg", "jpegload_source")
    #expect(abs(print.resolution.y - 300 / 25.4) < 0.1)
  }

  @Test("the four plain ones make what their summaries say")
  func plain() throws {
    #expect(
      try run("web").filter { $0.path.hasPrefix("w") } == [
        .init("wide.jpg", 1500, 1000, "jpeg"), .init("wide.webp", 1500, 1000, "webp"),
      ]
    )
    #expect(
      try run("previews").filter { $0.path.hasPrefix("w") } == [
        .init("wide-large.jpg", 1024, 683, "jpeg"), .init("wide-small.jpg", 256, 171, "jpeg"),
      ]
    )
    #expect(try run("square").contains(.init("wide.jpg", 800, 800, "jpeg")))
    #expect(try run("archive").count == 4)
  }

  private func near(_ samples: [UInt8], _ wanted: [UInt8], within most: Int = 10) -> Bool {
    samples.count == wanted.count
      && zip(samples, wanted).allSatisfy { abs(Int($0) - Int($1)) <= most }
  }
}
