import ComposeOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

/// The formulas of Compositing and Blending Level 1, written down once more, slowly, in straight
/// numbers from 0 to 1 and with no word of libvips.
private struct Standard {
  let mode: String

  /// The result's color, one channel, and its alpha; s is the layer, b what lies below.
  func mixed(
    _ cs: Double,
    _ alphaS: Double,
    on cb: Double,
    _ alphaB: Double
  ) -> (color: Double, alpha: Double) {
    let (premultiplied, alpha) = premultiplied(cs, alphaS, cb, alphaB)
    return (alpha > 0 ? premultiplied / alpha : 0, alpha)
  }

  private func premultiplied(
    _ cs: Double,
    _ alphaS: Double,
    _ cb: Double,
    _ alphaB: Double
  ) -> (Double, Double) {
    // Chapter 9.1: the fractions of the two that are kept.
    let fractions: [String: (Double, Double)] = [
      "clear": (0, 0), "source": (1, 0), "dest": (0, 1), "over": (1, 1 - alphaS),
      "dest-over": (1 - alphaB, 1), "in": (alphaB, 0), "dest-in": (0, alphaS),
      "out": (1 - alphaB, 0), "dest-out": (0, 1 - alphaS), "atop": (alphaB, 1 - alphaS),
      "dest-atop": (1 - alphaB, alphaS), "xor": (1 - alphaB, 1 - alphaS),
    ]
    if let (a, b) = fractions[mode] {
      return (alphaS * a * cs + alphaB * b * cb, alphaS * a + alphaB * b)
    }
    if mode == "add" {
      return (min(1, alphaS * cs + alphaB * cb), min(1, alphaS + alphaB))
    }
    if mode == "saturate" {
      return (min(alphaS, 1 - alphaB) * cs + alphaB * cb, min(1, alphaS + alphaB))
    }
    // Chapter 10: cs = (1 - αb) x Cs + αb x B(Cb, Cs), then source over.
    let blended = (1 - alphaB) * cs + alphaB * blend(cb, cs)
    return (
      alphaS * blended + (1 - alphaS) * alphaB * cb, alphaS + alphaB - alphaS * alphaB
    )
  }

  private func blend(_ cb: Double, _ cs: Double) -> Double {
    switch mode {
    case "multiply": return cb * cs
    case "screen": return 1 - (1 - cb) * (1 - cs)
    case "overlay": return hardLight(cs, cb)
    case "darken": return min(cb, cs)
    case "lighten": return max(cb, cs)
    case "color-dodge": return cb == 0 ? 0 : cs == 1 ? 1 : min(1, cb / (1 - cs))
    case "color-burn": return cb == 1 ? 1 : cs == 0 ? 0 : 1 - min(1, (1 - cb) / cs)
    case "hard-light": return hardLight(cb, cs)
    case "soft-light":
      if cs <= 0.5 { return cb - (1 - 2 * cs) * cb * (1 - cb) }
      let d = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
      return cb + (2 * cs - 1) * (d - cb)
    case "difference": return abs(cb - cs)
    case "exclusion": return cb + cs - 2 * cb * cs
    default: preconditionFailure("a mode of the standard")
    }
  }

  private func hardLight(_ cb: Double, _ cs: Double) -> Double {
    cs <= 0.5 ? cb * 2 * cs : 1 - (1 - cb) * (1 - (2 * cs - 1))
  }
}

@Suite("Blend modes", .vips) struct BlendTests {
  private static let all = BlendMode.allCases.map(\.rawValue)

  private static let folder = try? ScratchFolder()

  /// 8 × 8 pixels with every kind of alpha, and colors at the ends, in the middle and between.
  private func samples(_ bands: Int, _ seed: UInt32, _ maximum: Int) -> [Int] {
    var dice = Dice(seed)
    let ends = [0, 1, maximum / 4, maximum / 2, maximum / 2 + 1, maximum - 1, maximum]
    return (0..<(64 * bands)).map { index in
      let isAlpha = index % bands == bands - 1
      if isAlpha, dice.next(0...3) == 0 { return maximum }
      if dice.next(0...1) == 0 { return ends[dice.next(0...(ends.count - 1))] }
      return dice.next(0...maximum)
    }
  }

  private func picture(_ samples: [Int], _ bands: Int, isDeep: Bool) throws -> Image {
    try isDeep
      ? Image(pixels16: samples.map(UInt16.init), width: 8, height: 8, bands: bands)
      : Image(pixels: samples.map(UInt8.init), width: 8, height: 8, bands: bands)
  }

