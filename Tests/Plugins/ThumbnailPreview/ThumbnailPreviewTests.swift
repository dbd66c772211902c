import MinilabHost
import MinilabKit
import TestSupport
import Testing
import ThumbnailPreviewOperation
import Vips

@Suite(.vips) struct ThumbnailPreviewTests {
  private func trial(_ toml: String, _ width: Int, _ height: Int) throws -> Trial {
    try Trial(
      Trial.operation(ThumbnailPreview.self, toml),
      on: Sample.gradient(width: width, height: height)
    )
  }

  /// Field report 7: very thin pictures.
  @Test(arguments: [
    (2048, 1536, 1024, 1024, 768), (1000, 2001, 1024, 512, 1024), (3000, 1, 1024, 1024, 1),
    (3000, 1, 100, 100, 1), (1, 5000, 1024, 1, 1024), (1, 5000, 100, 1, 100),
    (1025, 1024, 1024, 1024, 1023),
  ])
  func theLimitingSideIsExact(
    width: Int,
    height: Int,
    limit: Int,
    wantedWidth: Int,
    wantedHeight: Int
  ) throws {
    let trial = try trial("max-side = \(limit)", width, height)
    #expect(trial.frame.size == Size(width: wantedWidth, height: wantedHeight))
    let image = try trial.image()
    #expect(image.width == wantedWidth && image.height == wantedHeight)
  }

  @Test func theDefaultIs1024() throws {
    #expect(try trial("", 1030, 10).frame.size.width == 1024)
  }

  @Test func withinTheLimitNothingIsEnlarged() throws {
    let trial = try trial("", 1024, 700)
    #expect(trial.frame.size == Size(width: 1024, height: 700))
    #expect(trial.frame.notes.map(\.code) == [.withinLimit])
    #expect(!trial.frame.isTouched && !trial.frame.isSkipped)
  }

  @Test func withinTheLimitTheOutputCanBeLeftOut() throws {
    #expect(try trial("within-limit = \"skip\"", 1024, 700).frame.isSkipped)
    #expect(try !trial("within-limit = \"skip\"", 1025, 700).frame.isSkipped)
  }

  /// Black and white stripes of one pixel average to half the light, which is level 188 of sRGB,
  /// and to half the level, which is 127 or 128.
  @Test func linearLightAveragesLight() throws {
    let width = 64
    let pixels = (0..<(width * width)).flatMap { index -> [UInt8] in
      index % 2 == 0 ? [0, 0, 0] : [255, 255, 255]
    }
    let stripes = try Image(pixels: pixels, width: width, height: width, bands: 3)
    func middle(_ toml: String) throws -> Int {
      let operation = try Trial.operation(ThumbnailPreview.self, toml)
      return Int(try Trial(operation, on: stripes).image().samples(x: 8, y: 8)[0])
    }
    #expect(abs(try middle("max-side = 16") - 128) <= 1)
    #expect(abs(try middle("max-side = 16\nlinear = true") - 188) <= 2)
  }

  @Test func sharpenSteepensAnEdge() throws {
    let width = 64
    let pixels = (0..<(width * width)).flatMap { index -> [UInt8] in
      index % width < 32 ? [90, 90, 90] : [160, 160, 160]
    }
    let edge = try Image(pixels: pixels, width: width, height: width, bands: 3)
    func row(_ toml: String) throws -> [UInt8] {
      let operation = try Trial.operation(ThumbnailPreview.self, toml)
      return try Trial(operation, on: edge).image().extractBands(0, count: 1).pixels()
    }
    let plain = try row("max-side = 32")
    let sharp = try row("max-side = 32\nsharpen = true")
    func steepness(_ row: [UInt8]) -> Int {
      zip(row, row.dropFirst()).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
    #expect(steepness(sharp) > steepness(plain))
  }
}
