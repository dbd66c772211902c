import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("A quality that is looked for", .vips)
struct QualityTests {
  /// Waves with noise on them: every codec has something to lose at every quality.
  private func photograph(_ width: Int = 240, _ height: Int = 160) -> NaivePicture {
    var dice = Dice(3)
    return NaivePicture(width: width, height: height, bands: 3) { x, y, band in
      let wave = (x / 9 + band) % 2 == (y / 7) % 2 ? 70 : 150
      return Double(wave + (x + y) / 8 % 50 + dice.next(0...25))
    }
  }

  private func processed(_ options: String, _ bytes: [UInt8]) throws -> Workbench.Outcome {
    try Workbench("[[output]]\n" + options).process(bytes, named: "a.png")
  }

  /// The quality that the note speaks of.
  private func quality(_ outcome: Workbench.Outcome) throws -> Int {
    let note = try #require(outcome.result.notes.first { $0.code == .qualityChosen })
    return try #require(note.text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }

  // MARK: max-bytes

  @Test(
    "max-bytes is kept to with the highest quality that does",
    arguments: [("jpeg", 9000), ("webp", 7000), ("jxl", 9000), ("heif", 9000)]
  )
  func maxBytes(_ format: String, _ limit: Int) throws {
    let bytes = try photograph().encoded(.png)
    let outcome = try processed("format = \"\(format)\"\nmax-bytes = \(limit)\n", bytes)
    let found = try quality(outcome)
    let written = try outcome.bytes()
    #expect(written.count <= limit)
    #expect((2..<100).contains(found))
    // Exactly what that quality gives, and the next is too much.
    #expect(try processed("format = \"\(format)\"\nquality = \(found)\n", bytes).bytes() == written)
    let next = try processed("format = \"\(format)\"\nquality = \(found + 1)\n", bytes)
    #expect(try next.bytes().count > limit)
  }

  @Test("a named quality is the highest, and is no choice where it fits")
  func ceiling() throws {
    let bytes = try photograph().encoded(.png)
    let plain = try processed("format = \"jpeg\"\nquality = 60\n", bytes).bytes()
    let roomy = try processed("format = \"jpeg\"\nquality = 60\nmax-bytes = \"1MB\"\n", bytes)
    #expect(try roomy.bytes() == plain)
    #expect(roomy.noteCodes == [])
    let tight = try processed(
      "format = \"jpeg\"\nquality = 60\nmax-bytes = \(plain.count - 1)\n",
      bytes
    )
    #expect(try quality(tight) < 60)
    #expect(try tight.bytes().count < plain.count)
    // Nothing is named: as good as there is room for.
    #expect(try quality(processed("format = \"jpeg\"\nmax-bytes = \"1MB\"\n", bytes)) == 100)
  }

  @Test(
    "what no quality makes small enough fails, and nothing is written",
    arguments: ["format = \"jpeg\"", "format = \"png\"", "format = \"webp\"\nlossless = true"]
  )
  func tooLarge(_ format: String) throws {
    let bench = try Workbench("[[output]]\n\(format)\nmax-bytes = 300\n")
    let outcome = try bench.process(photograph().encoded(.png), named: "a.png")
    #expect(outcome.result.status == .failed)
    #expect(outcome.result.error?.code == .tooLarge)
    #expect(outcome.result.error?.expected.hasPrefix("at most 300 bytes") == true)
    #expect(try bench.outputNames() == [])
    #expect(try bench.leftovers() == [])
  }

  @Test("a PNG that fits is written as it is")
  func lossless() throws {
    let outcome = try processed("max-bytes = \"1MiB\"\n", photograph().encoded(.png))
    #expect(outcome.result.status == .done)
    #expect(outcome.noteCodes == [])
  }

  @Test("what is made of a picture's metadata counts")
  func metadataCounts() throws {
    let text = String(repeating: "long words ", count: 600)
    let bytes = try jpeg(photograph(), exif: exifBlock(orientation: 1, description: text))
    let bench = try Workbench("[[output]]\nmax-bytes = 16000\n")
    let outcome = try bench.process(bytes, named: "a.jpg")
    let written = try outcome.bytes()
    #expect(written.count <= 16_000)
    #expect(try quality(outcome) > 1)
  }

  @Test(
    "bytes are written as people do",
    arguments: [
      ("200KB", 200_000), ("200 kB", 200_000), ("1.5MiB", 1_572_864), ("64KiB", 65_536),
      ("2MB", 2_000_000), ("900B", 900), ("1GiB", 1_073_741_824), ("1GB", 1_000_000_000),
    ]
  )
  func units(_ text: String, _ bytes: Int) {
    #expect(ByteCount(text)?.bytes == bytes)
  }

  @Test(
    "what is no number of bytes is refused",
    arguments: ["\"200\"", "\"KB\"", "\"-1KB\"", "0", "1.5", "\"1e3KB\"", "\"0KB\"", "true"]
  )
  func badUnits(_ value: String) {
    #expect(throws: Problems.self) { try Workbench("[[output]]\nmax-bytes = \(value)\n") }
  }

  // MARK: auto

  @Test(
    "quality = auto gives the lowest quality that is similar enough, by the paper's formula",
    arguments: [PictureFormat.jpeg, .webp]
  )
  func automatic(_ format: PictureFormat) throws {
    let picture = photograph(120, 96)
    let bytes = try picture.encoded(.png)
    let outcome = try processed("format = \"\(format.rawValue)\"\nquality = \"auto\"\n", bytes)
    let found = try quality(outcome)
    #expect((AutomaticQuality.lowest + 1..<100).contains(found))
    func similarity(_ quality: Int) throws -> Double {
      let made = try processed("format = \"\(format.rawValue)\"\nquality = \(quality)\n", bytes)
      return NaiveSimilarity.mean(
        NaiveSimilarity.luma(picture),
        NaiveSimilarity.luma(try made.picture()),
        width: picture.width,
        height: picture.height
      )
    }
    // libvips rounds no sample on the way; the margin is for its borders.
    #expect(try similarity(found) >= AutomaticQuality.enough - 0.0005)
    #expect(try similarity(found - 1) < AutomaticQuality.enough + 0.0005)
    #expect(
      try outcome.bytes()
        == processed("format = \"\(format.rawValue)\"\nquality = \(found)\n", bytes).bytes()
    )
  }