  @Test(arguments: all, [(2, false), (4, false), (2, true), (4, true)])
  func equalTheStandard(mode: String, kind: (bands: Int, isDeep: Bool)) throws {
    let (bands, isDeep) = kind
    let maximum = isDeep ? 65_535 : 255
    for seed in 0..<3 {
      let below = samples(bands, UInt32(seed), maximum)
      let layer = samples(bands, UInt32(seed + 100), maximum)
      let result = try composed(
        """
        [[layer]]
        source = "frame"
        [[layer]]
        source = "frame:2"
        blend = "\(mode)"
        """,
        [picture(below, bands, isDeep: isDeep), picture(layer, bands, isDeep: isDeep)]
      )
      #expect(result.bands == bands && (result.format == .ushort) == isDeep)
      let found = try isDeep ? result.pixels16().map(Int.init) : result.pixels().map(Int.init)
      for pixel in 0..<64 {
        let alphaAt = pixel * bands + bands - 1
        for band in 0..<(bands - 1) {
          let at = pixel * bands + band
          let (color, alpha) = Standard(mode: mode).mixed(
            Double(layer[at]) / Double(maximum),
            Double(layer[alphaAt]) / Double(maximum),
            on: Double(below[at]) / Double(maximum),
            Double(below[alphaAt]) / Double(maximum)
          )
          #expect(abs(Double(found[alphaAt]) - alpha * Double(maximum)) <= 1)
          // Where nothing is to be seen, the color is nobody's.
          if alpha * Double(maximum) >= 0.5 {
            #expect(abs(Double(found[at]) - color * Double(maximum)) <= 1)
          }
        }
      }
    }
  }

  @Test func areSpelledAsLibvipsDoes() throws {
    let step = try Trial.operation(
      Compose.self,
      "[[layer]]\nsource = \"frame\"\nblend = \"colour-burn\""
    )
    #expect(step.layers[0].blend == .colorBurn)
    #expect(throws: Problems.self) {
      try Trial.operation(Compose.self, "[[layer]]\nsource = \"frame\"\nblend = \"colour\"")
    }
  }

  /// A layer that only the formula of its mode knows outside its box is transparent there.
  @Test(arguments: ["clear", "source", "in", "out", "dest-in", "dest-atop"])
  func someReachBeyondTheBox(mode: String) throws {
    let below = try Sample.flat([10, 20, 30], width: 6, height: 6)
    let layer = try Sample.flat([200, 100, 50], width: 2, height: 2)
    let result = try Pixels(
      composed(
        "[[layer]]\nsource = \"frame\"\n[[layer]]\nsource = \"frame:2\"\nblend = \"\(mode)\"",
        [below, layer]
      )
    )
    #expect(result.bands == 4)
    for (x, y) in [(0, 0), (1, 2), (4, 2), (5, 5), (2, 1)] { #expect(result[x, y][3] == 0) }
  }

  @Test(
    arguments: all.filter {
      !["clear", "source", "in", "out", "dest-in", "dest-atop"].contains($0)
    }
  )
  func allOthersLeaveWhatIsOutsideTheBox(mode: String) throws {
    let below = try noise(6, 6)
    let result = try composed(
      """
      [[layer]]
      source = "frame"
      [[layer]]
      source = "frame:2"
      center = [3, 3]
      blend = "\(mode)"
      """,
      [below, Sample.flat([200, 100, 50], width: 2, height: 2)]
    )
    for (x, y) in [(0, 0), (1, 2), (4, 2), (5, 5), (2, 1)] {
      #expect(try Array(result.samples(x: x, y: y).prefix(3)) == below.samples(x: x, y: y))
    }
  }

  @Test(arguments: [0, 0.25, 0.5, 1])
  func opacityMultipliesTheAlpha(opacity: Double) throws {
    let below = try Sample.flat([0, 100, 200], width: 1, height: 1)
    let layer = try Sample.flat([200, 0, 100, 128], width: 1, height: 1)
    let result = try composed(
      """
      [[layer]]
      source = "frame"
      [[layer]]
      source = "frame:2"
      opacity = \(opacity)
      """,
      [below, layer]
    )
    let alpha = 128.0 / 255 * opacity
    let wanted = zip([200.0, 0, 100], [0.0, 100, 200]).map {
      UInt8(($0 * alpha + $1 * (1 - alpha)).rounded())
    }
    #expect(try result.pixels() == wanted)
  }

  /// A pile is mixed without rounding between its layers.
  @Test func fiftyThinLayersAddUp() throws {
    let layers = String(repeating: "[[layer]]\nsource = \"frame:2\"\nopacity = 0.01\n", count: 50)
    let result = try composed(
      "[[layer]]\nsource = \"frame\"\n" + layers,
      [Sample.flat([0], width: 1, height: 1), Sample.flat([255], width: 1, height: 1)]
    )
    var level = 0.0
    for _ in 0..<50 { level = level * 0.99 + 255 * 0.01 }
    #expect(try abs(Double(result.pixels()[0]) - level) <= 0.5001)
  }
}
