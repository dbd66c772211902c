/// How a picture fills a box of another aspect.
public enum Fit: String, CaseIterable, ParameterChoice {
  /// All of it, inside the box.
  case contain
  /// The whole box; what sticks out is cut.
  case cover
  /// Edge to edge, in another aspect.
  case stretch

  /// The factors by which a picture is scaled, where these would fill the box along each axis.
  public func factors(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    switch self {
    case .contain: (min(x, y), min(x, y))
    case .cover: (max(x, y), max(x, y))
    case .stretch: (x, y)
    }
  }
}
