internal import CV4L2

/// The form in which a device has agreed to deliver frames, read back from it.
public struct StreamFormat: Hashable, Sendable {
  public var frame: FrameFormat
  public var code: FourCC
  /// A frame's rows are of two moments, every other one of each.
  public var isInterlaced: Bool
  /// Nil where the device does not say.
  public var interval: FrameInterval?

  public var size: FrameSize { FrameSize(width: frame.width, height: frame.height) }
}

extension StreamFormat {
  /// From what the device answered.
  ///
  /// `source`: what the kernel says the device itself delivers, where libv4l2 converts.
  /// Returns nil where the format cannot be read here.
  init?(_ answer: v4l2_pix_format, source: v4l2_pix_format, interval: FrameInterval?) {
    let code = FourCC(rawValue: answer.pixelformat)
    guard let pixelFormat = PixelFormat(code) else { return nil }
    self.code = code
    self.interval = interval
    isInterlaced = ![V4L2_FIELD_NONE.rawValue, V4L2_FIELD_ANY.rawValue].contains(answer.field)
    let isConverted = source.pixelformat != answer.pixelformat
    let width = Int(answer.width)
    let least = FrameLayout.usedBytes(pixelFormat, width: width)
    let bytesPerLine = pixelFormat == .mjpeg ? 0 : max(Int(answer.bytesperline), least)
    frame = FrameFormat(
      pixelFormat: pixelFormat,
      width: width,
      height: Int(answer.height),
      bytesPerLine: bytesPerLine,
      imageSize: pixelFormat == .mjpeg
        ? Int(answer.sizeimage)
        : pixelFormat.imageSize(bytesPerLine: bytesPerLine, height: Int(answer.height)),
      matrix: answer.matrix,
      // libv4l2 makes RGB of YUV without expanding its range.
      range: isConverted && source.isLuminance ? source.range : answer.range
    )
  }
}

extension FrameFormat {
  /// Of a row without its padding.
  var usedBytesPerLine: Int { FrameLayout.usedBytes(pixelFormat, width: width) }
}

extension PixelFormat {
  /// Of all rows; of MJPEG nothing is known.
  fileprivate func imageSize(bytesPerLine: Int, height: Int) -> Int {
    self == .nv12 ? bytesPerLine * (height + (height + 1) / 2) : bytesPerLine * height
  }
}

extension v4l2_pix_format {
  /// The newer fields count only where this mark stands.
  private var isExtended: Bool { priv == UInt32(V4L2_PIX_FMT_PRIV_MAGIC) }

  fileprivate var matrix: FrameFormat.Matrix {
    var encoding = isExtended ? ycbcr_enc : 0
    if encoding == V4L2_YCBCR_ENC_DEFAULT.rawValue { encoding = cv4l2_default_encoding(colorspace) }
    switch v4l2_ycbcr_encoding(encoding) {
    case V4L2_YCBCR_ENC_709, V4L2_YCBCR_ENC_XV709: return .bt709
    case V4L2_YCBCR_ENC_BT2020, V4L2_YCBCR_ENC_BT2020_CONST_LUM: return .bt2020
    // That of SMPTE 240M differs from BT.709's by less than one level in most colors.
    case V4L2_YCBCR_ENC_SMPTE240M: return .bt709
    default: return .bt601
    }
  }

  fileprivate var range: FrameFormat.Range {
    var quantization = isExtended ? self.quantization : 0
    if quantization == V4L2_QUANTIZATION_DEFAULT.rawValue {
      quantization = cv4l2_default_quantization(!isLuminance, colorspace)
    }
    return quantization == V4L2_QUANTIZATION_LIM_RANGE.rawValue ? .limited : .full
  }

  /// Luminance and color differences, which are of limited range unless something else is said.
  ///
  /// MJPEG is none: its range is full by its standard. Gray is none, as devices of one channel give
  /// what the sensor gives.
  fileprivate var isLuminance: Bool {
    let others = PixelFormat.allCases.filter { ![.yuyv, .uyvy, .nv12].contains($0) }
    if others.contains(where: { $0.codes.contains(FourCC(rawValue: pixelformat)) }) { return false }
    return Self.luminanceCodes.contains(FourCC(rawValue: pixelformat))
  }

  private static let luminanceCodes = Set(
    [
      "YUYV", "YVYU", "UYVY", "VYUY", "NV12", "NV21", "NV16", "NV61", "NV24", "NV42", "YU12",
      "YV12",
      "422P", "411P", "YUV9", "YVU9", "Y41P", "M420", "S501", "S505", "S508", "NM12", "NM21",
      "YM12",
      "CPIA", "HM12",
    ].map { FourCC($0) }
  )
}
