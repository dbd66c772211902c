internal import Glibc

extension TestPattern {
  /// What a picture of the pattern says of itself.
  public struct Reading: Sendable, Equatable {
    public var number: Int
    /// The EXIF orientation, 1 to 8, that says how to make the picture upright.
    public var orientation: Int

    public init(number: Int, orientation: Int) {
      self.number = number
      self.orientation = orientation
    }
  }

  /// The number of the frame that an upright picture shows; nil where its cells cannot be read.
  ///
  /// The picture may have another size than the frame had, as long as it shows all of it and its cells have a pixel each:
  /// a frame of 64 × 64 can be reduced to a quarter. It may have any number of bands; beyond three they are ignored.
  public static func frameNumber(in picture: Bitmap) -> Int? {
    number(in: picture, orientation: 1)
  }

  /// The number of the frame, and how the picture lies; nil where its cells cannot be read.
  public static func reading(of picture: Bitmap) -> Reading? {
    for orientation in 1...8 {
      if let number = number(in: picture, orientation: orientation) {
        return Reading(number: number, orientation: orientation)
      }
    }
    return nil
  }

  private static func number(in picture: Bitmap, orientation: Int) -> Int? {
    var levels: [Double] = []
    for row in 0..<FrameCode.rows {
      for column in 0..<FrameCode.columns {
        let x = (Double(column) + 0.5) / Double(FrameCode.columns)
        let y = FrameCode.top + (Double(row) + 0.5) * FrameCode.rowHeight
        levels.append(
          level(
            of: picture,
            aboutX: x,
            y: y,
            halfWidth: 0.25 / Double(FrameCode.columns),
            halfHeight: 0.25 * FrameCode.rowHeight,
            orientation
          )
        )
      }
    }
    guard let darkest = levels.min(), let brightest = levels.max(), brightest - darkest > 64 else {
      return nil
    }
    let middle = (darkest + brightest) / 2
    return FrameCode.number(of: levels.map { $0 > middle })
  }

  /// The mean of the middle of a cell; places are fractions of the upright picture.
  private static func level(
    of picture: Bitmap,
    aboutX x: Double,
    y: Double,
    halfWidth: Double,
    halfHeight: Double,
    _ orientation: Int
  ) -> Double {
    let (x, y) = stored(x, y, orientation)
    let (halfWidth, halfHeight) =
      orientation > 4 ? (halfHeight, halfWidth) : (halfWidth, halfHeight)
    let columns = pixels(x, halfWidth, picture.width)
    let rows = pixels(y, halfHeight, picture.height)
    let bands = picture.bands < 3 ? 1 : 3
    var sum = 0
    for row in rows {
      for column in columns {
        let start = (row * picture.width + column) * picture.bands
        for band in 0..<bands { sum += Int(picture.samples[start + band]) }
      }
    }
    return Double(sum) / Double(rows.count * columns.count * bands)
  }

  /// The pixels whose middles lie within the distance, or the one in which the place is.
  private static func pixels(_ place: Double, _ distance: Double, _ count: Int) -> ClosedRange<Int>
  {
    let first = Int(((place - distance) * Double(count) + 0.5).rounded(.down))
    let last = Int(((place + distance) * Double(count) - 0.5).rounded(.down))
    if first <= last { return max(0, first)...min(count - 1, last) }
    let only = min(count - 1, Int(place * Double(count)))
    return only...only
  }

  /// Where a place of the upright picture lies in the picture as it is stored.
  private static func stored(_ x: Double, _ y: Double, _ orientation: Int) -> (Double, Double) {
    switch orientation {
    case 2: (1 - x, y)
    case 3: (1 - x, 1 - y)
    case 4: (x, 1 - y)
    case 5: (y, x)
    case 6: (y, 1 - x)
    case 7: (1 - y, 1 - x)
    case 8: (1 - y, x)
    default: (x, y)
    }
  }
}
