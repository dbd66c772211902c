import CV4L2
import Testing

@testable import V4L2

@Suite struct StreamFormatTests {
  private func answer(
    _ code: String,
    colorspace: v4l2_colorspace = V4L2_COLORSPACE_SRGB,
    encoding: v4l2_ycbcr_encoding = V4L2_YCBCR_ENC_DEFAULT,
    quantization: v4l2_quantization = V4L2_QUANTIZATION_DEFAULT
  ) -> v4l2_pix_format {
    var answer = v4l2_pix_format()
    answer.width = 64
    answer.height = 48
    answer.pixelformat = FourCC(code).rawValue
    answer.colorspace = colorspace.rawValue
    answer.ycbcr_enc = encoding.rawValue
    answer.quantization = quantization.rawValue
    answer.priv = UInt32(V4L2_PIX_FMT_PRIV_MAGIC)
    return answer
  }

  private func format(
    _ answer: v4l2_pix_format,
    source: v4l2_pix_format? = nil
  ) throws -> FrameFormat {
    try #require(StreamFormat(answer, source: source ?? answer, interval: nil)).frame
  }

  @Test func `Colors of cameras are of BT.601 and limited range, and those of others full`() throws
  {
    for code in ["YUYV", "UYVY", "NV12"] {
      #expect(try format(answer(code)).matrix == .bt601)
      #expect(try format(answer(code)).range == .limited)
    }
    for code in ["MJPG", "GREY", "RGB3", "BGR3"] {
      #expect(try format(answer(code)).range == .full)
    }
    #expect(try format(answer("YUYV", colorspace: V4L2_COLORSPACE_JPEG)).range == .full)
  }

  @Test(arguments: [
    (V4L2_COLORSPACE_REC709, FrameFormat.Matrix.bt709),
    (V4L2_COLORSPACE_DCI_P3, .bt709),
    (V4L2_COLORSPACE_SMPTE240M, .bt709),
    (V4L2_COLORSPACE_BT2020, .bt2020),
    (V4L2_COLORSPACE_SMPTE170M, .bt601),
    (V4L2_COLORSPACE_DEFAULT, .bt601),
  ])
  func `The color space decides the matrix`(
    space: v4l2_colorspace,
    matrix: FrameFormat.Matrix
  ) throws {
    #expect(try format(answer("YUYV", colorspace: space)).matrix == matrix)
    // What is said of the matrix itself counts more.
    let stated = answer("YUYV", colorspace: space, encoding: V4L2_YCBCR_ENC_601)
    #expect(try format(stated).matrix == .bt601)
  }

  @Test func `What the device says of its range counts, if it fills in the field at all`() throws {
    var full = answer(
      "YUYV",
      encoding: V4L2_YCBCR_ENC_709,
      quantization: V4L2_QUANTIZATION_FULL_RANGE
    )
    #expect(try format(full).range == .full)
    #expect(try format(full).matrix == .bt709)
    let limited = answer("RGB3", quantization: V4L2_QUANTIZATION_LIM_RANGE)
    #expect(try format(limited).range == .limited)
    // An old driver leaves what was there.
    full.priv = 0
    #expect(try format(full).range == .limited)
    #expect(try format(full).matrix == .bt601)
  }

  @Test func `RGB that libv4l2 makes has the range of what it is made of`() throws {
    let rgb = answer("RGB3")
    #expect(try format(rgb, source: answer("YUYV")).range == .limited)
    #expect(try format(rgb, source: answer("YU12")).range == .limited)
    #expect(try format(rgb, source: answer("MJPG")).range == .full)
    #expect(try format(rgb, source: answer("BA81")).range == .full)
    let full = answer("YUYV", quantization: V4L2_QUANTIZATION_FULL_RANGE)
    #expect(try format(rgb, source: full).range == .full)
  }

  @Test func `Rows are as long as the device says, or as their pixels where it says nothing`()
    throws
  {
    for (code, bytes, rows) in [
      ("YUYV", 128, 48), ("NV12", 64, 72), ("GREY", 64, 48), ("BGR3", 192, 48),
    ] {
      var answer = answer(code)
      #expect(try format(answer).bytesPerLine == bytes)
      #expect(try format(answer).imageSize == bytes * rows)
      answer.bytesperline = 256
      // Drivers round it up to whole pages.
      answer.sizeimage = 65_536
      #expect(try format(answer).bytesPerLine == 256)
      #expect(try format(answer).imageSize == 256 * rows)
    }
    var jpeg = answer("MJPG")
    jpeg.sizeimage = 5000
    jpeg.bytesperline = 128
    #expect(try format(jpeg).bytesPerLine == 0)
    #expect(try format(jpeg).imageSize == 5000)
  }

  @Test func `Interlaced frames are said to be so`() throws {
    for (field, isInterlaced) in [
      (V4L2_FIELD_NONE, false), (V4L2_FIELD_ANY, false), (V4L2_FIELD_INTERLACED, true),
      (V4L2_FIELD_SEQ_TB, true), (V4L2_FIELD_ALTERNATE, true),
    ] {
      var answer = answer("YUYV")
      answer.field = field.rawValue
      #expect(StreamFormat(answer, source: answer, interval: nil)?.isInterlaced == isInterlaced)
    }
    #expect(StreamFormat(answer("H264"), source: answer("H264"), interval: nil) == nil)
  }
}
