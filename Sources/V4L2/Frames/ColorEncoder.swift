internal import Glibc

/// From red, green and blue to luma and color differences, rounded to the nearest level.
struct ColorEncoder {
  private let matrix: ColorMatrix

  init(_ matrix: ColorMatrix) {
    self.matrix = matrix
  }

  /// Luma and, unrounded, how far blue and red differ from it; one of each a pixel.
  struct Row {
    var luma: [UInt8] = []
    /// Levels from 128, in the range of the matrix.
    var cb: [Double] = []
    var cr: [Double] = []
  }

  func row(_ pixels: [UInt8]) -> Row {
    var row = Row()
    for start in stride(from: 0, to: pixels.count, by: 3) {
      let red = Double(pixels[start])
      let green = Double(pixels[start + 1])
      let blue = Double(pixels[start + 2])
      let light = matrix.red * red + matrix.green * green + matrix.blue * blue
      row.luma.append(Self.level(matrix.black + matrix.lumaScale * light))
      row.cb.append(matrix.differenceScale * (blue - light) / (2 * (1 - matrix.blue)))
      row.cr.append(matrix.differenceScale * (red - light) / (2 * (1 - matrix.red)))
    }
    return row
  }

  static func level(_ number: Double) -> UInt8 { UInt8(max(0, min(255, number)).rounded()) }

  /// A sample of color for each two pixels: the mean of their differences.
  static func halved(_ differences: [Double]) -> [Double] {
    stride(from: 0, to: differences.count, by: 2).map {
      (differences[$0] + differences[min($0 + 1, differences.count - 1)]) / 2
    }
  }

  static func sample(_ difference: Double) -> UInt8 { level(128 + difference) }
}
