/// Why a device did not do what was asked of it.
///
/// The description is one sentence that says what to do.
public struct VideoError: Error, Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// Nothing is at the path, or no device answers to what was asked for; with the cameras that
    /// are there instead.
    case notFound(instead: [String])
    /// Several devices answer to what was asked for.
    case ambiguous([String])
    /// The file may not be opened.
    case noPermission
    /// Another program takes pictures from it; which, as far as can be told.
    case busy(by: [Holder])
    /// Not a video device at all.
    case notVideo
    /// A video device that takes no pictures: an output, a codec, a node of metadata.
    case notCamera
    /// The pixel format is not to be had, or none that can be read here; with those that are.
    case noSuchFormat(offered: [String])
    /// No frame within so many milliseconds.
    case timeout(milliseconds: Int)
    /// The bus has no room for so much.
    case bandwidth
    /// The device is gone.
    case unplugged
    /// The device failed again after a restart.
    case streamFailed
    /// The other descriptor that was waited for could be read.
    case interrupted
    case noSuchControl(String, nearest: String?)
    case readOnlyControl(String)
    /// The control has no effect, as another one stands.
    case inactiveControl(String)
    /// Another program holds the control.
    case heldControl(String)
    /// The value is not allowed; with what is.
    case valueOutOfRange(String, value: String, allowed: String)
    /// Any other failure of a call.
    case failed(call: String, number: Int32)
  }

  /// The path, or the word that was asked for.
  public let device: String
  public let reason: Reason

  public init(_ device: String, _ reason: Reason) {
    self.device = device
    self.reason = reason
  }

  /// A program that has a device open.
  public struct Holder: Hashable, Sendable {
    public var process: Int32
    public var name: String

    public init(process: Int32, name: String) {
      self.process = process
      self.name = name
    }
  }
}

extension VideoError: CustomStringConvertible {
  public var description: String { "\(device): \(text)" }

  /// The sentence without the device.
  public var text: String {
    switch reason {
    case .notFound(let instead):
      return instead.isEmpty
        ? "no camera is connected; connect one, or check that its driver is loaded"
        : "no such camera; connected are \(Self.list(instead))"
    case .ambiguous(let devices):
      return "more than one camera answers to this; name one of \(Self.list(devices))"
    case .noPermission:
      return "no permission to open the camera; add this user to the group video"
    case .busy(let holders):
      guard !holders.isEmpty else {
        return "another program uses the camera; end it and try again"
      }
      let programs = holders.map { "\($0.name) (process \($0.process))" }
      return "the camera is in use by \(Self.list(programs)); end it and try again"
    case .notVideo: return "this is no video device; name the device of a camera"
    case .notCamera: return "this video device takes no pictures; name another of the same camera"
    case .noSuchFormat(let offered):
      return offered.isEmpty
        ? "the camera delivers no pixel format that can be read here; use another camera"
        : "the camera does not deliver this pixel format; choose one of \(Self.list(offered))"
    case .timeout(let milliseconds):
      return
        "no picture came within \(Self.seconds(milliseconds)) s; reconnect the camera, or allow more time"
    case .bandwidth:
      return
        "the USB bus has no room for this stream; choose a smaller size or MJPEG, or use one camera at a time"
    case .unplugged: return "the camera was unplugged; connect it again"
    case .streamFailed:
      return "the camera reports errors, also after a restart; reconnect it or check its cable"
    case .interrupted: return "interrupted"
    case .noSuchControl(let name, let nearest):
      let hint = nearest.map { "; did you mean \($0)?" } ?? "; leave it out"
      return "the camera has no control \(name)\(hint)"
    case .readOnlyControl(let name): return "the control \(name) can only be read; leave it out"
    case .inactiveControl(let name):
      return "the control \(name) has no effect now; turn off the automatic control that sets it"
    case .heldControl(let name):
      return "the control \(name) cannot be set now, as another program holds it; end that program"
    case .valueOutOfRange(let name, let value, let allowed):
      return "\(value) is no value for the control \(name); it takes \(allowed)"
    case .failed(let call, let number):
      return "the camera failed (\(call): error \(number)); reconnect it"
    }
  }

  private static func list(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.joined() }
    return "\(words.dropLast().joined(separator: ", ")) and \(last)"
  }

  private static func seconds(_ milliseconds: Int) -> String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000)" : "\(Double(milliseconds) / 1000)"
  }
}
