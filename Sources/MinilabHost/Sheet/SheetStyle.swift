import MinilabKit

/// How a sheet looks: every measure in pixels, every color.
enum SheetStyle {
  // MARK: Page

  static let margin = 56
  /// Between figures.
  static let gap = 32
  /// Between rows of figures, from the lowest caption.
  static let rowGap = 44
  /// Above the heading of a part, beside that.
  static let sectionGap = 16
  /// The width of all columns together.
  static let contentWidth = 1504
  /// A sheet is no narrower than its heading needs.
  static let fewestColumns = 2

  // MARK: Pictures

  /// Of the ground around a picture.
  static let matPadding = 12
  /// Pictures are no higher; tall ones may be.
  static let pictureHeight = 340
  static let tallPictureHeight = 480
  static let tallestPictureHeight = 640
  /// Smaller pictures are enlarged, each pixel to a square of whole pixels.
  static let smallestSide = 160
  /// Of one field of the checkered ground.
  static let checkSide = 8
  static let lightCheck = Color(white: 255)
  static let darkCheck = Color(white: 217)

  // MARK: One step alone

  static let largeSide = 1600

  // MARK: Text

  static let titleSize = 30.0
  static let summarySize = 15.0
  static let headingSize = 21.0
  static let nameSize = 16.0
  static let textSize = 13.0
  static let settingsSize = 12.5
  static let settingsFont = "DejaVu Sans Mono"
  /// From a picture to its caption.
  static let captionGap = 14
  static let lineGap = 6
  static let badge = 24
}

/// What is drawn on a sheet's page, by its color.
enum SheetInk {
  case mat
  case rule
  case text
  case quiet
  case settings
  case note
  case error
  case badge
  case badgeText

  var color: Color {
    switch self {
    case .mat: Color(bytes: 0xea, 0xe8, 0xe3)
    case .rule: Color(bytes: 0xd6, 0xd3, 0xcc)
    case .text: Color(bytes: 0x1f, 0x1e, 0x1c)
    case .quiet: Color(bytes: 0x74, 0x70, 0x69)
    case .settings: Color(bytes: 0x3f, 0x4a, 0x56)
    case .note: Color(bytes: 0x8a, 0x56, 0x0a)
    case .error: Color(bytes: 0xb0, 0x24, 0x1c)
    case .badge: Color(bytes: 0x1f, 0x1e, 0x1c)
    case .badgeText: Color(white: 255)
    }
  }

  static let page = Color(bytes: 0xf7, 0xf6, 0xf3)
}

extension Color {
  fileprivate init(bytes red: Int, _ green: Int, _ blue: Int) {
    self.init(red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255)
  }

  fileprivate init(white level: Int) {
    self.init(bytes: level, level, level)
  }
}
