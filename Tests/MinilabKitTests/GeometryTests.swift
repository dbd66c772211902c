import MinilabKit
import Testing

@Suite struct GeometryTests {
  private let stored = Size(width: 7, height: 4)

  @Test(arguments: Orientation.allCases)
  func theCornersOfAnUprightPictureAreCornersOfTheStoredOne(orientation: Orientation) {
    let geometry = Geometry(source: stored, orientation: orientation)
    let size = geometry.size
    #expect(size == (orientation.swapsSides ? Size(width: 4, height: 7) : stored))
    var corners: Set<[Double]> = []
    for (x, y) in [(0, 0), (size.width, 0), (0, size.height), (size.width, size.height)] {
      let point = geometry.map(x: Double(x), y: Double(y))
      corners.insert([point.x, point.y])
    }
    #expect(corners == [[0, 0], [7, 0], [0, 4], [7, 4]])
  }

  @Test(arguments: Orientation.allCases)
  func turningBackIsIdentity(orientation: Orientation) {
    var geometry = Geometry(source: stored)
    geometry.turn(orientation)
    geometry.turn(orientation.inverse)
    #expect(geometry.size == stored)
    #expect(geometry.map == .identity)
  }

  @Test func cropsAddUp() {
    var geometry = Geometry(source: Size(width: 100, height: 80))
    geometry.crop(to: PixelRectangle(x: 10, y: 20, width: 50, height: 40))
    geometry.crop(to: PixelRectangle(x: 5, y: 6, width: 20, height: 10))
    #expect(geometry.size == Size(width: 20, height: 10))
    let point = geometry.map(x: 1, y: 2)
    #expect(point.x == 16 && point.y == 28)
  }

  @Test func resizingStretchesEdgeToEdge() {
    var geometry = Geometry(source: Size(width: 101, height: 67))
    geometry.resize(to: Size(width: 30, height: 20))
    let end = geometry.map(x: 30, y: 20)
    #expect(abs(end.x - 101) < 1e-12 && abs(end.y - 67) < 1e-12)
    #expect(abs(geometry.map.stretch.x - 101.0 / 30) < 1e-12)
  }

  @Test func aRotationKeepsTheCenter() {
    var geometry = Geometry(source: Size(width: 200, height: 100))
    geometry.rotate(degrees: 33, background: .black)
    let middle = geometry.map(
      x: Double(geometry.size.width) / 2,
      y: Double(geometry.size.height) / 2
    )
    #expect(abs(middle.x - 100) < 1e-9 && abs(middle.y - 50) < 1e-9)
    #expect(!geometry.map.isAxisAligned)
  }

  @Test func aMapAndItsInverseAreIdentity() {
    let map = AffineMap(xx: 1.5, xy: -0.25, x0: 3, yx: 0.75, yy: 2, y0: -7)
    let both = map.then(map.inverse)
    #expect(abs(both.xx - 1) < 1e-12 && abs(both.yy - 1) < 1e-12)
    #expect(abs(both.xy) < 1e-12 && abs(both.x0) < 1e-12 && abs(both.y0) < 1e-12)
  }

  @Test func rectanglesMeetOrDoNot() {
    let one = PixelRectangle(x: 0, y: 0, width: 10, height: 10)
    #expect(
      one.intersection(PixelRectangle(x: 5, y: -5, width: 10, height: 10))
        == PixelRectangle(x: 5, y: 0, width: 5, height: 5)
    )
    #expect(one.intersection(PixelRectangle(x: 10, y: 0, width: 5, height: 5)).isEmpty)
    #expect(one.contains(PixelRectangle(x: 9, y: 9, width: 1, height: 1)))
    #expect(!one.contains(PixelRectangle(x: 9, y: 9, width: 2, height: 1)))
  }
}
