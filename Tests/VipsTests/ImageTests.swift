import TestSupport
import Testing
import Vips

@Suite("Pictures in libvips", .vips)
struct ImageTests {
  @Test("pixels go in and come out as they are, 8 and 16 bit")
  func pixels() throws {
    let bytes: [UInt8] = [0, 1, 127, 128, 254, 255]
    let small = try Image(pixels: bytes, width: 2, height: 1, bands: 3)
    #expect(try small.pixels() == bytes)
    #expect(small.interpretation == .srgb)
    #expect(throws: VipsError.self) { try small.pixels16() }
    let words: [UInt16] = [0, 1, 255, 256, 32_768, 65_535]
    let deep = try Image(pixels16: words, width: 3, height: 2, bands: 1)
    #expect(try deep.pixels16() == words)
    #expect(deep.interpretation == .gray16)
    #expect(throws: VipsError.self) { try deep.pixels() }
  }

  @Test("two and four bands have an alpha, one and three have none")
  func alpha() throws {
    for bands in 1...4 {
      let image = try Image(
        pixels: [UInt8](repeating: 9, count: bands),
        width: 1,
        height: 1,
        bands: bands
      )
      #expect(image.hasAlpha == (bands % 2 == 0))
      #expect(image.bands == bands)
    }
  }

  @Test("interpretations and formats are told apart")
  func interpretations() throws {
    let image = try Image(pixels: [200, 100, 50], width: 1, height: 1, bands: 3)
    #expect(try image.colourspace(.lab).interpretation == .lab)
    #expect(try image.colourspace(.scrgb).interpretation == .scrgb)
    #expect(try image.colourspace(.rgb16).format == .ushort)
    #expect(try image.cast(.float).format == .float)
    #expect(try image.call("cast", [.init("format", .enumeration("short"))]).format == .signed)
    #expect(try image.call("cast", [.init("format", .enumeration("uint"))]).format == .uint)
    #expect(try image.call("cast", [.init("format", .enumeration("double"))]).format == .double)
    #expect(try image.call("cast", [.init("format", .enumeration("complex"))]).format == .other)
    let inks = try Image(pixels: [1, 2, 3, 4], width: 1, height: 1, bands: 4)
    #expect(try inks.copy(interpretation: .cmyk).interpretation == .cmyk)
    // Three bands are no four inks, whatever is claimed.
    #expect(try image.copy(interpretation: .cmyk).interpretation != .cmyk)
    for space in [Interpretation.gray, .gray16, .srgb, .rgb16, .scrgb, .lab, .xyz] {
      #expect(try image.colourspace(space).interpretation == space)
    }
  }

  @Test("packed pixels are unpacked, and others are left alone")
  func coded() throws {
    let image = try Image(pixels: [200, 100, 50], width: 1, height: 1, bands: 3)
    #expect(!image.isCoded)
    #expect(try image.uncoded() === image)
    let packed = try image.colourspace(.scrgb).call("float2rad")
    #expect(packed.isCoded)
    let unpacked = try packed.uncoded()
    #expect(!unpacked.isCoded)
    #expect(unpacked.bands == 3)
    let back = try unpacked.colourspace(.srgb).pixels()
    for (level, wanted) in zip(back, [200, 100, 50]) { #expect(abs(Int(level) - wanted) <= 2) }
  }

  @Test("metadata is set on a copy, and the original has none of it")
  func metadata() throws {
    let original = try Image(pixels: [1], width: 1, height: 1, bands: 1)
    let copy = try original.copy()
    copy.set("orientation", int: 6)
    copy.set("remark", string: "caf\u{e9}")
    copy.set("exif-data", blob: [0, 255, 0])
    #expect(copy.int("orientation") == 6)
    #expect(copy.string("remark") == "caf\u{e9}")
    #expect(copy.blob("exif-data") == [0, 255, 0])
    #expect(Set(copy.fieldNames).isSuperset(of: ["orientation", "remark", "exif-data"]))
    #expect(!original.has("orientation"))
    copy.remove("orientation")
    copy.remove("orientation")
    #expect(!copy.has("orientation"))
    #expect(copy.has("remark"))
  }

  @Test("a field that is missing or of another type is nil")
  func missing() throws {
    let image = try Image(pixels: [1], width: 1, height: 1, bands: 1).copy()
    image.set("remark", string: "text")
    image.set("bytes", blob: [1])
    #expect(image.int("remark") == nil)
    #expect(image.blob("remark") == nil)
    #expect(image.int("nothing") == nil)
    #expect(image.string("nothing") == nil)
    #expect(image.blob("nothing") == nil)
    #expect(image.int("bytes") == nil)
  }

  @Test("where a part was cut out is known")
  func cutPlace() throws {
    let image = try Image(pixels: [UInt8](repeating: 1, count: 64), width: 8, height: 8, bands: 1)
    let part = try image.extractArea(left: 3, top: 5, width: 2, height: 2)
    #expect(part.cutLeft == 3)
    #expect(part.cutTop == 5)
  }

  @Test("a killed picture gives no pixels, and an error in their place")
  func kill() throws {
    let image = try Image(
      pixels: [UInt8](repeating: 1, count: 512 * 512),
      width: 512,
      height: 512,
      bands: 1
    ).call("invert")
    image.kill()
    #expect(throws: VipsError.self) { try image.pixels() }
  }
}

@Suite("The log", .vips)
struct LogTests {
  /// A JPEG with bytes between its segments: libvips warns of it when the pipeline goes.
  private func warned() throws {
    let target = try Target()
    try Image(pixels: [UInt8](repeating: 9, count: 64), width: 8, height: 8, bands: 1)
      .save("jpegsave_target", to: target)
    var bytes = target.bytes
    bytes.insert(contentsOf: [1, 2, 3], at: 20)
    _ = try load("jpegload_source", from: Source(bytes: bytes)).average()
  }

  @Test("a decoder's warning is kept, with its domain, and taken once")
  func taken() throws {
    try warned()
    let messages = Log.take()
    #expect(messages.kept.first?.domain == "VIPS")
    #expect(messages.kept.first?.level == .warning)
    #expect(messages.kept.first?.text.isEmpty == false)
    #expect(Log.take().isEmpty)
  }

  @Test("64 messages are kept, more are counted (field report 29)")
  func capped() throws {
    for _ in 0..<70 { try warned() }
    let messages = Log.take()
    #expect(messages.kept.count == 64)
    #expect(messages.dropped >= 6)
    try warned()
    #expect(Log.take().dropped == 0)
  }
}

@Suite("The host's settings", .vips)
struct HostTests {
  @Test("threads are as told, and starting again only applies settings")
  func threads() throws {
    try Host.start(Host.Settings(threads: 3))
    #expect(Host.threads == 3)
    try Host.startIfNeeded()
    #expect(Host.threads == 3)
    try Host.start()
    #expect(Host.threads == 1)
  }

  @Test("the version is three numbers")
  func version() {
    #expect(Host.version.split(separator: ".").compactMap { Int($0) }.count == 3)
  }

  @Test("a file that is rewritten under its name gives its new pixels (field report 43)")
  func rewritten() throws {
    let folder = try ScratchFolder()
    func write(_ level: UInt8) throws -> String {
      let target = try Target()
      try Image(pixels: [UInt8](repeating: level, count: 64), width: 8, height: 8, bands: 1)
        .save("pngsave_target", to: target)
      try folder.write(target.bytes, to: "a.png")
      return folder.text + "/a.png"
    }
    #expect(try load("pngload", fromFile: write(0)).average() == 0)
    #expect(try load("pngload", fromFile: write(255)).average() == 255)
  }
}
