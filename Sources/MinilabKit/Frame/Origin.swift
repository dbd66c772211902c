/// What a frame comes from, as its header says.
public struct Origin: Sendable {
  public let format: PictureFormat
  /// As stored, before the orientation is applied.
  public let size: Size
  public let orientation: Orientation
  public let hasAlpha: Bool
  /// Lightness alone, without color.
  public let isGray: Bool
  /// Pages or frames of animation.
  public let pages: Int
  /// The file, for steps that look for its neighbors.
  public let path: Path
  /// The place of its picture among those of the unit: gathered ones first, then files that steps
  /// have asked for.
  public let picture: Int

  public init(
    format: PictureFormat,
    size: Size,
    orientation: Orientation = .up,
    hasAlpha: Bool = false,
    isGray: Bool = false,
    pages: Int = 1,
    path: Path = Path(""),
    picture: Int = 0
  ) {
    self.format = format
    self.size = size
    self.orientation = orientation
    self.hasAlpha = hasAlpha
    self.isGray = isGray
    self.pages = pages
    self.path = path
    self.picture = picture
  }
}
