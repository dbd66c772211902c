public import MinilabKit

/// How a camera is held or mounted, in the words of phones, whose sensor is upright when they are held
/// `landscape-left`: turned so that their top points to the left.
public enum Held: String, CaseIterable, ParameterChoice {
  case portrait
  case portraitUpsideDown = "portrait-upside-down"
  case landscapeLeft = "landscape-left"
  case landscapeRight = "landscape-right"

  /// How the sensor's rows stand to what the viewer is to see.
  ///
  /// The picture's own words are the reverse: a device held `landscape-left` takes what is called
  /// landscape-right of the picture.
  public var orientation: Orientation {
    switch self {
    case .portrait: .right
    case .portraitUpsideDown: .left
    case .landscapeLeft: .up
    case .landscapeRight: .down
    }
  }
}

extension Orientation {
  /// The orientation of a picture that is to be seen as in a mirror.
  var mirrored: Orientation {
    switch self {
    case .up: .upMirrored
    case .upMirrored: .up
    case .down: .downMirrored
    case .downMirrored: .down
    case .leftMirrored: .right
    case .right: .leftMirrored
    case .rightMirrored: .left
    case .left: .rightMirrored
    }
  }

  /// Of a sensor that is built in at an angle.
  ///
  /// `degrees`: how far, clockwise, the picture is to be turned to be upright.
  init(turning degrees: Int) {
    self =
      switch ((degrees % 360) + 360) % 360 {
      case 90: .right
      case 180: .down
      case 270: .left
      default: .up
      }
  }
}
