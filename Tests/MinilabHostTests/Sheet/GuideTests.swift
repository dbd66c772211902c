import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Guides on a sheet", .vips)
struct GuideTests {
  private let size = Size(width: 300, height: 200)
  /// Twice the size at which it is shown.
  private let frame = Size(width: 600, height: 400)
  private let crop = PixelRectangle(x: 60, y: 40, width: 300, height: 200)

  private func drawn(_ guides: [Guide], on picture: NaivePicture) throws -> NaivePicture {
    let lines = GuideLines(guides, of: frame, shownAs: size)
    return try NaivePicture(GuideDrawing(lines: lines).drawn(on: picture.image()))
  }

  private func flat(_ level: Double) -> NaivePicture {
    NaivePicture(width: size.width, height: size.height, bands: 3) { _, _, _ in level }
  }

  /// The places whose first sample fulfills a condition.
  private func places(
    _ picture: NaivePicture,
    where isWanted: (Double) -> Bool
  ) -> [(x: Int, y: Int)] {
    (0..<picture.height).flatMap { y in
      (0..<picture.width).filter { isWanted(picture[$0, y, 0]) }.map { (x: $0, y: y) }
    }
  }

  @Test("what a crop leaves out is black at 0.3, and what it keeps is as it was")
  func dimming() throws {
    let picture = NaivePicture.synthetic(300, 200)
    let result = try drawn([.crop(crop)], on: picture)
    // Shown: 30…180 by 20…120, with the thirds at 80 and 130, 53 and 87.
    for y in 0..<200 {
      for x in 0..<300 {
        let isOutside = x < 28 || x > 181 || y < 18 || y > 121
        let isInside =
          (36...174).contains(x) && (26...114).contains(y)
          && ![80, 130].contains { abs($0 - x) < 3 } && ![53, 87].contains { abs($0 - y) < 3 }
        for band in 0..<3 {
          let before = picture[x, y, band].rounded()
          if isOutside { #expect(abs(result[x, y, band] - before * 0.7) <= 1, "\(x), \(y)") }
          if isInside { #expect(result[x, y, band] == before, "\(x), \(y)") }
        }
      }
    }
  }

  @Test("the frame of a crop ends where the crop does")
  func frameCorners() throws {
    let white = places(try drawn([.crop(crop)], on: flat(0))) { $0 > 128 }
    #expect(white.map(\.x).min() == 30)
    #expect(white.map(\.x).max() == 179)
    #expect(white.map(\.y).min() == 20)
    #expect(white.map(\.y).max() == 119)
    for (x, y) in [(30, 20), (179, 20), (179, 119), (30, 119)] {
      #expect(white.contains { $0 == (x, y) })
    }
  }

  @Test("brackets stand at the corners and handles on the edges, wider than the frame's line")
  func grips() throws {
    let result = try drawn([.crop(crop)], on: flat(0))
    func isWhite(_ x: Int, _ y: Int) -> Bool { result[x, y, 0] > 250 }
    // Four pixels inside each edge: near a corner, at the middle, and between them, where the line
    // is two wide.
    for x in [33, 105, 176] { #expect(isWhite(x, 23) && isWhite(x, 116)) }
    for y in [23, 70, 116] { #expect(isWhite(33, y) && isWhite(176, y)) }
    #expect(!isWhite(70, 23) && isWhite(70, 21))
    #expect(!isWhite(33, 45) && isWhite(31, 45))
    // Lines at a third and two thirds.
    for x in [80, 130] { #expect(result[x, 40, 0] > 150) }
    for y in [53, 86] { #expect(result[60, y, 0] > 150) }
  }

  @Test("on white, a dark edge lies beside every line")
  func edges() throws {
    let result = try drawn([.crop(crop)], on: flat(255))
    // From outside to inside across the left edge, the first third, and the bottom.
    #expect(result[29, 45, 0] < 120)
    #expect(result[30, 45, 0] > 250)
    #expect(result[32, 45, 0] < 160)
    #expect(result[79, 40, 0] < 200 || result[81, 40, 0] < 200)
    #expect(result[70, 120, 0] < 120)
  }

  @Test("a turned frame has its corners where arithmetic says", arguments: [14.0, -31, 45, 88])
  func turned(degrees: Double) throws {
    // About the middle of the frame.
    let turn = AffineMap.rotation(degrees: degrees)
    let corners = [(-120.0, -80.0), (120, -80), (120, 80), (-120, 80)].map { x, y in
      let (turnedX, turnedY) = turn(x: x, y: y)
      return Point(x: 300 + turnedX, y: 200 + turnedY)
    }
    let result = try drawn([.frame(corners)], on: flat(0))
    let white = places(result) { $0 > 100 }
    for corner in corners {
      // A pixel's middle lies half a pixel into it.
      let distance = white.map { place in
        let (x, y) = (Double(place.x) + 0.5 - corner.x / 2, Double(place.y) + 0.5 - corner.y / 2)
        return (x * x + y * y).squareRoot()
      }
      #expect((distance.min() ?? .infinity) <= 1.5)
    }
    for place in white {
      let back = turn.inverse(
        x: (Double(place.x) + 0.5) * 2 - 300,
        y: (Double(place.y) + 0.5) * 2 - 200
      )
      // In pixels of the sheet.
      #expect(abs(back.x) / 2 <= 61 && abs(back.y) / 2 <= 41)
    }
  }

  @Test("outside a turned frame the picture is dimmed, inside it is not")
  func turnedDimming() throws {
    let corners = [(300.0, 100.0), (400, 200), (300, 300), (200, 200)].map { Point(x: $0, y: $1) }
    let result = try drawn([.frame(corners)], on: flat(200))
    #expect(abs(result[105, 55, 0] - 140) <= 1)
    #expect(abs(result[5, 195, 0] - 140) <= 1)
    #expect(result[150, 100, 0] == 200)
  }

  @Test("a frame that sticks out is drawn as far as it can be seen")
  func sticksOut() throws {
    let corners = [(-100.0, -50.0), (300, -50), (300, 200), (-100, 200)].map {
      Point(x: $0, y: $1)
    }
    let result = try drawn([.frame(corners)], on: flat(200))
    #expect(result[10, 10, 0] == 200)
    #expect(abs(result[200, 150, 0] - 140) <= 1)
  }

  @Test("layers' boxes are drawn with their names, and nothing is dimmed")
  func boxes() throws {
    func box(_ x: Double, _ y: Double, _ side: Double, _ label: String) -> Guide.Box {
      .init(
        corners: [(x, y), (x + side, y), (x + side, y + side), (x, y + side)].map {
          Point(x: $0, y: $1)
        },
        label: label
      )
    }
    let named = try drawn([.boxes([box(100, 80, 240, "logo")])], on: flat(90))
    let bare = try drawn([.boxes([box(100, 80, 240, "")])], on: flat(90))
    let white = places(bare) { $0 > 200 }
    #expect(white.map(\.x).min() == 50 && white.map(\.x).max() == 169)
    #expect(white.map(\.y).min() == 40 && white.map(\.y).max() == 159)
    #expect(bare[10, 10, 0] == 90 && bare[110, 100, 0] == 90)
    let label = places(named) { $0 > 200 }.count - white.count
    #expect(label > 20)
    // No room for a name.
    let small = box(100, 80, 30, "a name that is longer than its box")
    let cramped = try drawn([.boxes([small])], on: flat(90))
    let plain = try drawn([.boxes([box(100, 80, 30, "")])], on: flat(90))
    #expect(cramped.greatestDifference(from: plain) == 0)
  }

  @Test("a mask's edge is drawn where it lies")
  func outline() throws {
    let ellipse = Outline.ellipse(Box(left: 100, top: 60, right: 500, bottom: 340))
    let result = try drawn([.outline(ellipse)], on: flat(60))
    let white = places(result) { $0 > 150 }
    #expect(!white.isEmpty)
    for place in white {
      let x = (Double(place.x) + 0.5 - 150) / 100
      let y = (Double(place.y) + 0.5 - 100) / 70
      #expect(abs((x * x + y * y).squareRoot() - 1) < 0.03)
    }
    #expect(result[150, 100, 0] == 60 && result[5, 5, 0] == 60)
  }

  @Test("a crop of a pixel or two has a frame and no more")
  func tiny() throws {
    let one = PixelRectangle(x: 300, y: 200, width: 2, height: 2)
    let result = try drawn([.crop(one)], on: flat(0))
    let white = places(result) { $0 > 60 }
    #expect(!white.isEmpty)
    #expect(white.allSatisfy { abs($0.x - 150) <= 2 && abs($0.y - 100) <= 2 })
  }
}
