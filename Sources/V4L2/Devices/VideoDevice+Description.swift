internal import CV4L2

extension VideoDevice {
  /// Asks the device what it is and offers; changes nothing.
  ///
  /// `links`: other names of its file, for the description.
  public func describe(links: [String] = []) throws(VideoError) -> DeviceDescription {
    let controls = try controls()
    return DeviceDescription(
      path: realPath(path) ?? path,
      links: links,
      card: capabilities.card,
      driver: capabilities.driver,
      bus: capabilities.bus,
      facing: facing(controls),
      sensorRotation: controls.first { $0.id == StandardControl.sensorRotation.rawValue }?.value,
      isMultiPlanar: capabilities.isMultiPlanar,
      inputs: try inputs(),
      formats: try formats(),
      controls: controls
    )
  }

  private func facing(_ controls: [Control]) -> DeviceDescription.Facing {
    switch controls.first(where: { $0.id == StandardControl.orientation.rawValue })?.value {
    case 0: return .front
    case 1: return .back
    case 2: return .external
    default: return capabilities.bus.hasPrefix("usb-") ? .external : .unknown
    }
  }

  /// A driver that never says "no more" must not hang us.
  static var mostEntries: UInt32 { 512 }

  /// The sockets; none of a device that does not tell.
  public func inputs() throws(VideoError) -> [VideoInput] {
    var selected: Int32 = -1
    _ = try has(.getInput, &selected)
    var inputs: [VideoInput] = []
    for index in 0..<Self.mostEntries {
      var input = v4l2_input()
      input.index = index
      guard try has(.enumerateInput, &input) else { break }
      let missing = UInt32(V4L2_IN_ST_NO_POWER | V4L2_IN_ST_NO_SIGNAL)
      inputs.append(
        VideoInput(
          index: Int(index),
          name: text(input.name),
          isCamera: input.type == UInt32(V4L2_INPUT_TYPE_CAMERA),
          hasSignal: input.status & missing == 0,
          isSelected: Int32(index) == selected
        )
      )
    }
    return inputs
  }

  /// Looks at another socket, which may change formats, sizes and controls.
  ///
  /// A device that has only one is left alone.
  public func selectInput(_ index: Int) throws(VideoError) {
    let inputs = try inputs()
    guard inputs.count > 1, inputs.first(where: \.isSelected)?.index != index else { return }
    var number = Int32(clamping: index)
    try request(.setInput, &number)
  }

  /// The pixel formats with their sizes, libv4l2's own last.
  public func formats() throws(VideoError) -> [OfferedFormat] {
    var formats: [OfferedFormat] = []
    for index in 0..<Self.mostEntries {
      var entry = v4l2_fmtdesc()
      entry.index = index
      entry.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
      guard try has(.enumerateFormat, &entry) else { break }
      let code = FourCC(rawValue: entry.pixelformat)
      formats.append(
        OfferedFormat(
          code: code,
          title: text(entry.description),
          isCompressed: entry.flags & UInt32(V4L2_FMT_FLAG_COMPRESSED) != 0,
          isEmulated: entry.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0,
          sizes: try sizes(code)
        )
      )
    }
    return formats
  }

  private func sizes(_ code: FourCC) throws(VideoError) -> [OfferedSizes] {
    var sizes: [OfferedSizes] = []
    for index in 0..<Self.mostEntries {
      var entry = v4l2_frmsizeenum()
      entry.index = index
      entry.pixel_format = code.rawValue
      guard try has(.enumerateSize, &entry) else { break }
      let isRange = entry.type != V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
      let range = entry.stepwise
      let width =
        isRange
        ? SteppedRange(Int(range.min_width), Int(range.max_width), step: Int(range.step_width))
        : SteppedRange(Int(entry.discrete.width))
      let height =
        isRange
        ? SteppedRange(Int(range.min_height), Int(range.max_height), step: Int(range.step_height))
        : SteppedRange(Int(entry.discrete.height))
      sizes.append(
        OfferedSizes(
          width: width,
          height: height,
          intervals: try intervals(code, FrameSize(width: width.most, height: height.most))
        )
      )
      // There is one range, and asking for a second gives the first again.
      if isRange { break }
    }
    return sizes.isEmpty ? try triedSizes(code) : sizes
  }

  /// Of a driver that lists no sizes: what it makes of the smallest and of the largest wish.
  private func triedSizes(_ code: FourCC) throws(VideoError) -> [OfferedSizes] {
    var answers: [v4l2_pix_format] = []
    for side: UInt32 in [1, 65_535] {
      var format = v4l2_format()
      format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
      format.fmt.pix.pixelformat = code.rawValue
      format.fmt.pix.width = side
      format.fmt.pix.height = side
      guard try has(.tryFormat, &format), format.fmt.pix.pixelformat == code.rawValue else {
        return []
      }
      answers.append(format.fmt.pix)
    }
    let width = SteppedRange(Int(answers[0].width), Int(answers[1].width))
    let height = SteppedRange(Int(answers[0].height), Int(answers[1].height))
    return [
      OfferedSizes(
        width: width,
        height: height,
        intervals: try intervals(code, FrameSize(width: width.most, height: height.most))
      )
    ]
  }

  private func intervals(
    _ code: FourCC,
    _ size: FrameSize
  ) throws(VideoError) -> [OfferedIntervals] {
    var intervals: [OfferedIntervals] = []
    for index in 0..<Self.mostEntries {
      var entry = v4l2_frmivalenum()
      entry.index = index
      entry.pixel_format = code.rawValue
      entry.width = UInt32(clamping: size.width)
      entry.height = UInt32(clamping: size.height)
      guard try has(.enumerateInterval, &entry) else { break }
      let isRange = entry.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
      let shortest = isRange ? entry.stepwise.min : entry.discrete
      let longest = isRange ? entry.stepwise.max : entry.discrete
      if let shortest = FrameInterval(shortest), let longest = FrameInterval(longest) {
        intervals.append(OfferedIntervals(shortest: shortest, longest: longest))
      }
      if isRange { break }
    }
    return intervals
  }
}

extension FrameInterval {
  init?(_ fraction: v4l2_fract) {
    self.init(Int(fraction.numerator), Int(fraction.denominator))
  }
}
