/// Where something goes when there is room to spare.
public enum Gravity: String, CaseIterable, ParameterChoice {
  case center
  case north
  case northEast = "north-east"
  case east
  case southEast = "south-east"
  case south
  case southWest = "south-west"
  case west
  case northWest = "north-west"

  /// The top left corner of a box on a canvas that is at least as large.
  ///
  /// An odd pixel goes to the right and to the bottom.
  public func position(of box: Size, on canvas: Size) -> (x: Int, y: Int) {
    let roomX = canvas.width - box.width
    let roomY = canvas.height - box.height
    let x =
      switch self {
      case .west, .northWest, .southWest: 0
      case .center, .north, .south: roomX / 2
      case .east, .northEast, .southEast: roomX
      }
    let y =
      switch self {
      case .north, .northEast, .northWest: 0
      case .center, .east, .west: roomY / 2
      case .south, .southEast, .southWest: roomY
      }
    return (x, y)
  }
}
