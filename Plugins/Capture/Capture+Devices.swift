public import MinilabKit
import V4L2

extension Capture {
  public static func devices() -> [SourceDevice] {
    let devices = VideoDevices.list()
    return devices.cameras.map(SourceDevice.init)
      + devices.broken.map {
        SourceDevice(name: $0.path, path: Path($0.path), problem: $0.error.text)
      }
  }

  /// Refuses controls that the camera does not have, and values that they cannot take.
  func check(_ controls: ControlSettings, of device: DeviceDescription) throws {
    for (name, value) in controls.values.sorted(by: { $0.key < $1.key }) {
      if let error = device.problem(setting: name, to: value) {
        throw ItemError(
          .unsupported,
          expected: "controls that \(device.card) has",
          received: error.text
        )
      }
    }
  }
}

extension SourceDevice {
  fileprivate init(_ camera: DeviceDescription) {
    var facts: [SourceAnnouncement.Fact] = [
      .init("driver", camera.driver), .init("bus", camera.bus),
      .init("facing", camera.facing.rawValue),
    ]
    if let rotation = camera.sensorRotation {
      facts.append(.init("sensor-rotation", "\(rotation)"))
    }
    self.init(
      name: camera.card,
      path: Path(camera.path),
      links: camera.links.map { Path($0) },
      facts: facts,
      formats: camera.formats.map(Format.init),
      controls: camera.controls.map(Control.init)
    )
  }
}

extension SourceDevice.Format {
  fileprivate init(_ format: OfferedFormat) {
    self.init(
      name: format.pixelFormat?.rawValue,
      code: "\(format.code)",
      isEmulated: format.isEmulated,
      sizes: format.sizes.map { sizes in
        SourceDevice.SizeChoice(
          least: Size(width: sizes.width.least, height: sizes.height.least),
          most: Size(width: sizes.width.most, height: sizes.height.most),
          step: Size(width: sizes.width.step, height: sizes.height.step),
          intervals: sizes.intervals.flatMap { interval in
            (interval.isSingle ? [interval.shortest] : [interval.shortest, interval.longest]).map {
              .init(numerator: $0.numerator, denominator: $0.denominator)
            }
          }
        )
      }
    )
  }
}

extension SourceDevice.Control {
  fileprivate init(_ control: Control) {
    var states: [String] = []
    if control.isReadOnly { states.append("read-only") }
    if control.isInactive { states.append("inactive") }
    if control.isHeld { states.append("held") }
    self.init(
      name: control.name,
      kind: control.kind.rawValue,
      range: control.range.least...control.range.most,
      step: control.range.step,
      standard: control.standard,
      value: control.value,
      choices: control.choices.map { ($0.index, $0.name) },
      states: states
    )
  }
}
