internal import Synchronization
internal import Vips

/// What can be told of an ICC profile: from its header and description (ICC.1:2010, 7.2, 9.2.41,
/// 10.13) and from what it does to a few colors.
public struct ICCProfile {
  private let bytes: [UInt8]

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Why the profile cannot be a picture's, in words; nil where it fits.
  public func fault(isGray: Bool) -> String? {
    guard hasHeader, conversion != .none else { return "is broken" }
    let wanted = isGray ? "GRAY" : "RGB "
    return space == wanted ? nil : "is for \(space.trimmed) and the picture is \(wanted.trimmed)"
  }

  /// It leaves every color as sRGB has it, so nothing needs converting.
  ///
  /// Names are no guide: "linear sRGB" is another space, and encoders write sRGB under names of
  /// their own.
  public var isSRGB: Bool { hasHeader && space == "RGB " && conversion == .identity }

  /// The `desc` tag: ASCII (version 2), or the first text of several (version 4, `mluc`, UTF-16).
  public var description: String {
    let count = min(number(at: 128), 256)
    for index in 0..<count {
      let entry = 132 + index * 12
      guard text(at: entry, count: 4) == "desc" else { continue }
      let start = number(at: entry + 4)
      let isUnicode = text(at: start, count: 4) == "mluc"
      let length = number(at: start + (isUnicode ? 20 : 8))
      let first = start + (isUnicode ? number(at: start + 24) : 12)
      guard first >= 0, first < bytes.count else { return "" }
      // Either form is ASCII with or without zero bytes between the letters.
      return String(
        decoding: bytes[first...].prefix(min(length, 256)).filter { (0x20...0x7e).contains($0) },
        as: UTF8.self
      )
    }
    return ""
  }

  private var hasHeader: Bool { bytes.count >= 132 && text(at: 36, count: 4) == "acsp" }

  private var space: String { text(at: 16, count: 4) }

  private func number(at offset: Int) -> Int {
    guard offset >= 0, offset + 4 <= bytes.count else { return 0 }
    return bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  private func text(at offset: Int, count: Int) -> String {
    guard offset >= 0, offset + count <= bytes.count else { return "" }
    return String(decoding: bytes[offset..<(offset + count)], as: UTF8.self)
  }

  // MARK: Trying it

  private enum Conversion {
    /// The color management library refuses the profile.
    case none
    /// No color changes, but for rounding.
    case identity
    case some
  }

  /// A conversion costs as much as a small picture, and the pictures of a folder mostly have one
  /// profile: the last answer is kept.
  private static let last = Mutex<(bytes: [UInt8], conversion: Conversion)?>(nil)

  private var conversion: Conversion {
    if let last = Self.last.withLock({ $0 }), last.bytes == bytes { return last.conversion }
    let conversion = tried()
    Self.last.withLock { $0 = (bytes, conversion) }
    return conversion
  }

  /// What sRGB's corners, grays and all between become, in steps of a fifth.
  private func tried() -> Conversion {
    guard ["GRAY", "RGB "].contains(space) else { return .some }
    let steps = stride(from: UInt8(0), through: 255, by: 51)
    let colors =
      space == "GRAY"
      ? Array(steps)
      : steps.flatMap { red in steps.flatMap { green in steps.flatMap { [red, green, $0] } } }
    let bands = space == "GRAY" ? 1 : 3
    do {
      let image = try Image(pixels: colors, width: colors.count / bands, height: 1, bands: bands)
      image.set("icc-profile-data", blob: bytes)
      let converted = try image.toSRGB(depth: 8).pixels()
      let isSame = zip(colors, converted).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
      return bands == 3 && isSame ? .identity : .some
    } catch {
      return .none
    }
  }
}

extension String {
  fileprivate var trimmed: String { String(self.drop { $0 == " " }.prefix { $0 != " " }) }
}
