import Glibc

/// The cameras of the machine.
public struct VideoDevices: Hashable, Sendable {
  /// A device file that could not be asked.
  public struct Broken: Hashable, Sendable {
    public var path: String
    public var error: VideoError
  }

  /// In the order of their numbers.
  public var cameras: [DeviceDescription]
  public var broken: [Broken]

  /// Where device files are: `/dev`, or what the environment variable MINILAB_VIDEO_DEVICES names.
  public static var folder: String {
    guard let value = getenv("MINILAB_VIDEO_DEVICES"), value.pointee != 0 else { return "/dev" }
    return String(cString: value)
  }

  /// Asks every device file of a folder whose name begins with `video`; changes nothing.
  ///
  /// Each camera is there once, under the file itself; links to it, in the folder and in its `v4l`,
  /// are among its `links`. Files of other kinds of devices are left out.
  public static func list(in folder: String = folder) -> VideoDevices {
    list(in: folder, Kernel())
  }

  static func list(in folder: String, _ calls: any VideoCalls) -> VideoDevices {
    var links: [Identity: [String]] = [:]
    for name in ["by-id", "by-path"] {
      let paths = names(in: "\(folder)/v4l/\(name)").map { "\(folder)/v4l/\(name)/\($0)" }
      for path in paths {
        if let file = Identity(of: path) { links[file, default: []].append(path) }
      }
    }
    var files: [(path: String, identity: Identity)] = []
    for name in names(in: folder).filter({ $0.hasPrefix("video") }).sorted(by: isBefore) {
      let path = "\(folder)/\(name)"
      guard let identity = Identity(of: path) else { continue }
      // A link, or a second file of the same device.
      if isLink(path) || files.contains(where: { $0.identity == identity }) {
        links[identity, default: []].append(path)
      }
      files.append((path, identity))
    }
    var result = VideoDevices(cameras: [], broken: [])
    var seen: Set<Identity> = []
    for file in files where seen.insert(file.identity).inserted {
      let path = realPath(file.path) ?? file.path
      do throws(VideoError) {
        let device = try VideoDevice(opening: path, calls)
        result.cameras.append(try device.describe(links: links[file.identity] ?? []))
      } catch {
        switch error.reason {
        case .notCamera, .notVideo: break
        default: result.broken.append(Broken(path: path, error: error))
        }
      }
    }
    return result
  }

  /// `video10` comes after `video9`.
  private static func isBefore(_ one: String, _ other: String) -> Bool {
    let numbers = [one, other].map { Int($0.dropFirst("video".count)) ?? .max }
    return numbers[0] != numbers[1] ? numbers[0] < numbers[1] : one < other
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// What two names of one device have in common.
  private struct Identity: Hashable {
    let isDevice: Bool
    /// Of a device file its number, as there may be two files of it; of any other the file's.
    let file: UInt
    let number: UInt

    /// Nil where nothing is there, or a folder.
    init?(of path: String) {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return nil }
      isDevice = status.st_mode & S_IFMT == S_IFCHR
      file = isDevice ? 0 : UInt(status.st_dev)
      number = isDevice ? UInt(status.st_rdev) : UInt(status.st_ino)
    }
  }
}

extension VideoDevices {
  /// The camera that answers to a word: its path, a link to it, or a part of its name, whatever the
  /// case.
  ///
  /// - Throws: `notFound`, `ambiguous`, or why the device that was named by its path is broken.
  public func camera(_ word: String) throws(VideoError) -> DeviceDescription {
    if word.contains("/") {
      let path = realPath(word)
      if let camera = cameras.first(where: { $0.path == path }) { return camera }
      if let broken = broken.first(where: { $0.path == path }) {
        throw VideoError(word, broken.error.reason)
      }
      guard path != nil else { throw VideoError(word, .notFound(instead: shown)) }
      return try VideoDevice(opening: word).describe()
    }
    let found = cameras.filter { $0.card.lowercased().contains(word.lowercased()) }
    if found.count > 1 { throw VideoError(word, .ambiguous(found.map(\.path))) }
    guard let camera = found.first else { throw VideoError(word, .notFound(instead: shown)) }
    return camera
  }

  /// The first camera that looks there.
  public func camera(facing: DeviceDescription.Facing) throws(VideoError) -> DeviceDescription {
    guard let camera = cameras.first(where: { $0.facing == facing }) else {
      throw VideoError(facing.rawValue, .notFound(instead: shown))
    }
    return camera
  }

  /// The first camera of all.
  ///
  /// - Throws: `notFound`; where there are only broken ones, why the first is.
  public func firstCamera() throws(VideoError) -> DeviceDescription {
    if let camera = cameras.first { return camera }
    if let broken = broken.first { throw VideoError(broken.path, broken.error.reason) }
    throw VideoError("camera", .notFound(instead: []))
  }

  private var shown: [String] { cameras.map { "\($0.card) (\($0.path))" } }
}
