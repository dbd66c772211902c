internal import CV4L2
import Glibc

/// An open camera.
///
/// Nothing that another program has left is trusted: `setFormat` says everything of a format. What is
/// changed of the controls is put back by `close`, and by the end of the last reference.
///
/// Not to be shared between threads.
public final class VideoDevice {
  /// As it was asked for.
  public let path: String
  private(set) var handle: Handle
  let capabilities: Capabilities
  private var isOpen = true

  /// Called before each change of a control, with what has to be put back from then on, and with an
  /// empty record when all was put back: so that a process that survives this one can do it.
  public var onRecord: ((ControlRecord) -> Void)?
  /// What has to be put back.
  public internal(set) var record = ControlRecord()

  /// - Throws: `notFound`, `noPermission`, `notVideo`, `notCamera` and others.
  public convenience init(opening path: String) throws(VideoError) {
    try self.init(opening: path, Kernel())
  }

  init(opening path: String, _ calls: any VideoCalls) throws(VideoError) {
    let handle: Handle
    do {
      handle = try Handle(opening: path, calls)
    } catch {
      throw Self.failure(error, toOpen: path)
    }
    do throws(VideoError) {
      capabilities = try Self.identify(handle, path)
    } catch {
      handle.close()
      throw error
    }
    self.path = path
    self.handle = handle
  }

  /// Asks what the device is, and hands it to libv4l2 if it is a camera.
  private static func identify(
    _ handle: Handle,
    _ path: String
  ) throws(VideoError) -> Capabilities {
    var answer = v4l2_capability()
    do {
      // The kernel is asked: libv4l2 says of a device of planes that it is none.
      try handle.request(.queryCapabilities, &answer)
    } catch {
      throw failure(error, toOpen: path)
    }
    let capabilities = Capabilities(answer)
    guard capabilities.isCamera else { throw VideoError(path, .notCamera) }
    do {
      try handle.adopt()
    } catch {
      throw failure(error, toOpen: path)
    }
    return capabilities
  }

  deinit { close() }

  /// Puts the controls back and closes the device; further calls do nothing.
  ///
  /// - Returns: the controls that could not be put back.
  @discardableResult
  public func close() -> [ControlRecord.Entry] {
    guard isOpen else { return [] }
    let left = putBack()
    isOpen = false
    handle.close()
    handle = handle.closed
    return left
  }

  private static func failure(_ error: CallError, toOpen path: String) -> VideoError {
    switch error.number {
    case ENOENT, ENOTDIR, ENXIO, ENODEV: return VideoError(path, .notFound(instead: []))
    case EACCES, EPERM: return VideoError(path, .noPermission)
    case EBUSY: return VideoError(path, .busy(by: Holders.find(of: path)))
    case ENOTTY, EINVAL, EISDIR: return VideoError(path, .notVideo)
    default: return VideoError(path, .failed(call: error.call, number: error.number))
    }
  }

  /// What a failed call of an open device means.
  func failure(_ error: CallError) -> VideoError {
    switch error.number {
    case ENODEV, ENXIO, ESHUTDOWN: return VideoError(path, .unplugged)
    case EBUSY: return VideoError(path, .busy(by: Holders.find(of: path)))
    case ENOSPC: return VideoError(path, .bandwidth)
    default: return VideoError(path, .failed(call: error.call, number: error.number))
    }
  }

  /// A request whose failure is an error of the device.
  func request<Argument>(
    _ request: Request,
    _ argument: inout Argument,
    direct: Bool = false
  ) throws(VideoError) {
    do {
      try handle.request(request, &argument, direct: direct)
    } catch {
      throw failure(error)
    }
  }

  /// A request for something that may not be there.
  func has<Argument>(_ request: Request, _ argument: inout Argument) throws(VideoError) -> Bool {
    do {
      return try handle.has(request, &argument)
    } catch {
      throw failure(error)
    }
  }
}

/// What a device says it is.
struct Capabilities: Hashable {
  let driver: String
  let card: String
  let bus: String
  /// Of this node; another node of the same camera can do other things.
  private let flags: UInt32

  init(_ answer: v4l2_capability) {
    driver = text(answer.driver)
    card = Self.withoutRepetition(text(answer.card))
    bus = text(answer.bus_info)
    let saysOfNode = answer.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
    flags = saysOfNode ? answer.device_caps : answer.capabilities
  }

  var isMultiPlanar: Bool { !has(V4L2_CAP_VIDEO_CAPTURE) && has(V4L2_CAP_VIDEO_CAPTURE_MPLANE) }

  /// Takes pictures by itself: no codec, no metadata, and no part of a pipeline that somebody else has
  /// to set up.
  var isCamera: Bool {
    (has(V4L2_CAP_VIDEO_CAPTURE) || has(V4L2_CAP_VIDEO_CAPTURE_MPLANE))
      && has(V4L2_CAP_STREAMING)
      && !has(V4L2_CAP_VIDEO_M2M) && !has(V4L2_CAP_VIDEO_M2M_MPLANE) && !has(V4L2_CAP_IO_MC)
  }

  private func has(_ flag: Int32) -> Bool { flags & UInt32(flag) != 0 }

  /// The USB driver says "Name: Name", the second one cut off where the field ends.
  private static func withoutRepetition(_ card: String) -> String {
    for (index, character) in zip(card.indices, card) where character == ":" {
      let name = card[..<index]
      let rest = card[card.index(after: index)...].drop { $0 == " " }
      if !rest.isEmpty && name.hasPrefix(rest) { return String(name) }
    }
    return card
  }
}

/// The text in a field of a kernel struct: up to its NUL, if it has one.
func text<Field>(_ field: Field) -> String {
  withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
