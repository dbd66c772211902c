/// Descriptions of cameras for `FakeCameras`.
enum Descriptions {
  /// With all that a webcam has.
  static let webcam = """
    driver uvcvideo
    card Fake Camera: Fake Camera
    bus usb-0000:00:14.0-1
    rate 0
    format YUYV YUYV 4:2:2
    size 640 480
    size 320 240
    control 0x980900 1 0 255 1 128 Brightness
    control 0x98090c 2 0 1 1 1 White Balance, Automatic
    control 0x980918 3 0 2 1 1 Power Line Frequency
    menu 0x980918 0 Disabled
    menu 0x980918 1 50 Hz
    menu 0x980918 2 60 Hz
    control 0x98091a 1 2800 6500 10 4600 White Balance Temperature
    needs 0x98091a 0x98090c 0
    control 0x9a0901 3 0 3 1 3 Auto Exposure
    menu 0x9a0901 1 Manual Mode
    menu 0x9a0901 3 Aperture Priority Mode
    control 0x9a0902 1 1 5000 1 157 Exposure Time, Absolute
    needs 0x9a0902 0x9a0901 1
    control 0x9a090a 1 0 250 5 0 Focus, Absolute
    needs 0x9a090a 0x9a090c 0
    control 0x9a090c 2 0 1 1 1 Focus, Automatic Continuous
    control 0x9a090d 1 100 400 1 100 Zoom, Absolute
    """

  /// With what cameras on boards have.
  static let board = """
    driver unicam
    card Board Camera
    bus platform:fe801000.csi
    rate 0
    format YUYV YUYV 4:2:2
    size 64 48
    control 0x980914 2 0 1 1 0 Horizontal Flip
    control 0x980915 2 0 1 1 0 Vertical Flip
    control 0x980922 1 0 270 90 0 Rotate
    control 0x98091c 1 0 4 1 2 Backlight Compensation
    flags 0x98091c 2
    control 0x9a0914 9 0 4 1 0 White Balance, Preset
    menu 0x9a0914 0 0
    menu 0x9a0914 2 500
    menu 0x9a0914 4 1000
    control 0x9a0922 3 0 2 1 1 Camera Orientation
    flags 0x9a0922 4
    menu 0x9a0922 0 Front
    menu 0x9a0922 1 Back
    menu 0x9a0922 2 External
    control 0x9a0923 1 0 360 1 90 Camera Sensor Rotation
    flags 0x9a0923 4
    control 0x9c0901 3 0 2 1 0 LED Mode
    menu 0x9c0901 0 Off
    menu 0x9c0901 1 Flash
    menu 0x9c0901 2 Torch
    control 0x9c0902 3 0 1 1 1 Strobe Source
    menu 0x9c0902 0 Software
    menu 0x9c0902 1 External
    control 0x9c0903 4 0 0 0 0 Strobe
    control 0x9f0905 1 0 100 1 7 Test Pattern Level
    flags 0x9f0905 1
    """

  /// With one pixel format in one size, as fast as its frames are taken.
  static func format(_ code: String, _ size: String, _ more: String = "") -> String {
    """
    rate 0
    format \(code) \(code)
    size \(size)
    \(more)
    """
  }
}
