internal import CV4L2

extension VideoDevice {
  /// Agrees on a format with the device.
  ///
  /// A device answers every wish with what it can do, so what was agreed on may differ in size from
  /// what was asked for. Controls that turn the picture are to be set before.
  ///
  /// - Throws: `noSuchFormat` where the device answers with a format that cannot be read here, `busy`
  ///   while another program takes pictures.
  public func setFormat(_ choice: FormatChoice) throws(VideoError) -> StreamFormat {
    try releaseBuffers()
    var format = v4l2_format()
    format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    // The rest stays 0: length of rows, size and field as the device likes them, whatever another
    // program has set.
    format.fmt.pix.width = UInt32(clamping: choice.size.width)
    format.fmt.pix.height = UInt32(clamping: choice.size.height)
    format.fmt.pix.pixelformat = choice.code.rawValue
    format.fmt.pix.field = V4L2_FIELD_ANY.rawValue
    format.fmt.pix.priv = UInt32(V4L2_PIX_FMT_PRIV_MAGIC)
    try request(.setFormat, &format)
    if let interval = choice.interval { try setInterval(interval) }
    return try agreedFormat()
  }

  /// The format as it stands, read from the device.
  func agreedFormat() throws(VideoError) -> StreamFormat {
    var format = v4l2_format()
    format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    try request(.getFormat, &format)
    var source = format
    if !capabilities.isMultiPlanar { try request(.getFormat, &source, direct: true) }
    guard
      let agreed = StreamFormat(
        format.fmt.pix,
        source: source.fmt.pix,
        interval: try interval()
      )
    else {
      let offered = try formats().compactMap { $0.pixelFormat?.rawValue }
      throw VideoError(path, .noSuchFormat(offered: offered))
    }
    return agreed
  }

  /// Nil where the device does not say.
  private func interval() throws(VideoError) -> FrameInterval? {
    var parameters = v4l2_streamparm()
    parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    guard try has(.getParameters, &parameters),
      parameters.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0
    else { return nil }
    return FrameInterval(parameters.parm.capture.timeperframe)
  }

  private func setInterval(_ interval: FrameInterval) throws(VideoError) {
    // A device that cannot is asked not at all: some fail.
    guard try self.interval() != nil else { return }
    var parameters = v4l2_streamparm()
    parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    parameters.parm.capture.timeperframe.numerator = UInt32(clamping: interval.numerator)
    parameters.parm.capture.timeperframe.denominator = UInt32(clamping: interval.denominator)
    _ = try has(.setParameters, &parameters)
  }

  /// Gives back what an earlier stream of ours holds: a format cannot be set before.
  func releaseBuffers() throws(VideoError) {
    var buffers = v4l2_requestbuffers()
    buffers.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    buffers.memory = V4L2_MEMORY_MMAP.rawValue
    try request(.requestBuffers, &buffers)
  }
}
