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

  /// Field report 11: whatever color lies under transparent pixels, none of it comes out.
  @Test(
    arguments: [[0, 0, 0], [255, 255, 255], [0, 255, 0]] as [[UInt8]],
    ["", "linear = true"]
  )
  func transparentPixelsLendNoColor(outside: [UInt8], keys: String) throws {
    let disc = try Sample.disc([255, 0, 0], outside: outside, side: 80)
    let operation = try Trial.operation(ThumbnailPreview.self, "max-side = 20\n" + keys)
    let pixels = try Trial(operation, on: disc).image().pixels()
    var edges = 0
    for start in stride(from: 0, to: pixels.count, by: 4) where pixels[start + 3] > 8 {
      #expect(pixels[start] >= 254 && pixels[start + 1] <= 1 && pixels[start + 2] <= 1)
      if pixels[start + 3] < 250 { edges += 1 }
    }
    #expect(edges > 10)
  }

  @Test(arguments: [
    "sidecar = \"{stem}.jpg\"", "sidecar = \"{stem}.jpg\"\nuse-existing = \"embedded\"",
    "sidecar = \"small/{stem}.jpg\"\nuse-existing = \"sidecar\"",
    "sidecar = \"\"\nuse-existing = \"sidecar\"",
  ])
  func aSidecarIsAFileBesideThePictureAndAskedFor(toml: String) {
    let error = #expect(throws: Problems.self) { try Trial.operation(ThumbnailPreview.self, toml) }
    #expect(error?.all.map(\.code) == [.conflict])
  }

  @Test(arguments: [0, 255] as [UInt8])
  func aSharpThumbnailTakesNoColorFromTransparentPixels(hidden: UInt8) throws {
    let disc = try Sample.disc([200, 30, 10], outside: [hidden, hidden, hidden], side: 90)
    let operation = try Trial.operation(ThumbnailPreview.self, "max-side = 30\nsharpen = true")
    let pixels = try Trial(operation, on: disc).image().pixels()
    for start in stride(from: 0, to: pixels.count, by: 4) where pixels[start + 3] > 8 {
      #expect(abs(Int(pixels[start]) - 200) <= 3 && abs(Int(pixels[start + 1]) - 30) <= 3)
    }
  }
}
