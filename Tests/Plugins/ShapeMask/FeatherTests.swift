import Glibc
import MinilabHost
import MinilabKit
import ShapeMaskOperation
import TestSupport
import Testing
import Vips

/// Soft edges against the integral of a Gaussian.
@Suite(.vips) struct FeatherTests {
  /// What is left at a distance inside a straight edge.
  private func level(at distance: Double, sigma: Double) -> Double {
    127.5 * (1 + erf(distance / (sigma * 2.0.squareRoot())))
  }

  /// The alpha along a row through a straight upright edge at x = 100.3.
  private func row(_ sigma: Double, width: Int = 200) throws -> [Int] {
    let image = try Sample.flat([9, 9, 9], width: width, height: 3)
    // So high that only the right edge counts.
    let toml =
      "shape = \"rectangle\"\nwidth = 100000\nheight = 100000\n"
      + "center = [\(100.3 - 50_000), 1]\nfeather = \(sigma)"
    let made = try Pixels(masked(toml, image))
    return (0..<width).map { made[$0, 1][3] }
  }

  @Test(arguments: [1.0, 2.5, 7.9, 8, 12, 16, 25, 60])
  func aStraightEdgeIsTheIntegralOfAGaussian(sigma: Double) throws {
    // A pixel is an average over its square: its variance is 1/12.
    let whole = (sigma * sigma + 1.0 / 12).squareRoot()
    // A narrow Gaussian is not the same at whole pixels as between them.
    let tolerance = sigma < 2 ? 2.5 : 1
    for (x, alpha) in try row(sigma).enumerated() {
      let wanted = level(at: 100.3 - (Double(x) + 0.5), sigma: whole)
      #expect(abs(Double(alpha) - wanted) <= tolerance, "\(sigma) at \(x): \(alpha) for \(wanted)")
    }
  }

  @Test(arguments: [1.0, 5, 20])
  func farAwayIsAllOrNothing(sigma: Double) throws {
    let width = Int(200 + 5 * sigma)
    let row = try row(sigma, width: width)
    for x in 0..<width where abs(Double(x) - 100.3) > 4.5 * sigma {
      #expect(row[x] == (x < 100 ? 255 : 0), "\(x)")
    }
  }

  @Test func aPictureFilledByTheShapeFadesAtItsEdges() throws {
    let image = try Sample.flat([9, 9, 9], width: 60, height: 60)
    let made = try Pixels(masked("shape = \"rectangle\"\nfeather = 4", image))
    #expect(abs(Double(made[0, 30][3]) - level(at: 0.5, sigma: 4)) < 2)
    #expect(made[30, 30][3] == 255)
    let corner = level(at: 0.5, sigma: 4) / 255
    #expect(abs(Double(made[0, 0][3]) - corner * corner * 255) < 2)
  }

  @Test(arguments: [3.0, 30])
  func aTrimmedPictureHasTheSamePixels(sigma: Double) throws {
    let image = try Sample.gradient(width: 160, height: 120)
    let toml = "shape = \"star\"\nwidth = 90\ncenter = [70.5, 61]\nangle = 12\nfeather = \(sigma)"
    let whole = try Pixels(masked(toml, image))
    let trial = try Trial(Trial.operation(ShapeMask.self, toml + "\ntrim = true"), on: image)
    let cut = try Pixels(trial.image())
    // Where the box lies: its outline's, rounded outwards.
    guard case .outline(let outline)? = trial.frame.guides.first,
      let box = outline.bounds?.pixels
    else {
      Issue.record("an outline was expected")
      return
    }
    var worst = 0
    for y in 0..<box.height {
      for x in 0..<box.width {
        let pair = zip(cut[x, y], whole[x + box.x, y + box.y])
        worst = max(worst, pair.map { abs($0 - $1) }.max() ?? 0)
      }
    }
    #expect(worst == 0)
  }

  @Test func theSoftestEdgeIsDone() throws {
    let image = try Sample.flat([9, 9, 9], width: 100, height: 80)
    let made = try Pixels(masked("shape = \"ellipse\"\nfeather = 1000", image))
    // Next to nothing of a disc that is spread over thousands of pixels.
    #expect(made.samples.enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element <= 1 })
  }
}
