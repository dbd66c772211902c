/// What shows beyond the edges that a frame once had, where a later view reaches beyond them.
///
/// The frame's own pixels beyond those edges, which an earlier crop has cut away, stay hidden.
public struct Backdrop: Sendable, Equatable {
  /// From points of the wanted picture to points of the rectangle that is seen.
  public internal(set) var map: AffineMap
  /// The rectangle that is seen: from the origin to here.
  public let seen: Size
  /// What is around it.
  public let color: Color

  /// What is nearer to an edge than this lies on it: maps are numbers that were rounded.
  private static let tolerance = 1e-6

  /// Nothing of it shows in a picture of that size.
  func isHidden(in size: Size) -> Bool {
    size.corners.allSatisfy { corner in
      let point = map(corner)
      return point.x >= -Self.tolerance && point.x <= Double(seen.width) + Self.tolerance
        && point.y >= -Self.tolerance && point.y <= Double(seen.height) + Self.tolerance
    }
  }
}
