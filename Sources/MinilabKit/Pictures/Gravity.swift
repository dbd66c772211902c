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
    (
      horizontal.start(of: box.width, on: canvas.width),
      vertical.start(of: box.height, on: canvas.height)
    )
  }

  /// A gravity along one axis.
  public enum End: Sendable {
    /// Left, or at the top.
    case near
    case middle
    /// Right, or at the bottom.
    case far

    fileprivate func start(of length: Int, on side: Int) -> Int {
      switch self {
      case .near: 0
      case .middle: (side - length) / 2
      case .far: side - length
      }
    }

    /// Where the middle of a length goes along a side, before anything is rounded.
    public func middle(of length: Double, on side: Double) -> Double {
      switch self {
      case .near: length / 2
      case .middle: side / 2
      case .far: side - length / 2
      }
    }
  }

  public var horizontal: End {
    switch self {
    case .west, .northWest, .southWest: .near
    case .center, .north, .south: .middle
    case .east, .northEast, .southEast: .far
    }
  }

  public var vertical: End {
    switch self {
    case .north, .northEast, .northWest: .near
    case .center, .east, .west: .middle
    case .south, .southEast, .southWest: .far
    }
  }
}
