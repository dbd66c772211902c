import MinilabKit
import V4L2

/// A V4L2 device.
final class DeviceCamera: Camera {
  let identity: CameraIdentity
  let description: DeviceDescription
  private(set) var format: FrameFormat
  private(set) var notes: [Note] = []
  private(set) var ownZoom = 1.0

  private let capture: Capture
  private let choice: FormatChoice
  private let onRecord: ([UInt8]?) -> Void
  private let stop: Int32?
  private var device: VideoDevice?
  private var stream: FrameStream?
  /// It is lit by a flash, and not by a torch.
  private var hasStrobe = false

  /// Chooses a format; opens nothing that another program would notice.
  ///
  /// - Parameters:
  ///   - description: of the device.
  ///   - word: what items are named after.
  ///   - capture: what is wanted.
  ///   - stop: a descriptor whose being readable ends every wait.
  ///   - onRecord: is told what must be put back, before each change.
  /// - Throws: `VideoError` where it has no format that can be read.
  init(
    _ description: DeviceDescription,
    word: String,
    _ capture: Capture,
    stop: Int32? = nil,
    onRecord: @escaping ([UInt8]?) -> Void = { _ in }
  ) throws {
    self.description = description
    self.capture = capture
    self.stop = stop
    self.onRecord = onRecord
    identity = CameraIdentity(
      word: word,
      shown: "\(description.card) (\(description.byID ?? description.path))",
      make: description.card,
      model: description.card
    )
    var wish = FormatWish(size: capture.sizeWish, pixelFormat: capture.pixelFormat.format)
    // Every frame is wanted where they are taken one after the other.
    if capture.takesEveryFrame { wish.rate = 0 }
    do {
      choice = try wish.choice(from: description.formats, of: description.path)
    } catch {
      guard let wanted = wish.pixelFormat, case .noSuchFormat(let offered) = error.reason,
        !offered.isEmpty
      else { throw error }
      wish.pixelFormat = nil
      choice = try wish.choice(from: description.formats, of: description.path)
      notes.append(
        Note(
          .nearestFormat,
          "the camera has no \(wanted.rawValue); \(choice.pixelFormat.rawValue) was taken"
        )
      )
    }
    format = FrameFormat(
      pixelFormat: choice.pixelFormat,
      width: choice.size.width,
      height: choice.size.height,
      bytesPerLine: 0,
      imageSize: 0,
      matrix: .bt601,
      range: .full
    )
    if let note = sizeNote(choice.size) { notes.append(note) }
  }

  /// How often it delivers.
  var rate: Double? { choice.interval?.rate }

  private func sizeNote(_ size: FrameSize) -> Note? {
    guard let wanted = capture.size, wanted.x != size.width || wanted.y != size.height else {
      return nil
    }
    let shown = FrameSize(width: wanted.x, height: wanted.y).shown
    return Note(.nearestFormat, "the camera has no \(shown); \(size.shown) was taken")
  }

  // MARK: Streaming

  func start() throws {
    let device = try VideoDevice(opening: description.path)
    self.device = device
    device.onRecord = { [onRecord, description] record in
      onRecord(record.entries.isEmpty ? nil : SavedControls(description.path, record).bytes)
    }
    try set(device)
    let agreed = try device.setFormat(choice)
    format = agreed.frame
    if agreed.size != choice.size, let note = sizeNote(agreed.size) { add(note) }
    let stream = try device.start(buffers: 4, wakeUp: stop)
    self.stream = stream
    guard capture.warmUp > 0 else { return }
    try stream.warmUp(WarmUp(frames: capture.warmUp), timeout: capture.frameLimit)
  }

  private func add(_ note: Note) {
    if !notes.contains(note) { notes.append(note) }
  }

  /// Sets everything of the camera that a picture depends on: what another program has left is not
  /// to be seen in it.
  private func set(_ device: VideoDevice) throws {
    try device.setFlip(horizontally: false, vertically: false)
    try optional("rotate", isWanted: false) { try device.setRotation(0) }
    if let exposure = capture.exposure {
      try optional("exposure") {
        switch exposure {
        case .auto: try device.setExposure(.auto)
        case .fixed(let seconds):
          try device.setExposure(.manual(microseconds: Int((seconds * 1e6).rounded())))
        }
      }
    }
    if let focus = capture.focus {
      try optional("focus") {
        switch focus {
        case .auto: try device.setFocus(.auto)
        case .fixed(let position): try device.setFocus(.manual(position))
        }
      }
    }
    if let balance = capture.whiteBalance {
      try optional("white-balance") {
        switch balance {
        case .auto: try device.setWhiteBalance(.auto)
        case .fixed(let kelvin): try device.setWhiteBalance(.manual(kelvin: kelvin))
        }
      }
    }
    ownZoom = try device.setZoom(capture.wantedZoom)
    try device.set(capture.controls.values)
    try optional("flash", isWanted: false) { try device.setFlash(.off) }
  }

  /// A setting that not every camera has.
  ///
  /// `isWanted`: somebody has asked for it, and is told where it cannot be had.
  private func optional(
    _ key: String,
    isWanted: Bool = true,
    _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as VideoError {
      switch error.reason {
      case .noSuchControl, .readOnlyControl, .inactiveControl, .heldControl, .valueOutOfRange:
        if isWanted { add(Note(.controlNotSet, "\(key): \(error.text)")) }
      default: throw error
      }
    }
  }

  private func streaming() throws -> FrameStream {
    guard let stream else { throw VideoError(description.path, .unplugged) }
    return stream
  }

  func next() throws -> CapturedFrame { try streaming().next(timeout: capture.frameLimit) }

  func newest() throws -> CapturedFrame { try streaming().newest(timeout: capture.frameLimit) }

  var droppedFrames: Int {
    guard let counts = stream?.counts else { return 0 }
    return counts.flagged + counts.short + counts.truncated
  }

  var exposure: Double? {
    ((try? device?.exposure()) ?? nil).map { Double($0) / 1e6 }
  }

  // MARK: Light

  /// Frames that pass until a torch shows in them and the camera has taken it in.
  private static let torchFrames = 5

  func light() throws -> Bool {
    guard let device else { return false }
    do {
      switch try device.setFlash(.flash) {
      case .off: return false
      case .flash:
        hasStrobe = true
        try device.strobe()
      case .torch:
        _ = try newest()
        for _ in 0..<Self.torchFrames { _ = try next() }
      }
      return true
    } catch let error as VideoError {
      switch error.reason {
      case .noSuchControl, .readOnlyControl, .inactiveControl, .heldControl, .valueOutOfRange:
        return false
      default: throw error
      }
    }
  }

  func fire() throws {
    if hasStrobe { try device?.strobe() }
  }

  func unlight() throws {
    try optional("flash", isWanted: false) { try device?.setFlash(.off) }
  }

  func close() {
    stream?.stop()
    stream = nil
    device?.close()
    device = nil
  }
}

extension FrameSize {
  /// As people write it.
  var shown: String { "\(width) × \(height)" }
}

extension ControlSettings {
  /// As the binding takes them.
  var values: [String: ControlValue] {
    settings.mapValues { setting in
      switch setting {
      case .number(let number): .number(number)
      case .flag(let flag): .bool(flag)
      case .word(let word): .choice(word)
      }
    }
  }
}
