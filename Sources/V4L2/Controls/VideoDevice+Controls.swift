internal import CV4L2
import Glibc

extension VideoDevice {
  /// All controls with their values, in the order of their numbers, but those the device has disabled.
  public func controls() throws(VideoError) -> [Control] {
    var controls: [Control] = []
    var id: UInt32 = 0
    for _ in 0..<Self.mostEntries {
      var query = v4l2_queryctrl()
      query.id = id | UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
      guard try has(.queryControl, &query), query.id > id else { break }
      id = query.id
      if let control = try control(query) { controls.append(control) }
    }
    return controls
  }

  /// The control as it stands now; nil where the device has none of this number.
  public func control(_ id: UInt32) throws(VideoError) -> Control? {
    var query = v4l2_queryctrl()
    query.id = id
    guard try has(.queryControl, &query) else { return nil }
    return try control(query)
  }

  /// The control of a name, today's or that of earlier kernels.
  public func control(named name: String) throws(VideoError) -> Control {
    let controls = try controls()
    if let control = controls.first(where: { $0.name == name }) { return control }
    if let standard = StandardControl.alike(name),
      let control = controls.first(where: { $0.id == standard.rawValue })
    {
      return control
    }
    let nearest = nearestName(to: name, among: controls.map(\.name))
    throw VideoError(path, .noSuchControl(name, nearest: nearest))
  }

  private func control(_ query: v4l2_queryctrl) throws(VideoError) -> Control? {
    func flag(_ flag: Int32) -> Bool { query.flags & UInt32(flag) != 0 }
    guard !flag(V4L2_CTRL_FLAG_DISABLED), query.type != V4L2_CTRL_TYPE_CTRL_CLASS.rawValue else {
      return nil
    }
    let kind = Control.Kind(v4l2_ctrl_type(query.type))
    let title = text(query.name)
    var control = Control(
      id: query.id,
      name: Control.name(of: title),
      title: title,
      kind: kind,
      range: SteppedRange(Int(query.minimum), Int(query.maximum), step: Int(query.step)),
      standard: Int(query.default_value),
      value: nil,
      choices: [],
      isReadOnly: flag(V4L2_CTRL_FLAG_READ_ONLY),
      isInactive: flag(V4L2_CTRL_FLAG_INACTIVE),
      isHeld: flag(V4L2_CTRL_FLAG_GRABBED)
    )
    if kind == .menu || kind == .integerMenu { control.choices = try choices(control) }
    if ![.button, .other].contains(kind) && !flag(V4L2_CTRL_FLAG_WRITE_ONLY) {
      control.value = value(of: query.id)
    }
    return control
  }

  /// Each index is asked for: menus have holes.
  private func choices(_ control: Control) throws(VideoError) -> [Control.Choice] {
    var choices: [Control.Choice] = []
    let last = min(control.range.most, control.range.least + Int(Self.mostEntries))
    for index in control.range.least...last where index >= 0 {
      var item = v4l2_querymenu()
      item.id = control.id
      item.index = UInt32(index)
      guard try has(.queryMenu, &item) else { continue }
      let name = control.kind == .integerMenu ? "\(item.value)" : text(item.name)
      choices.append(Control.Choice(index: index, name: name))
    }
    return choices
  }

  /// Nil where it cannot be read.
  private func value(of id: UInt32) -> Int? {
    var argument = v4l2_control()
    argument.id = id
    do {
      try handle.request(.getControl, &argument)
    } catch {
      return nil
    }
    return Int(argument.value)
  }

  /// Sets several controls, those first that make others settable: automatic exposure is turned off
  /// before the time is set.
  ///
  /// - Returns: what the device made of each, by the names that were given.
  /// - Throws: at the first that cannot be set; those before it are set.
  @discardableResult
  public func set(_ values: [String: ControlValue]) throws(VideoError) -> [String: Int] {
    var results: [String: Int] = [:]
    var waiting = values.keys.sorted()
    while !waiting.isEmpty {
      var inactive: [String] = []
      for name in waiting {
        guard let value = values[name] else { continue }
        let control = try control(named: name)
        if control.isInactive && waiting.count > 1 {
          inactive.append(name)
        } else {
          results[name] = try set(control, to: value)
        }
      }
      if inactive.count == waiting.count {
        throw VideoError(path, .inactiveControl(inactive[0]))
      }
      waiting = inactive
    }
    return results
  }

