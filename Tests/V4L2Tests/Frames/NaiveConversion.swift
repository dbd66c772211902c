import Glibc
import TestSupport
import V4L2

/// What a frame of luma and color differences shows, pixel by pixel and in double precision.
struct NaiveConversion {
  let frame: CapturedFrame

  private var format: FrameFormat { frame.format }

  func pixel(_ x: Int, _ y: Int) -> [Double] {
    let (red, blue): (Double, Double) =
      switch format.matrix {
      case .bt601: (0.299, 0.114)
      case .bt709: (0.2126, 0.0722)
      case .bt2020: (0.2627, 0.0593)
      }
    let isFull = format.range == .full
    let light = isFull ? luma(x, y) : (luma(x, y) - 16) * 255 / 219
    let scale = isFull ? 1 : 255.0 / 224
    let cb = (difference(0, x, y) - 128) * scale
    let cr = (difference(1, x, y) - 128) * scale
    let r = light + 2 * (1 - red) * cr
    let b = light + 2 * (1 - blue) * cb
    let g = (light - red * r - blue * b) / (1 - red - blue)
    return [r, g, b].map { max(0, min(255, $0)) }
  }

  private func byte(_ place: Int) -> Double { Double(frame.bytes[place]) }

  private func luma(_ x: Int, _ y: Int) -> Double {
    let row = y * format.bytesPerLine
    switch format.pixelFormat {
    case .yuyv: return byte(row + 2 * x)
    case .uyvy: return byte(row + 2 * x + 1)
    default: return byte(row + x)
    }
  }

  /// At the middle of a pixel, between the four samples about it.
  private func difference(_ component: Int, _ x: Int, _ y: Int) -> Double {
    let place = (Double(x) + 0.5) / 2 - 0.5
    if format.pixelFormat != .nv12 { return alongRow(component, place, y) }
    let row = (Double(y) + 0.5) / 2 - 0.5
    let upper = row.rounded(.down)
    let last = (format.height + 1) / 2 - 1
    func sample(_ row: Double) -> Double {
      alongRow(component, place, max(0, min(last, Int(row))))
    }
    return sample(upper) * (1 - (row - upper)) + sample(upper + 1) * (row - upper)
  }

  private func alongRow(_ component: Int, _ place: Double, _ row: Int) -> Double {
    let left = place.rounded(.down)
    let last = (format.width + 1) / 2 - 1
    func sample(_ pair: Double) -> Double {
      let pair = max(0, min(last, Int(pair)))
      switch format.pixelFormat {
      case .yuyv: return byte(row * format.bytesPerLine + 4 * pair + 1 + 2 * component)
      case .uyvy: return byte(row * format.bytesPerLine + 4 * pair + 2 * component)
      default:
        return byte((format.height + row) * format.bytesPerLine + 2 * pair + component)
      }
    }
    return sample(left) * (1 - (place - left)) + sample(left + 1) * (place - left)
  }
}

/// A frame of pixels for a test.
func frame(
  _ pixelFormat: V4L2.PixelFormat,
  _ width: Int,
  _ height: Int,
  bytesPerLine: Int,
  matrix: FrameFormat.Matrix = .bt601,
  range: FrameFormat.Range = .full,
  _ bytes: [UInt8]
) -> CapturedFrame {
  CapturedFrame(
    format: FrameFormat(
      pixelFormat: pixelFormat,
      width: width,
      height: height,
      bytesPerLine: bytesPerLine,
      imageSize: bytes.count,
      matrix: matrix,
      range: range
    ),
    bytes: bytes,
    sequence: 0,
    time: 0
  )
}
