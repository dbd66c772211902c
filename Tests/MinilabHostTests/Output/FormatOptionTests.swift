import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Each option is seen in the bytes of the file, read by hand, or in the decoded pixels where the
/// container does not tell.
@Suite("Options of the formats", .vips)
struct FormatOptionTests {
  /// Fine detail on slow gradients, with no two rows alike.
  private static let picture = NaivePicture(width: 96, height: 80, bands: 3) { x, y, band in
    let fine = (x * 7 + y * 13 + band * 5) % 11 * 4
    return Double(min(255, x * 2 + y / 2 + fine + band * 10))
  }

  private func made(
    _ format: String,
    _ options: String = "",
    _ picture: NaivePicture = picture
  ) throws -> [UInt8] {
    let bench = try Workbench("[[output]]\nformat = \"\(format)\"\n" + options)
    return try bench.process(picture.encoded(.png), named: "a.png").bytes()
  }

  private func decoded(_ bytes: [UInt8], _ format: PictureFormat) throws -> NaivePicture {
    try NaivePicture(stored(bytes, format))
  }

  private func difference(_ left: NaivePicture, _ right: NaivePicture) -> Double {
    zip(left.samples, right.samples).map { abs($0 - $1) }.max() ?? .infinity
  }

  // MARK: JPEG

  @Test("JPEG: quality, progressive, subsampling and optimize are in the file")
  func jpeg() throws {
    let usual = JPEGReading(try made("jpeg"))
    #expect(!usual.isProgressive)
    #expect(usual.lumaSampling == (2, 2))
    #expect(JPEGReading(try made("jpeg", "quality = 40")).firstQuantum > usual.firstQuantum)
    #expect(JPEGReading(try made("jpeg", "progressive = true")).isProgressive)
    let fine = JPEGReading(try made("jpeg", "subsampling = \"4:4:4\""))
    #expect(fine.lumaSampling == (1, 1))
    #expect(JPEGReading(try made("jpeg", "quality = 95")).lumaSampling == (1, 1))
    let coarse = JPEGReading(try made("jpeg", "quality = 95\nsubsampling = \"4:2:0\""))
    #expect(coarse.lumaSampling == (2, 2))
    // The standard's four tables have 420 bytes with their heads; a picture's own have fewer.
    #expect(usual.huffmanLength > 400)
    let optimized = try made("jpeg", "optimize = true")
    #expect(JPEGReading(optimized).huffmanLength < 400)
    let plain = try made("jpeg")
    #expect(optimized.count < plain.count)
    #expect(try decoded(optimized, .jpeg) == decoded(plain, .jpeg))
  }

