/// What a camera is and offers.
public struct DeviceDescription: Hashable, Sendable {
  /// Where a camera looks, seen from who uses the machine it is built into.
  public enum Facing: String, Sendable {
    case front
    case back
    /// On a cable.
    case external
    case unknown
  }

  /// The device file itself, past all links.
  public var path: String
  /// Other names of the file: those by ID (`/dev/v4l/by-id/…`, which stay with the camera), by path
  /// (which stay with the socket), then others.
  public var links: [String]
  /// The camera's name, as the driver gives it, without the repetition that some drivers add.
  public var card: String
  public var driver: String
  /// Where it is connected, such as `usb-0000:00:14.0-1`.
  public var bus: String
  public var facing: Facing
  /// How far the sensor is turned in its housing, clockwise in degrees; nil where unknown.
  public var sensorRotation: Int?
  /// The kernel hands its frames over in planes, which libv4l2 joins.
  public var isMultiPlanar: Bool
  public var inputs: [VideoInput]
  /// In the order of the driver, which is no order of preference; those of libv4l2 last.
  public var formats: [OfferedFormat]
  public var controls: [Control]

  /// The name that stays with the camera, wherever and whenever it is connected; nil without udev,
  /// and of cameras that have no serial number and of which there are two.
  public var byID: String? { links.first { $0.contains("/by-id/") } }
}

/// A socket of a device that has several.
public struct VideoInput: Hashable, Sendable {
  public var index: Int
  public var name: String
  public var isCamera: Bool
  /// False where the device says that nothing is connected or turned on.
  public var hasSignal: Bool
  /// The one that is looked at now.
  public var isSelected: Bool
}