  @Test("an easy picture gets less than a hard one, and a flat one the least")
  func pictures() throws {
    func found(_ picture: NaivePicture) throws -> Int {
      try quality(processed("format = \"jpeg\"\nquality = \"auto\"\n", picture.encoded(.png)))
    }
    let flat = try found(NaivePicture(width: 64, height: 64, bands: 3) { _, _, _ in 90 })
    let easy = try found(.synthetic(128, 128))
    let hard = try found(photograph())
    #expect(flat == AutomaticQuality.lowest)
    #expect(easy < hard)
  }

  @Test("a large picture is judged by tiles of it; gray, transparent and deep ones, too")
  func tiles() throws {
    let large = photograph(1400, 700)
    let bytes = try large.encoded(.png)
    let options = "format = \"webp\"\nquality = \"auto\"\n"
    let found = try quality(processed(options, bytes))
    // The noise is the same everywhere, so a part of it is judged as the whole is.
    let part = NaivePicture(width: 360, height: 240, bands: 3) { x, y, band in large[x, y, band] }
    #expect(try abs(found - quality(processed(options, part.encoded(.png)))) <= 3)
    for bands in [1, 2, 4] {
      let picture = NaivePicture(width: 90, height: 70, bands: bands) { x, y, band in
        large[x, y, min(band, 2)]
      }
      let outcome = try processed(options, picture.encoded(.png, deep: bands == 1))
      #expect((AutomaticQuality.lowest...100).contains(try quality(outcome)))
    }
  }

  @Test("auto and max-bytes together: no more than is needed, and no more than fits")
  func both() throws {
    let bytes = try photograph().encoded(.png)
    let free = try processed("format = \"jpeg\"\nquality = \"auto\"\n", bytes)
    let limit = try free.bytes().count * 3 / 4
    let tight = try processed(
      "format = \"jpeg\"\nquality = \"auto\"\nmax-bytes = \(limit)\n",
      bytes
    )
    #expect(try tight.bytes().count <= limit)
    #expect(try quality(tight) < quality(free))
    let roomy = try processed(
      "format = \"jpeg\"\nquality = \"auto\"\nmax-bytes = \"1MB\"\n",
      bytes
    )
    #expect(try roomy.bytes() == free.bytes())
  }
}

/// Structural similarity, told slowly: the sums of the paper of 2004 written out.
private enum NaiveSimilarity {
  static func luma(_ picture: NaivePicture) -> [Double] {
    (0..<(picture.width * picture.height)).map { index in
      let at = index * picture.bands
      return 0.299 * picture.samples[at] + 0.587 * picture.samples[at + 1]
        + 0.114 * picture.samples[at + 2]
    }
  }

  static func mean(_ left: [Double], _ right: [Double], width: Int, height: Int) -> Double {
    let gauss = (-5...5).map { exponential(-Double($0 * $0) / 4.5) }
    let sum = gauss.reduce(0, +)
    var total = 0.0
    for y in 0..<height {
      for x in 0..<width {
        var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for j in -5...5 {
          for i in -5...5 {
            let weight = gauss[i + 5] * gauss[j + 5] / (sum * sum)
            let at = min(max(y + j, 0), height - 1) * width + min(max(x + i, 0), width - 1)
            let (l, r) = (left[at], right[at])
            a += weight * l
            b += weight * r
            aa += weight * l * l
            bb += weight * r * r
            ab += weight * l * r
          }
        }
        let above = (2 * a * b + 6.5025) * (2 * (ab - a * b) + 58.5225)
        let below = (a * a + b * b + 6.5025) * (aa - a * a + bb - b * b + 58.5225)
        total += above / below
      }
    }
    return total / Double(width * height)
  }

  /// e to the power of a small number, by its series.
  private static func exponential(_ power: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    for n in 1...60 {
      term *= power / Double(n)
      sum += term
    }
    return sum
  }
}