  @Test(
    "what mozjpeg alone can do is refused where libjpeg is another",
    arguments: ["trellis = true", "deringing = true", "quant-table = 3"]
  )
  func mozjpeg(_ option: String) throws {
    if MozJPEG.isThere {
      #expect(try made("jpeg", option) != made("jpeg"))
      return
    }
    for format in ["format = \"jpeg\"\n", ""] {
      let problems = #expect(throws: Problems.self) {
        try Workbench("[[output]]\n\(format)\(option)")
      }
      let problem = try #require(problems?.all.first)
      #expect(problems?.all.count == 1)
      #expect(problem.expected.hasPrefix("the libjpeg of mozjpeg for "))
      #expect(problem.received.hasSuffix("which this libjpeg lacks"))
    }
  }

  @Test("JPEG: optimize-scans needs progressive, and mozjpeg")
  func scans() throws {
    let problems = #expect(throws: Problems.self) { try made("jpeg", "optimize-scans = true") }
    let expected = problems?.all.map(\.expected) ?? []
    #expect(expected.contains("optimize-scans together with progressive = true"))
    #expect(expected.contains { $0.hasPrefix("the libjpeg of mozjpeg") } != MozJPEG.isThere)
  }

  // MARK: PNG

  @Test("PNG: effort, progressive and filter change the bytes and no pixel")
  func png() throws {
    let plain = try made("png")
    let none = try made("png", "effort = 0")
    let most = try made("png", "effort = 9")
    #expect(PNGReading(none).level == 0)
    #expect(PNGReading(plain).level == 2)
    #expect(PNGReading(most).level == 3)
    #expect(none.count > plain.count)
    let interlaced = try made("png", "progressive = true")
    #expect(PNGReading(interlaced).isInterlaced && !PNGReading(plain).isInterlaced)
    for bytes in [none, most, interlaced] {
      #expect(try decoded(bytes, .png) == Self.picture)
    }
    let filters = try ["none", "sub", "up", "average", "paeth", "all"].map {
      try made("png", "filter = \"\($0)\"")
    }
    #expect(Set(filters).count == filters.count)
    // With no option named the picture is copied.
    #expect(try filters[0] == made("png", "progressive = false"))
    for bytes in filters { #expect(try decoded(bytes, .png) == Self.picture) }
  }

  @Test("PNG: a palette, its size and how it is found")
  func palette() throws {
    let palette = try made("png", "palette = true")
    #expect(PNGReading(palette).colorType == 3)
    #expect((17...256).contains(PNGReading(palette).paletteCount))
    #expect(try difference(decoded(palette, .png), Self.picture) < 40)
    let four = try made("png", "bit-depth = 4")
    #expect(PNGReading(four).colorType == 3)
    #expect(PNGReading(four).depth == 4)
    #expect((9...16).contains(PNGReading(four).paletteCount))
    let few = try made("png", "palette = true\npalette-quality = 10")
    #expect(PNGReading(few).paletteCount < PNGReading(palette).paletteCount)
    #expect(try made("png", "palette = true\npalette-effort = 1") != palette)
    let hard = try made("png", "bit-depth = 2\ndither = 0")
    let soft = try made("png", "bit-depth = 2\ndither = 1")
    #expect(hard != soft)
    // Without dithering neighbors agree more often.
    #expect(try changes(decoded(hard, .png)) < changes(decoded(soft, .png)))
  }

  /// How often a pixel differs from the one before it.
  private func changes(_ picture: NaivePicture) -> Int {
    (1..<(picture.width * picture.height)).count { index in
      (0..<picture.bands).contains {
        picture.samples[index * picture.bands + $0]
          != picture.samples[(index - 1) * picture.bands + $0]
      }
    }
  }

  @Test("PNG: gray of few bits has the nearest level of each pixel", arguments: [1, 2, 4])
  func shallowGray(_ bits: Int) throws {
    let ramp = NaivePicture(width: 256, height: 2, bands: 1) { x, _, _ in Double(x) }
    let levels = Double(1 << bits - 1)
    let nearest = ramp.samples.map { ($0 * levels / 255).rounded() * 255 / levels }
    let png = try made("png", "bit-depth = \(bits)", ramp)
    #expect(PNGReading(png).depth == bits && PNGReading(png).colorType == 0)
    #expect(try decoded(png, .png).samples == nearest)
    let tiff = try made("tiff", "bit-depth = \(bits)", ramp)
    #expect(TIFFReading(tiff)[TIFFReading.bitsPerSample] ?? 1 == bits)
    // libvips fills the low bits of what it reads in its own way.
    #expect(
      try zip(decoded(tiff, .tiff).samples, nearest).allSatisfy {
        abs($0 - $1) < 256 / (levels + 1)
      }
    )
  }

  @Test("PNG: gray with transparency has a palette where few bits are wanted")
  func shallowGrayAlpha() throws {
    let picture = NaivePicture(width: 32, height: 32, bands: 2) { x, y, band in
      Double(band == 0 ? x * 8 : y < 16 ? 255 : 0)
    }
    let bytes = try made("png", "bit-depth = 4", picture)
    #expect(PNGReading(bytes).depth == 4 && PNGReading(bytes).colorType == 3)
    let back = try decoded(bytes, .png)
    #expect(back[8, 4, back.bands - 1] == 255 && back[8, 20, back.bands - 1] == 0)
    #expect(abs(back[16, 4, 0] - 128) < 24)
  }

  @Test("PNG: 16 bit and a palette exclude each other, and palette options need one")
  func paletteRules() {
    #expect(throws: Problems.self) { try made("png", "palette = true\nbit-depth = 16") }
    #expect(throws: Problems.self) { try made("png", "dither = 0.5") }
    #expect(throws: Problems.self) { try made("png", "bit-depth = 8\npalette-quality = 50") }
    #expect(throws: Problems.self) { try made("png", "bit-depth = 3") }
  }

  // MARK: WebP

  @Test("WebP: quality, effort, presets and subsampling change a lossy file")
  func webp() throws {
    let plain = try made("webp")
    #expect(webpChunks(plain).contains("VP8 "))
    #expect(try made("webp", "quality = 20").count < plain.count)
    #expect(try made("webp", "effort = 0") != plain)
    #expect(try made("webp", "preset = \"text\"") != plain)
    #expect(try made("webp", "preset = \"default\"") == plain)
    let colors = NaivePicture(width: 64, height: 64, bands: 3) { x, _, band in
      x / 3 % 2 == 0 ? (band == 0 ? 255 : 0) : (band == 2 ? 255 : 0)
    }
    func error(_ options: String) throws -> Double {
      let back = try decoded(made("webp", "quality = 90\n" + options, colors), .webp)
      return zip(back.samples, colors.samples).map { abs($0 - $1) }.reduce(0, +)
    }
    #expect(try error("smart-subsampling = true") < error(""))
  }

  @Test("WebP: lossless keeps every pixel, near-lossless nearly")
  func losslessWebP() throws {
    let lossless = try made("webp", "lossless = true")
    #expect(webpChunks(lossless).contains("VP8L"))
    #expect(try decoded(lossless, .webp) == Self.picture)
    let near = try made("webp", "near-lossless = true\nquality = 20")
    #expect(webpChunks(near).contains("VP8L"))
    let back = try decoded(near, .webp)
    #expect(back != Self.picture)
    #expect(difference(back, Self.picture) <= 16)
    #expect(throws: Problems.self) { try made("webp", "lossless = true\nnear-lossless = true") }
    #expect(throws: Problems.self) { try made("webp", "lossless = true\npreset = \"photo\"") }
    #expect(throws: Problems.self) { try made("webp", "lossless = true\nquality = \"auto\"") }
  }

  @Test("WebP: the transparency has a quality of its own")
  func alphaWebP() throws {
    let picture = NaivePicture(width: 64, height: 64, bands: 4) { x, y, band in
      Double(band < 3 ? x * 3 : (x * 37 + y * 59) % 256)
    }
    func alpha(_ bytes: [UInt8]) throws -> [Double] {
      let back = try decoded(bytes, .webp)
      return back.samples.indices.filter { $0 % 4 == 3 }.map { back.samples[$0] }
    }
    let exact = picture.samples.indices.filter { $0 % 4 == 3 }.map { picture.samples[$0] }
    let whole = try made("webp", "", picture)
    #expect(webpChunks(whole).contains("ALPH"))
    #expect(try alpha(whole) == exact)
    #expect(try alpha(made("webp", "alpha-quality = 10", picture)) != exact)
  }

  // MARK: TIFF

  @Test("TIFF: compression, predictor and quality are in the file")
  func tiff() throws {
    let codes = [
      "none": 1, "lzw": 5, "jpeg": 7, "deflate": 8, "packbits": 32_773, "zstd": 50_000,
    ]
    for (name, code) in codes {
      let bytes = try made("tiff", "compression = \"\(name)\"")
      #expect(TIFFReading(bytes)[TIFFReading.compression] == code, "\(name)")
      let back = try decoded(bytes, .tiff)
      #expect((back == Self.picture) == (name != "jpeg"), "\(name)")
    }
    let gray = NaivePicture(width: 40, height: 30, bands: 1) { x, y, _ in x > y ? 255 : 0 }
    let fax = try made("tiff", "compression = \"ccittfax4\"\nbit-depth = 1", gray)
    #expect(TIFFReading(fax)[TIFFReading.compression] == 4)
    #expect(try decoded(fax, .tiff) == gray)
    let usual = TIFFReading(try made("tiff"))
    #expect(usual[TIFFReading.compression] == 8 && usual[TIFFReading.predictor] == 2)
    let plain = try made("tiff", "predictor = \"none\"")
    #expect(TIFFReading(plain)[TIFFReading.predictor] ?? 1 == 1)
    #expect(try decoded(plain, .tiff) == Self.picture)
    let jpeg = "compression = \"jpeg\"\n"
    #expect(try made("tiff", jpeg + "quality = 20").count < made("tiff", jpeg).count)
  }

  @Test("TIFF: tiles, pyramids and 8-byte offsets")
  func tiffLayout() throws {
    let strips = TIFFReading(try made("tiff"))
    #expect(strips[TIFFReading.tileWidth] == nil && !strips.isBig)
    #expect(strips.directories.count == 1)
    #expect(TIFFReading(try made("tiff", "tile = true"))[TIFFReading.tileWidth] == 256)
    let small = TIFFReading(try made("tiff", "tile = true\ntile-size = 32"))
    #expect(small[TIFFReading.tileWidth] == 32)
    #expect(small.directories.count == 1)
    let pyramid = try made("tiff", "pyramid = true\ntile-size = 32")
    let levels = TIFFReading(pyramid).directories
    // 96, 48 and 24 pixels wide: the last is one tile.
    #expect(levels.map { $0[256] } == [96, 48, 24])
    #expect(levels.allSatisfy { $0[TIFFReading.tileWidth] == 32 })
    #expect(try decoded(pyramid, .tiff) == Self.picture)
    let big = try made("tiff", "bigtiff = true")
    #expect(TIFFReading(big).isBig)
    #expect(try decoded(big, .tiff) == Self.picture)
  }

  @Test(
    "TIFF: options that need another are refused without it",
    arguments: [
      "compression = \"ccittfax4\"", "compression = \"jpeg\"\nbit-depth = 16", "tile-size = 64",
      "tile = true\ntile-size = 100", "compression = \"packbits\"\npredictor = \"none\"",
      "bit-depth = 4\npredictor = \"horizontal\"",
    ]
  )
  func tiffRules(_ options: String) {
    #expect(throws: Problems.self) { try made("tiff", options) }
  }

  @Test("TIFF: colors have no 4 bits, and that is said of the picture")
  func shallowColors() {
    let error = #expect(throws: ItemError.self) { try made("tiff", "bit-depth = 4") }
    #expect(error?.code == .unsupported)
    #expect(error?.received == "colors")
  }

  // MARK: GIF

  @Test("GIF: effort, dither, the size of the palette and interlacing")
  func gif() throws {
    let plain = try made("gif")
    #expect(GIFReading(plain).paletteCount == 256 && !GIFReading(plain).isInterlaced)
    #expect(try made("gif", "effort = 1") != plain)
    let few = try made("gif", "palette-bits = 3")
    #expect(GIFReading(few).paletteCount == 8)
    let hard = try made("gif", "palette-bits = 2\ndither = 0")
    let soft = try made("gif", "palette-bits = 2\ndither = 1")
    #expect(try changes(decoded(hard, .gif)) < changes(decoded(soft, .gif)))
    let interlaced = try made("gif", "progressive = true")
    #expect(GIFReading(interlaced).isInterlaced)
    #expect(try decoded(interlaced, .gif) == decoded(plain, .gif))
  }

  // MARK: AVIF and HEIC

  @Test("AVIF and HEIC: quality, subsampling and lossless", arguments: [PictureFormat.avif, .heif])
  func heif(_ format: PictureFormat) throws {
    let name = format.rawValue
    let plain = try made(name)
    #expect(HEIFReading(plain).isSubsampled && HEIFReading(plain).depth == 8)
    #expect(try made(name, "quality = 20").count < plain.count)
    #expect(!HEIFReading(try made(name, "subsampling = \"4:4:4\"")).isSubsampled)
    #expect(HEIFReading(try made(name, "quality = 95\nsubsampling = \"4:2:0\"")).isSubsampled)
    let lossless = try made(name, "lossless = true")
    #expect(!HEIFReading(lossless).isSubsampled)
    // The change to luma and chroma is rounded.
    #expect(try difference(decoded(lossless, format), Self.picture) <= 1)
    #expect(try difference(decoded(plain, format), Self.picture) > 1)
    #expect(throws: Problems.self) {
      try made(name, "lossless = true\nsubsampling = \"4:2:0\"")
    }
  }

  @Test("AVIF: effort changes the bytes; HEIC has none, for its encoder takes no notice of it")
  func effort() throws {
    #expect(try made("avif", "effort = 0") != made("avif", "effort = 6"))
    #expect(throws: Problems.self) { try made("heif", "effort = 6") }
  }

  @Test(
    "AVIF of 12 bit and HEIC of 10 and 12 have what they say, with transparency, too",
    arguments: [("avif", 8), ("avif", 12), ("heif", 8), ("heif", 10), ("heif", 12)]
  )
  func depth(_ format: String, _ bits: Int) throws {
    let picture = NaivePicture(width: 64, height: 64, bands: 4) { x, y, band in
      Double(band == 3 ? 255 : x * 4 - x / 21 + (band == 1 ? y % 4 : 0))
    }
    let bench = try Workbench(
      "[[output]]\nformat = \"\(format)\"\nbit-depth = \(bits)\nlossless = true\n"
    )
    for picture in [Self.picture, picture] {
      let outcome = try bench.process(picture.encoded(.png), named: "a.png")
      #expect(try HEIFReading(outcome.bytes()).depth == bits)
      let image = try outcome.image()
      let levels =
        bits == 8
        ? try image.pixels().map(Double.init)
        : try image.pixels16().map { Double($0) / 257 }
      #expect(image.bands == picture.bands)
      #expect(outcome.noteCodes == [])
      let worst = zip(levels, picture.samples).map { abs($0 - $1) }.max() ?? .infinity
      #expect(worst <= 1, "\(worst)")
    }
    #expect(throws: Problems.self) { try made("avif", "bit-depth = 10") }
  }

  // MARK: JPEG XL

  @Test("JPEG XL: quality or distance, effort, speed and lossless")
  func jxl() throws {
    let plain = try made("jxl")
    let coarse = try made("jxl", "quality = 30")
    #expect(coarse.count < plain.count)
    let far = try made("jxl", "distance = 8")
    #expect(far.count < plain.count)
    #expect(try made("jxl", "distance = 0.5").count > far.count)
    #expect(try made("jxl", "effort = 3") != plain)
    #expect(try made("jxl", "decoding-speed = 4") != plain)
    let lossless = try made("jxl", "lossless = true")
    #expect(try decoded(lossless, .jxl) == Self.picture)
    #expect(try decoded(plain, .jxl) != Self.picture)
    #expect(throws: Problems.self) { try made("jxl", "quality = 80\ndistance = 1") }
  }
}
