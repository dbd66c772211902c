import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Lossless WebP stays lossless", .vips)
struct WebPCodingTests {
  private static let blur = "[[step]]\nop = \"blur\"\n"
  private static let lossless = [Argument("lossless", .bool(true))]

  /// The names of the chunks that hold pixels, as they stand in the bytes.
  private func codings(_ bytes: [UInt8]) -> Set<String> {
    Set(
      ["VP8 ", "VP8L"].filter { name in
        bytes.indices.contains { bytes[$0...].starts(with: Array(name.utf8)) }
      }
    )
  }

  private func made(_ output: String, _ bytes: [UInt8], _ name: String = "a.webp") throws -> [UInt8]
  {
    try Workbench(Self.blur + "[[output]]\n" + output).process(bytes, named: name).bytes()
  }

  @Test("where its pixels change and no option of the encoder is set")
  func kept() throws {
    let picture = NaivePicture.synthetic(40, 30)
    let bytes = try picture.encoded(.webp, Self.lossless)
    let kept = try made("", bytes)
    #expect(codings(kept) == ["VP8L"])
    let exact = try made("format = \"png\"\n", bytes)
    #expect(try NaivePicture(stored(kept, .webp)) == NaivePicture(stored(exact, .png)))
    #expect(codings(try made("format = \"webp\"\n", bytes)) == ["VP8L"])
  }

  @Test("and becomes lossy where an option asks for it; what was lossy, or no WebP, is lossy")
  func lossy() throws {
    let picture = NaivePicture.synthetic(40, 30)
    let bytes = try picture.encoded(.webp, Self.lossless)
    for option in ["quality = 80\n", "lossless = false\n", "max-bytes = \"1MB\"\n"] {
      #expect(codings(try made(option, bytes)) == ["VP8 "], "\(option)")
    }
    #expect(codings(try made("", picture.encoded(.webp))) == ["VP8 "])
    let png = try picture.encoded(.png)
    #expect(codings(try made("format = \"webp\"\n", png, "a.png")) == ["VP8 "])
  }

  @Test("with transparency, and as a film")
  func film() throws {
    let clear = NaivePicture(width: 40, height: 30, bands: 4) { x, y, band in
      Double(band == 3 ? x * 6 : (x * 5 + y * 3) % 256)
    }
    #expect(codings(try made("", clear.encoded(.webp, Self.lossless))) == ["VP8L"])
    let film = HandmadeGIF.moving(Size(width: 40, height: 30), delays: [2, 3])
    let all = AllFramesTests.all
    let source = try Workbench(all + "[[output]]\nformat = \"webp\"\nlossless = true\n")
      .process(film.bytes, named: "a.gif").bytes()
    #expect(codings(source) == ["VP8L"])
    let made = try Workbench(all + Self.blur + "[[output]]\n").process(source, named: "a.webp")
      .bytes()
    #expect(codings(made) == ["VP8L"])
  }

  @Test("which is told before it is made")
  func told() throws {
    func isLossless(_ arguments: [Argument]) throws -> Bool? {
      let bench = try Workbench(Self.blur + "[[output]]\n")
      bench.processor.explains = true
      let bytes = try NaivePicture.synthetic(40, 30).encoded(.webp, arguments)
      let told = try bench.probe(bench.folder.write(bytes, to: "in/a.webp"))
      let step = try #require(told.account?.outputs.first?.steps.last)
      #expect((step.quality == nil) == (step.isLossless == true))
      return step.isLossless
    }
    #expect(try isLossless(Self.lossless) == true)
    #expect(try isLossless([]) == false)
  }
}
