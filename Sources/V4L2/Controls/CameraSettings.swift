/// How bright: by the camera itself, or for a fixed time.
public enum Exposure: Hashable, Sendable {
  case auto
  case manual(microseconds: Int)
}

public enum Focus: Hashable, Sendable {
  case auto
  /// In units of the device.
  case manual(Int)
}

public enum WhiteBalance: Hashable, Sendable {
  case auto
  case manual(kelvin: Int)
}

public enum Flash: Hashable, Sendable {
  case off
  /// Fires for a moment, at `strobe()` or by the sensor's own signal.
  case flash
  /// Burns until it is put out.
  case torch
}

extension VideoDevice {
  /// - Returns: the time that the device made of it, in microseconds; nil where it finds it itself.
  /// - Throws: `noSuchControl`, `valueOutOfRange` and others.
  @discardableResult
  public func setExposure(_ exposure: Exposure) throws(VideoError) -> Int? {
    switch exposure {
    case .auto:
      try setAutomaticExposure(true)
      return nil
    case .manual(let microseconds):
      try setAutomaticExposure(false)
      // V4L2 counts in 100 microseconds.
      return try set(.exposureTime, to: max(1, (microseconds + 50) / 100)) * 100
    }
  }

  /// Which choices of the menu are there differs: USB cameras mostly have 1 and 3.
  private func setAutomaticExposure(_ isOn: Bool) throws(VideoError) {
    guard let control = try control(StandardControl.automaticExposure.rawValue) else {
      // A camera without automatic exposure is always manual.
      if isOn { throw VideoError(path, .noSuchControl("auto_exposure", nearest: nil)) }
      return
    }
    // All automatic, aperture priority (the time is automatic), shutter priority; or manual.
    let wanted = isOn ? [0, 3] : [1, 2]
    guard let index = wanted.first(where: { control.choices.map(\.index).contains($0) }) else {
      throw VideoError(
        path,
        .valueOutOfRange(control.name, value: isOn ? "auto" : "manual", allowed: control.allowed)
      )
    }
    _ = try set(.automaticExposure, to: index)
  }

  /// The time for which the sensor is exposed, in microseconds; nil where the device does not tell.
  ///
  /// While exposure is automatic, many devices tell the time that was set last.
  public func exposure() throws(VideoError) -> Int? {
    let automatic = try control(StandardControl.automaticExposure.rawValue)?.value
    if let automatic, ![1, 2].contains(automatic) { return nil }
    return try control(StandardControl.exposureTime.rawValue)?.value.map { $0 * 100 }
  }

  public func setFocus(_ focus: Focus) throws(VideoError) {
    switch focus {
    case .auto: _ = try set(.automaticFocus, to: 1)
    case .manual(let position):
      if try control(StandardControl.automaticFocus.rawValue) != nil {
        _ = try set(.automaticFocus, to: 0)
      }
      _ = try set(.absoluteFocus, to: position)
    }
  }

  public func setWhiteBalance(_ balance: WhiteBalance) throws(VideoError) {
    switch balance {
    case .auto: _ = try set(.automaticWhiteBalance, to: 1)
    case .manual(let kelvin):
      if try control(StandardControl.automaticWhiteBalance.rawValue) != nil {
        _ = try set(.automaticWhiteBalance, to: 0)
      }
      _ = try set(.whiteBalanceTemperature, to: kelvin)
    }
  }

  /// Zooms as far as the device can.
  ///
  /// `factor`: at least 1, which is the widest.
  /// Returns what the device made of it; 1 where it has no zoom, or one whose units say nothing of
  ///   the factor.
  public func setZoom(_ factor: Double) throws(VideoError) -> Double {
    guard let control = try control(StandardControl.absoluteZoom.rawValue) else { return 1 }
    // Set also where 1 is wanted: another program may have left it zoomed.
    let widest = Double(control.range.least)
    guard widest > 0 else {
      _ = try set(.absoluteZoom, to: control.range.least)
      return 1
    }
    let wanted = min(max(factor, 1) * widest, Double(control.range.most))
    return Double(try set(.absoluteZoom, to: Int(wanted.rounded()))) / widest
  }

  /// Sets the flash, or puts it out.
  ///
  /// - Returns: what it does now: a device without a flash for a moment burns its torch instead.
  /// - Throws: `noSuchControl` where the device has no flash, also for `off`.
  @discardableResult
  public func setFlash(_ flash: Flash) throws(VideoError) -> Flash {
    guard let control = try control(StandardControl.flashMode.rawValue) else {
      throw VideoError(path, .noSuchControl(StandardControl.flashMode.name, nearest: nil))
    }
    let modes: [(Flash, FlashMode)]
    switch flash {
    case .off: modes = [(.off, .none)]
    case .flash: modes = [(.flash, .flash), (.torch, .torch)]
    case .torch: modes = [(.torch, .torch)]
    }
    for (flash, mode) in modes where control.number(for: .number(mode.rawValue)) != nil {
      _ = try set(.flashMode, to: mode.rawValue)
      return flash
    }
    throw VideoError(
      path,
      .valueOutOfRange(control.name, value: "\(flash)", allowed: control.allowed)
    )
  }

  /// Fires the flash, where it fires by command.
  ///
  /// - Returns: false where it does not.
  @discardableResult
  public func strobe() throws(VideoError) -> Bool {
    guard try control(StandardControl.strobe.rawValue) != nil else { return false }
    if try control(StandardControl.strobeSource.rawValue) != nil {
      _ = try set(.strobeSource, to: 0)
    }
    _ = try set(.strobe, to: 0)
    return true
  }

  /// Lets the device turn the picture.
  ///
  /// `degrees`: clockwise. At 90 and 270, width and height are swapped: `setFormat` says how.
  public func setRotation(_ degrees: Int) throws(VideoError) {
    _ = try set(.rotation, to: degrees)
  }

  /// Lets the device flip the picture.
  public func setFlip(horizontally: Bool, vertically: Bool) throws(VideoError) {
    for (control, isOn) in [
      (StandardControl.horizontalFlip, horizontally), (.verticalFlip, vertically),
    ] {
      // Not flipping is what a device without the control does.
      let isMissing = try self.control(control.rawValue) == nil
      if isMissing && !isOn { continue }
      _ = try set(control, to: isOn ? 1 : 0)
    }
  }
}
