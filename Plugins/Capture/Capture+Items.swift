import Glibc
public import MinilabKit
import V4L2

extension Capture {
  public func announce() throws -> SourceAnnouncement {
    try asItemError {
      let camera = try camera()
      let shape = camera.format
      var notes = camera.notes
      if requireFlash, flash != .off, !hasFlash(camera) { throw Self.noFlash(camera) }
      if let device = camera as? DeviceCamera {
        try check(controls, of: device.description)
      } else if !controls.settings.isEmpty {
        throw ItemError(
          .unsupported,
          expected: "controls that the camera has",
          received: "the test pattern, which has none"
        )
      }
      if flash != .off, !hasFlash(camera) { notes.append(Self.withoutFlash) }
      return SourceAnnouncement(
        name: camera.identity.word,
        format: ShotFile.format(of: shape),
        size: Size(width: shape.width, height: shape.height),
        orientation: orientation(of: camera),
        facts: facts(camera),
        notes: notes
      )
    }
  }

  private func facts(_ camera: any Camera) -> [SourceAnnouncement.Fact] {
    let shape = camera.format
    var facts = [
      SourceAnnouncement.Fact("device", camera.identity.shown),
      .init("size", FrameSize(width: shape.width, height: shape.height).shown),
      .init("pixel-format", shape.pixelFormat.rawValue),
    ]
    if let rate = (camera as? DeviceCamera)?.rate {
      facts.append(.init("rate", "\(rate.literal) a second"))
    }
    let each = burst > 1 ? "\(count) × \(burst)" : "\(count)"
    facts.append(
      .init("pictures", interval > 0 ? "\(each), \(interval.literal) s apart" : each)
    )
    return facts
  }

  public func makeItems(for receiver: any ItemReceiver) throws {
    try asItemError { try Session(self, receiver).run() }
  }

  public func restore(_ record: [UInt8]) throws {
    guard let saved = SavedControls(record) else { return }
    try asItemError {
      let left = try saved.record.restore(device: saved.device)
      guard left.isEmpty else {
        throw ItemError(
          .deviceFailed,
          expected: "to put back \(left.map(\.name).joined(separator: ", ")) of \(saved.device)",
          received: "a camera that refuses"
        )
      }
    }
  }

  // MARK: Flash

  func hasFlash(_ camera: any Camera) -> Bool {
    guard let device = camera as? DeviceCamera else { return false }
    return device.description.controls.contains { $0.name == "led_mode" && !$0.isReadOnly }
  }

  static let withoutFlash = Note(.flashUnsupported, "the camera has no flash")

  static func noFlash(_ camera: any Camera) -> ItemError {
    ItemError(
      .unsupported,
      expected: "a camera with a flash (require-flash)",
      received: "\(camera.identity.shown), which has none"
    )
  }

  // MARK: Errors

  /// What a camera refuses, as an item's error.
  func asItemError<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as VideoError {
      throw error.itemError()
    }
  }
}

extension VideoError {
  /// The same for a report.
  ///
  /// `seconds`: how long the camera was waited for.
  func itemError(after seconds: Double = 0) -> ItemError {
    let code: ItemError.Code =
      switch reason {
      case .notFound, .ambiguous, .unplugged, .notVideo, .notCamera: .deviceMissing
      case .noPermission: .deviceRefused
      case .busy, .bandwidth: .deviceBusy
      case .timeout: .deviceTimeout
      case .noSuchFormat, .noSuchControl, .readOnlyControl, .inactiveControl, .heldControl,
        .valueOutOfRange:
        .unsupported
      case .streamFailed, .failed, .interrupted: .deviceFailed
      }
    let wait = seconds > 0 ? " (it was waited for \(seconds.literal) s)" : ""
    return ItemError(code, expected: "a picture of the camera \(device)", received: text + wait)
  }
}
