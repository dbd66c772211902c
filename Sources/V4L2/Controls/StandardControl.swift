/// The controls that have a meaning of their own here, by V4L2's numbers.
enum StandardControl: UInt32 {
  case automaticWhiteBalance = 0x98_090c
  case horizontalFlip = 0x98_0914
  case verticalFlip = 0x98_0915
  case whiteBalanceTemperature = 0x98_091a
  case rotation = 0x98_0922
  case automaticExposure = 0x9a_0901
  case exposureTime = 0x9a_0902
  case absoluteFocus = 0x9a_090a
  case automaticFocus = 0x9a_090c
  case absoluteZoom = 0x9a_090d
  case orientation = 0x9a_0922
  case sensorRotation = 0x9a_0923
  case flashMode = 0x9c_0901
  case strobeSource = 0x9c_0902
  case strobe = 0x9c_0903

  /// As drivers of Linux 6 name it.
  var name: String { names[0] }

  /// As drivers name it, of today and of earlier kernels, which had other words for some.
  var names: [String] {
    switch self {
    case .automaticWhiteBalance:
      return ["white_balance_automatic", "white_balance_temperature_auto"]
    case .horizontalFlip: return ["horizontal_flip"]
    case .verticalFlip: return ["vertical_flip"]
    case .whiteBalanceTemperature: return ["white_balance_temperature"]
    case .rotation: return ["rotate"]
    case .automaticExposure: return ["auto_exposure", "exposure_auto"]
    case .exposureTime: return ["exposure_time_absolute", "exposure_absolute"]
    case .absoluteFocus: return ["focus_absolute"]
    case .automaticFocus: return ["focus_automatic_continuous", "focus_auto"]
    case .absoluteZoom: return ["zoom_absolute"]
    case .orientation: return ["camera_orientation"]
    case .sensorRotation: return ["camera_sensor_rotation"]
    case .flashMode: return ["led_mode"]
    case .strobeSource: return ["strobe_source"]
    case .strobe: return ["strobe"]
    }
  }

  /// Of the control with the same number: so a profile works with kernels that name it differently.
  static func alike(_ name: String) -> StandardControl? {
    let all: [StandardControl] = [
      .automaticWhiteBalance, .automaticExposure, .exposureTime, .automaticFocus,
    ]
    return all.first { $0.names.contains(name) }
  }
}

/// What the flash mode is set to.
enum FlashMode: Int {
  case none = 0
  case flash = 1
  case torch = 2
}

extension Control {
  /// A driver's words as `v4l2-ctl` writes them: letters and digits in lower case, and one underscore
  /// for whatever stands between them.
  static func name(of title: String) -> String {
    let words = title.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return words.joined(separator: "_").lowercased()
  }
}
