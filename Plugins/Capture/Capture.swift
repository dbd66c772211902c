public import MinilabKit
import V4L2

/// Takes stills from a camera, as items of a run.
public struct Capture: SourceOperation {
  public static let name = "capture"
  public static let version = 1
  public static let summary =
    "Take stills from a camera, or from a test pattern, as the run's pictures."

  public static let examples = [
    Example("One picture of the first camera, as large as it has.", ""),
    Example(
      "Four pictures of the moving test pattern.",
      "device = \"test\"\nsize = [640, 480]\npixel-format = \"mjpeg\"\ncount = 4"
    ),
    Example(
      "A photo booth: the camera that faces the guests, mounted upright; four poses.",
      """
      device = "front"
      front = "HD Pro Webcam C920"
      held = "portrait"
      mirror = true
      count = 4
      interval = 3
      reconnect = 60
      """
    ),
    Example(
      "A product table: nothing may change from one picture to the next.",
      """
      device = "/dev/v4l/by-id/usb-Example_Cam_1234-video-index0"
      preset = "photo"
      exposure = 0.02
      focus = 30
      white-balance = 5000
      zoom = 1.5
      max-zoom = 2
      controls = { gain = 0, power_line_frequency = "50 Hz" }
      """
    ),
    Example(
      "Three in immediate succession, with the flash.",
      """
      back = "/dev/video2"
      device = "back"
      flash = "on"
      require-flash = true
      burst = 3
      warm-up = 20
      timeout = 8
      """
    ),
  ]

  /// Where device files are.
  var folder = VideoDevices.folder

  // Which camera.
  public var device = "default"
  public var front: String?
  public var back: String?
  public var reconnect = 10.0

  // What form of frames.
  public var preset = Preset.photo
  public var size: Pair<Int>?
  public var pixelFormat = PixelChoice.auto

  // How the camera is set.
  public var flash = FlashChoice.off
  public var requireFlash = false
  public var zoom = 1.0
  public var maxZoom = 4.0
  public var exposure: Automatic<Double>?
  public var focus: Automatic<Int>?
  public var whiteBalance: Automatic<Int>?
  public var controls = ControlSettings()

  // How it stands.
  public var held: Held?
  public var mirror = false

  // When.
  public var warmUp = 10
  public var timeout = 5.0
  public var count = 1
  public var interval = 0.0
  public var burst = 1

  public init() {}

  public var itemCount: Int { count * burst }

  public var longestSilence: Duration? {
    // A camera that is opened, warms up, is lost and comes back may need each of these once.
    .seconds(30 + interval + reconnect + timeout * Double(warmUp + 10))
  }
}

public enum Preset: String, CaseIterable, ParameterChoice {
  /// The largest still.
  case photo
  /// About 1920 × 1080.
  case high
  /// About 1280 × 720.
  case medium
  /// About 640 × 480.
  case low
}

public enum FlashChoice: String, CaseIterable, ParameterChoice {
  case off
  case on
  /// Where the picture is dark.
  case auto
}

public enum PixelChoice: String, CaseIterable, ParameterChoice {
  case auto
  case mjpeg
  case yuyv
  case uyvy
  case nv12
  case rgb24
  case bgr24
  case grey
}
