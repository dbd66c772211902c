import MinilabHost
import MinilabKit
import ShapeMaskOperation
import TestSupport
import Testing
import Vips

/// Pictures wider than any canvas, and pictures that are asked for in pieces.
@Suite(.vips) struct LargePictureTests {
  @Test func aPictureWiderThanACanvasIsMaskedWhole() throws {
    let image = try Sample.flat([50, 60, 70], width: 40_000, height: 40)
    let made = try Pixels(masked("shape = \"ellipse\"\noutside = \"black\"", image))
    #expect(made.width == 40_000)
    for x in stride(from: 5, to: 40_000, by: 331) {
      let place = (Double(x) + 0.5) / 20_000 - 1
      let reach = 20 * (1 - place * place).squareRoot()
      let covered = (0..<40).reduce(0.0) { $0 + Double(made[x, $1][0]) } / 50
      #expect(abs(covered - 2 * reach) < 0.2, "\(x)")
    }
    // The middle row is whole but for the tips.
    #expect((100..<39_900).allSatisfy { made[$0, 20] == [50, 60, 70] })
  }

  /// The same picture whether rows stream, tiles are asked for, or one or four threads ask.
  @Test(arguments: ["", "feather = 4\n", "feather = 20\n", "stroke = \"red\"\nstroke-width = 7\n"])
  func pixelsDoNotDependOnTheWayTheyAreAskedFor(more: String) throws {
    let toml = "shape = \"star\"\nangle = 8\noutside = \"white\"\n" + more
    let image = try Sample.gradient(width: 700, height: 300)
    let operation = try Trial.operation(ShapeMask.self, toml)
    let trial = try Trial(operation, on: image)
    guard case .pixels(let work)? = trial.frame.stages.last else {
      Issue.record("pixel work was expected")
      return
    }
    defer { try? Host.start() }
    let wanted = try work.run(image).pixels()
    for threads in [1, 4] {
      try Host.start(Host.Settings(threads: threads))
      #expect(try work.run(image).pixels() == wanted)
      // Tiles, columns first.
      let turned = try work.run(image).rotate(quarterTurns: 1).rotate(quarterTurns: 3)
      #expect(try turned.pixels() == wanted)
      // A window alone.
      let window = try work.run(image).extractArea(left: 333, top: 77, width: 50, height: 31)
      let part = try window.pixels()
      for y in 0..<31 {
        let start = ((77 + y) * 700 + 333) * 3
        #expect(Array(part[(y * 150)..<(y * 150 + 150)]) == Array(wanted[start..<(start + 150)]))
      }
    }
  }
}
