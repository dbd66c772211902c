import MinilabKit
import V4L2

extension Capture {
  // MARK: Which camera

  /// The camera that the profile means.
  ///
  /// `stop`: a descriptor whose being readable ends every wait.
  /// `again`: one that was there before, to be found again by what stays with it.
  /// `onRecord`: is told what must be put back, before each change.
  /// Throws `VideoError` with the cameras that are there instead.
  func camera(
    stop: Int32? = nil,
    again: DeviceDescription? = nil,
    onRecord: @escaping ([UInt8]?) -> Void = { _ in }
  ) throws -> any Camera {
    let devices = VideoDevices.list(in: folder)
    let description: DeviceDescription
    if let again {
      description = try find(again, devices)
    } else if let camera = facing.flatMap({ try? devices.camera(facing: $0) }) {
      // What a camera says of itself goes before the profile's own mapping.
      description = camera
    } else {
      let word = meant
      if word == "test" || word == "test:tables" {
        return try TestCamera(self, hasTables: word == "test:tables")
      }
      description = try find(word, devices)
    }
    return try DeviceCamera(
      description,
      word: facing == nil ? CameraIdentity.word(of: description.card) : device,
      self,
      stop: stop,
      onRecord: onRecord
    )
  }

  /// Where the camera is to look, if that is how it is chosen.
  private var facing: DeviceDescription.Facing? {
    switch device {
    case "front": .front
    case "back": .back
    default: nil
    }
  }

  /// The word for it, which for `front` and `back` the profile may have.
  private var meant: String {
    switch device {
    case "front": front ?? device
    case "back": back ?? device
    default: device
    }
  }

  private func find(_ word: String, _ devices: VideoDevices) throws -> DeviceDescription {
    switch word {
    case "default": try devices.firstCamera()
    case "front": try devices.camera(facing: .front)
    case "back": try devices.camera(facing: .back)
    default: try devices.camera(word)
    }
  }

  /// The same camera after it was plugged in again, perhaps under another number.
  ///
  /// One that has no ID of its own is told by where it is connected: there may be others of its model,
  /// which were there all the time.
  private func find(
    _ lost: DeviceDescription,
    _ devices: VideoDevices
  ) throws -> DeviceDescription {
    if let name = lost.byID { return try devices.camera(name) }
    let alike = devices.cameras.filter { $0.card == lost.card && $0.bus == lost.bus }
    guard let camera = alike.first(where: { $0.path == lost.path }) ?? alike.first else {
      throw VideoError(
        lost.path,
        .notFound(instead: devices.cameras.map { "\($0.card) (\($0.path))" })
      )
    }
    return camera
  }

  // MARK: What is wanted of it

  /// Every frame that comes is taken, in its order.
  var takesEveryFrame: Bool { interval == 0 && itemCount > 1 && flash == .off }

  var frameLimit: Duration { .milliseconds(Int(timeout * 1000)) }

  var sizeWish: FormatWish.Size {
    if let size { return .near(FrameSize(width: size.x, height: size.y)) }
    return switch preset {
    case .photo: .photo
    case .high: .high
    case .medium: .medium
    case .low: .low
    }
  }

  /// Of a camera that has any size: that which is asked for, or what a preset finds among some.
  func wantedSize(offered: [FrameSize]) -> FrameSize {
    if let size { return FrameSize(width: size.x, height: size.y) }
    let sizes = offered.map {
      OfferedSizes(width: SteppedRange($0.width), height: SteppedRange($0.height), intervals: [])
    }
    let format = OfferedFormat(
      code: FourCC("MJPG"),
      title: "",
      isCompressed: true,
      isEmulated: false,
      sizes: sizes
    )
    let choice = try? FormatWish(size: sizeWish).choice(from: [format], of: "test")
    return choice?.size ?? offered[0]
  }

  /// How the rows of a camera's frames stand.
  func orientation(of camera: any Camera) -> Orientation {
    let rotation = (camera as? DeviceCamera)?.description.sensorRotation ?? 0
    // The sensor's rotation is counted counterclockwise.
    let upright = held?.orientation ?? Orientation(turning: 360 - rotation)
    return mirror ? upright.mirrored : upright
  }

  /// How far is zoomed, by whatever means.
  var wantedZoom: Double { min(zoom, maxZoom) }

  /// Says that less is zoomed than was asked for.
  var zoomNote: Note? {
    guard zoom > maxZoom else { return nil }
    return Note(
      .zoomChanged,
      "zoom = \(zoom.literal) was brought down to max-zoom = \(maxZoom.literal)"
    )
  }

  /// The part of either side that stays where the camera's own zoom does not reach far enough.
  func middle(_ camera: any Camera) -> Double {
    min(1, camera.ownZoom / wantedZoom)
  }
}

extension PixelChoice {
  /// Nil for whatever is best.
  var format: V4L2.PixelFormat? { V4L2.PixelFormat(rawValue: rawValue) }
}
