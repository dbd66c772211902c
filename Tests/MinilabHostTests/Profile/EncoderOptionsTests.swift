import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Options of encoders in an output")
struct EncoderOptionsTests {
  private func load(_ lines: String) throws -> Result<Output, Problems> {
    let folder = try ScratchFolder()
    let file = try folder.write("profile = 1\n[[output]]\n" + lines, to: "a.toml")
    let profile: Profile
    do throws(Problems) {
      profile = try ProfileLoader.load(
        file,
        operations: sampleOperations,
        finder: ProfileFinder(folders: [])
      )
    } catch {
      return .failure(error)
    }
    return .success(try #require(profile.outputs.first))
  }

  private func problem(_ lines: String) throws -> String? {
    switch try load(lines) {
    case .success: nil
    case .failure(let problems):
      problems.all.map {
        "\($0.place.line):\($0.place.column): expected \($0.expected), found \($0.received)"
      }
      .joined(separator: "\n")
    }
  }

  @Test("an option of another format is refused and says whose it is")
  func foreign() throws {
    #expect(
      try problem("format = 'jpeg'\nlossless = true\n")
        == "4:1: expected an option of JPEG (quality, progressive, subsampling, optimize, trellis, deringing, "
        + "optimize-scans, quant-table), "
        + "found \"lossless\", which AVIF, HEIF, JPEG XL and WebP have"
    )
    #expect(
      try problem("format = 'png'\nnear-lossless = true\n")
        == "4:1: expected an option of PNG (effort, progressive, filter, bit-depth, palette, palette-quality, "
        + "palette-effort, dither), found \"near-lossless\", which WebP has"
    )
  }

  @Test("a misspelt option is told beside a format that is wrong; one that some format has is not")
  func besideWrongFormat() throws {
    for format in ["'jpg'", "3"] {
      let lines = try problem("format = \(format)\nqualty = 80\nlossless = true\n")?
        .split(separator: "\n")
      try #require(lines?.count == 2)
      #expect(lines?.first?.hasPrefix("3:10: ") == true)
      #expect(
        lines?.last == "4:1: expected a known key (did you mean \"quality\"?), found \"qualty\""
      )
    }
  }

  @Test("a misspelt option is answered with the nearest of its format")
  func misspelt() throws {
    #expect(
      try problem("format = 'jpeg'\nprogresive = true\n")
        == "4:1: expected a known key (did you mean \"progressive\"?), found \"progresive\""
    )
    #expect(
      try problem("qualty = 3\n")
        == "3:1: expected a known key (did you mean \"quality\"?), found \"qualty\""
    )
  }

  @Test("a format that is wrong is the only error, whatever its options")
  func unknownFormat() throws {
    let text = try #require(try problem("format = 'jpg'\nquality = 80\n"))
    #expect(text.hasSuffix("(did you mean \"jpeg\"?), found \"jpg\""))
    #expect(!text.contains("\n"))
  }

  @Test("without a format an option goes to every encoder that has it")
  func shared() throws {
    let output = try load("quality = 33\neffort = 3\n").get()
    #expect(output.namesEncoderOption)
    #expect((output.encoders[.jpeg] as? JPEGEncoder)?.quality == 33)
    #expect((output.encoders[.avif] as? AVIFEncoder)?.quality == 33)
    #expect((output.encoders[.webp] as? WebPEncoder)?.effort == 3)
    #expect((output.encoders[.png] as? PNGEncoder)?.effort == 3)
  }

  @Test("without a format a value must be right for every encoder that has the option")
  func strictest() throws {
    #expect(try problem("effort = 9\n") == "3:10: expected 0 to 6 for WebP, found 9")
    #expect(
      try problem("quality = 'x'\n")
        == "3:11: expected a whole number or \"auto\" for AVIF, HEIF, JPEG, JPEG XL, TIFF and WebP, "
        + "found \"x\""
    )
  }

  @Test("without a format, quality leaves a lossless TIFF lossless")
  func tiff() throws {
    let output = try load("quality = 33\n").get()
    #expect((output.encoders[.tiff] as? TIFFEncoder)?.compression == .deflate)
    #expect(
      try problem("format = 'tiff'\nquality = 33\n")
        == "4:1: expected compression = \"jpeg\" where quality is given, "
        + "found compression = \"deflate\""
    )
  }
}
