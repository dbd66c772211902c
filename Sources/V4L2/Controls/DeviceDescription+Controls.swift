extension DeviceDescription {
  /// Why a control cannot be set so, as far as can be told without setting it; nil where it can.
  public func problem(setting name: String, to value: ControlValue) -> VideoError? {
    let other = StandardControl.alike(name)
    let control =
      controls.first { $0.name == name } ?? controls.first { $0.id == other?.rawValue }
    guard let control else {
      let nearest = nearestName(to: name, among: controls.map(\.name))
      return VideoError(path, .noSuchControl(name, nearest: nearest))
    }
    if control.isReadOnly { return VideoError(path, .readOnlyControl(name)) }
    guard control.number(for: value) == nil else { return nil }
    return VideoError(
      path,
      .valueOutOfRange(name, value: "\(value)", allowed: control.allowed)
    )
  }
}