  /// Sets a control.
  ///
  /// - Returns: what the device made of it, which is a value of the control's steps.
  @discardableResult
  public func set(_ name: String, to value: ControlValue) throws(VideoError) -> Int {
    try set(try control(named: name), to: value)
  }

  func set(_ standard: StandardControl, to value: Int) throws(VideoError) -> Int {
    guard let control = try control(standard.rawValue) else {
      throw VideoError(path, .noSuchControl(standard.name, nearest: nil))
    }
    return try set(control, to: .number(value))
  }

  private func set(_ control: Control, to wanted: ControlValue) throws(VideoError) -> Int {
    guard let value = control.number(for: wanted) else {
      throw VideoError(
        path,
        .valueOutOfRange(control.name, value: "\(wanted)", allowed: control.allowed)
      )
    }
    if control.isReadOnly || control.kind == .other {
      throw VideoError(path, .readOnlyControl(control.name))
    }
    if control.isHeld { throw VideoError(path, .heldControl(control.name)) }
    if control.isInactive { throw VideoError(path, .inactiveControl(control.name)) }
    if control.value == value && control.kind != .button { return value }
    note(control)
    do {
      try write(control.id, value)
    } catch {
      switch error.number {
      case EACCES, EPERM: throw VideoError(path, .readOnlyControl(control.name))
      case EBUSY: throw VideoError(path, .heldControl(control.name))
      case EINVAL, ERANGE, EILSEQ:
        throw VideoError(
          path,
          .valueOutOfRange(control.name, value: "\(wanted)", allowed: control.allowed)
        )
      default: throw failure(error)
      }
    }
    return self.value(of: control.id) ?? value
  }

  /// Notes what has to be put back, and says so before it is changed.
  private func note(_ control: Control) {
    guard var value = control.value, !record.entries.contains(where: { $0.id == control.id }) else {
      return
    }
    // A torch that burnt already was left on by a program that has died.
    if control.id == StandardControl.flashMode.rawValue && value == FlashMode.torch.rawValue {
      value = FlashMode.none.rawValue
    }
    record.entries.append(.init(id: control.id, name: control.name, value: value))
    onRecord?(record)
  }

  private func write(_ id: UInt32, _ value: Int) throws(CallError) {
    var argument = v4l2_control()
    argument.id = id
    argument.value = Int32(clamping: value)
    try handle.request(.setControl, &argument)
  }

  /// Puts back what was changed, the last change first: exposure time before automatic exposure.
  ///
  /// - Returns: what could not be put back.
  @discardableResult
  public func putBack() -> [ControlRecord.Entry] {
    guard !record.entries.isEmpty else { return [] }
    var left: [ControlRecord.Entry] = []
    // What stands as it did may be inactive by now, and refuse to be set.
    for entry in record.entries.reversed() where value(of: entry.id) != entry.value {
      do {
        try write(entry.id, entry.value)
      } catch {
        left.append(entry)
      }
    }
    record = ControlRecord()
    onRecord?(record)
    return left
  }
}

extension ControlRecord {
  /// Puts the controls of a device back, for a process that has died.
  ///
  /// `path`: of the device; other programs may have it open.
  /// Returns what could not be put back.
  @discardableResult
  public func restore(device path: String) throws(VideoError) -> [Entry] {
    try restore(try VideoDevice(opening: path))
  }

  func restore(_ device: VideoDevice) throws(VideoError) -> [Entry] {
    guard !entries.isEmpty else { return [] }
    device.record = self
    return device.close()
  }
}
