/// How luma and color differences follow from red, green and blue.
///
/// With the weights of ITU-R BT.601, BT.709 and BT.2020 (non-constant luminance). In limited range
/// luma is 16 to 235 and the differences 16 to 240 about 128, in full range all are 0 to 255.
struct ColorMatrix {
  /// What red and blue weigh in luma; green is the rest.
  let red: Double
  let blue: Double
  var green: Double { 1 - red - blue }
  /// Levels of luma a level of light has, the level of black, and levels a level of difference has.
  let lumaScale: Double
  let black: Double
  let differenceScale: Double

  init(_ matrix: FrameFormat.Matrix, _ range: FrameFormat.Range) {
    switch matrix {
    case .bt601: (red, blue) = (0.299, 0.114)
    case .bt709: (red, blue) = (0.2126, 0.0722)
    case .bt2020: (red, blue) = (0.2627, 0.0593)
    }
    switch range {
    case .limited: (lumaScale, black, differenceScale) = (219.0 / 255, 16, 224.0 / 255)
    case .full: (lumaScale, black, differenceScale) = (1, 0, 1)
    }
  }
}
