import MinilabKit
import TestSupport
import Testing

/// What only moves pixels, told from a geometry.
@Suite struct PixelMoveTests {
  private let stored = Size(width: 37, height: 22)

  @Test("turns and crops in any order are one move; each pixel comes from where the map says")
  func anyOrder() throws {
    var dice = Dice(3)
    for _ in 0..<300 {
      var geometry = Geometry(source: stored, orientation: dice.pick(Orientation.allCases))
      for _ in 0..<dice.next(0...4) {
        if dice.next(0...1) == 0 {
          geometry.turn(dice.pick(Orientation.allCases))
        } else {
          let x = dice.next(0...(geometry.size.width - 1))
          let y = dice.next(0...(geometry.size.height - 1))
          geometry.crop(
            to: PixelRectangle(
              x: x,
              y: y,
              width: dice.next(1...(geometry.size.width - x)),
              height: dice.next(1...(geometry.size.height - y))
            )
          )
        }
      }
      let move = try #require(geometry.move)
      #expect(move.size == geometry.size)
      // Of the first and the last pixel: by EXIF's words for where row 0 and column 0 are.
      for (x, y) in [(0, 0), (geometry.size.width - 1, geometry.size.height - 1)] {
        let (along, down) = move.orientation.swapsSides ? (y, x) : (x, y)
        let box = move.rectangle
        let column = move.mirrorsX ? box.x + box.width - 1 - along : box.x + along
        let row = move.mirrorsY ? box.y + box.height - 1 - down : box.y + down
        let point = geometry.map(x: Double(x) + 0.5, y: Double(y) + 0.5)
        #expect(point.x == Double(column) + 0.5 && point.y == Double(row) + 0.5)
      }
    }
  }

  @Test("what scales, turns by some degrees or shows more than there is moves no pixels")
  func others() {
    let whole = Geometry(source: stored)
    var scaled = whole
    scaled.resize(to: Size(width: 36, height: 22))
    var turned = whole
    turned.rotate(degrees: 1, background: .white)
    var padded = whole
    padded.view(
      through: .translation(x: -1, y: 0),
      size: Size(width: 39, height: 22),
      background: .white
    )
    var between = whole
    between.view(
      through: .translation(x: 0.5, y: 0),
      size: Size(width: 30, height: 22),
      background: nil
    )
    for geometry in [scaled, turned, padded, between] { #expect(geometry.move == nil) }
    #expect(whole.move == PixelMove(rectangle: PixelRectangle(stored), orientation: .up))
  }

  @Test("what hangs over is cut at the wanted left and top", arguments: Orientation.allCases)
  func overhang(_ orientation: Orientation) throws {
    let unit = Size(width: 16, height: 8)
    var dice = Dice(UInt32(orientation.rawValue))
    for _ in 0..<50 {
      let x = dice.next(0...15)
      let y = dice.next(0...15)
      let box = PixelRectangle(
        x: x,
        y: y,
        width: 64 + dice.next(0...20),
        height: 64 + dice.next(0...20)
      )
      let move = PixelMove(rectangle: box, orientation: orientation)
      let (left, top) = move.overhang(over: unit)
      // The least that brings the corner between units.
      var geometry = Geometry(source: Size(width: 200, height: 200))
      geometry.crop(to: box)
      geometry.turn(orientation)
      func isBetween(_ x: Int, _ y: Int) -> Bool {
        let point = geometry.map(x: Double(x), y: Double(y))
        return Int(point.x) % unit.width == 0 && Int(point.y) % unit.height == 0
      }
      let found = (0..<256).map { (x: $0 % 16, y: $0 / 16) }.filter { isBetween($0.x, $0.y) }
        .min { ($0.x + $0.y) < ($1.x + $1.y) }
      let least = try #require(found)
      #expect(least == (x: left, y: top))
    }
  }
}
