internal import Synchronization
internal import Vips

/// What can be told of an ICC profile: from its header and tags (ICC.1:2010, 7.2, 7.3, 9.2.41,
/// 10.13) and from what it does to a few colors.
public struct ICCProfile: Sendable, Equatable {
  public let bytes: [UInt8]

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// What kind of picture a profile is for.
  public enum Space: String, Sendable {
    case gray = "GRAY"
    case rgb = "RGB "
    case cmyk = "CMYK"
  }

  /// Nil for a broken header, and for spaces that no picture here is in.
  public var space: Space? { hasHeader ? Space(rawValue: text(at: 16, count: 4)) : nil }

  /// Why the profile cannot be a picture's, in words; nil where it fits.
  public func fault(isGray: Bool) -> String? {
    guard hasHeader, conversion != .none else { return "is broken" }
    let wanted = isGray ? Space.gray : .rgb
    let found = text(at: 16, count: 4)
    guard found != wanted.rawValue else { return nil }
    return "is for \(found.trimmed) and the picture is \(wanted.rawValue.trimmed)"
  }

  /// Why no colors can be converted to the profile, in words, as far as its tags tell; nil where they
  /// can.
  public var faultAsTarget: String? {
    guard hasHeader else { return "no ICC profile" }
    let kind = text(at: 12, count: 4)
    guard ["mntr", "prtr", "scnr", "spac"].contains(kind) else {
      return "an ICC profile of class \"\(kind.trimmed)\", which describes no device"
    }
    guard let space else {
      return "an ICC profile for \(text(at: 16, count: 4).trimmed)"
    }
    let hasTable = tag("B2A0") != nil || tag("B2A1") != nil
    let isUsable =
      switch space {
      case .gray: hasTable || tag("kTRC") != nil
      case .rgb: hasTable || ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"].allSatisfy(hasTag)
      case .cmyk: hasTable
      }
    return isUsable ? nil : "an ICC profile that colors can be taken from, and not converted to"
  }

  /// It leaves every color as sRGB has it, so nothing needs converting.
  ///
  /// Names are no guide: "linear sRGB" is another space, and encoders write sRGB under names of
  /// their own.
  public var isSRGB: Bool { space == .rgb && conversion == .identity }

  /// For gray: every level is what sRGB's red, green and blue of that level are.
  public var isGrayOfSRGB: Bool { space == .gray && conversion == .identity }

  /// Colors keep their numbers between the two, but for less than a level of 8 bit.
  ///
  /// Told by their bytes, primaries and curves; profiles with tables are the same only where their
  /// bytes are.
  public func meansTheSame(as other: ICCProfile) -> Bool {
    if self == other { return true }
    guard space == other.space else { return false }
    if other == .sRGB { return isSRGB }
    if other == .gray { return isGrayOfSRGB }
    guard let own = MatrixShaper(self), let wanted = MatrixShaper(other) else { return false }
    return own.isNear(wanted)
  }

  /// The `desc` tag: ASCII (version 2), or the first text of several (version 4, `mluc`, UTF-16).
  public var description: String {
    guard let tag = tag("desc") else { return "" }
    let start = tag.lowerBound
    let isUnicode = text(at: start, count: 4) == "mluc"
    let length = number(at: start + (isUnicode ? 20 : 8))
    let first = start + (isUnicode ? number(at: start + 24) : 12)
    guard first >= 0, first < bytes.count else { return "" }
    // Either form is ASCII with or without zero bytes between the letters.
    return String(
      decoding: bytes[first...].prefix(max(0, min(length, 256)))
        .filter { (0x20...0x7e).contains($0) },
      as: UTF8.self
    )
  }

  /// The profile as a sentence has it.
  public var shown: String {
    let name = description
    return name.isEmpty ? "the embedded profile" : "\"\(name)\""
  }

  // MARK: Tags

  /// Where a tag's data is; nil where the profile has none of that name or is cut short.
  func tag(_ name: String) -> Range<Int>? {
    let count = min(number(at: 128), 256)
    guard count > 0 else { return nil }
    for entry in stride(from: 132, to: 132 + count * 12, by: 12)
    where text(at: entry, count: 4) == name {
      let start = number(at: entry + 4)
      let length = number(at: entry + 8)
      guard start <= bytes.count, length <= bytes.count - start else { return nil }
      return start..<(start + length)
    }
    return nil
  }

  func hasTag(_ name: String) -> Bool { tag(name) != nil }

  /// The space that the profile's numbers are converted to.
  var connectionSpace: String { text(at: 20, count: 4) }

  /// And all the bytes that the header promises.
  private var hasHeader: Bool {
    bytes.count >= 132 && number(at: 0) <= bytes.count && text(at: 36, count: 4) == "acsp"
  }

  /// Of four bytes; 0 beyond the end.
  func number(at offset: Int) -> Int {
    guard offset >= 0, offset + 4 <= bytes.count else { return 0 }
    return bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  func text(at offset: Int, count: Int) -> String {
    guard offset >= 0, offset + count <= bytes.count else { return "" }
    return String(decoding: bytes[offset..<(offset + count)], as: UTF8.self)
  }

  /// It has tables, or a curve for each channel and, for RGB, its primaries (ICC.1:2010, 8.3 and 8.4).
  private var tellsColors: Bool {
    if ["A2B0", "A2B1", "A2B2", "D2B0", "D2B1"].contains(where: hasTag) { return true }
    let needed =
      space == .gray ? ["kTRC"] : ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"]
    return needed.allSatisfy(hasTag)
  }

  // MARK: Trying it

  private enum Conversion {
    /// The color management library refuses the profile.
    case none
    /// No color changes, but for rounding.
    case identity
    case some
  }

  /// A conversion costs as much as a small picture, and the pictures of a folder mostly have the same
  /// few profiles: the last answers are kept, the latest first.
  private static let answers = Mutex<[(bytes: [UInt8], conversion: Conversion)]>([])
  private static let mostAnswers = 8

  private var conversion: Conversion {
    let known = Self.answers.withLock { answers in answers.first { $0.bytes == bytes } }
    if let known { return known.conversion }
    let conversion = tried()
    Self.answers.withLock { answers in
      answers.insert((bytes, conversion), at: 0)
      if answers.count > Self.mostAnswers { answers.removeLast() }
    }
    return conversion
  }

  /// What sRGB's corners, grays and all between become, in steps of a fifth.
  private func tried() -> Conversion {
    guard space == .gray || space == .rgb else { return .some }
    // libvips takes such colors for sRGB, and goes on.
    guard tellsColors else { return .none }
    let steps = stride(from: UInt8(0), through: 255, by: 51)
    let colors =
      space == .gray
      ? Array(steps)
      : steps.flatMap { red in steps.flatMap { green in steps.flatMap { [red, green, $0] } } }
    let bands = space == .gray ? 1 : 3
    do {
      let image = try Image(pixels: colors, width: colors.count / bands, height: 1, bands: bands)
      image.set("icc-profile-data", blob: bytes)
      let converted = try image.throughTables(to: ICCProfile.sRGB, depth: 8)
        .extractBands(0, count: bands).pixels()
      let isSame = zip(colors, converted).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
      return isSame ? .identity : .some
    } catch {
      return .none
    }
  }
}

extension String {
  fileprivate var trimmed: String { String(self.drop { $0 == " " }.prefix { $0 != " " }) }
}
