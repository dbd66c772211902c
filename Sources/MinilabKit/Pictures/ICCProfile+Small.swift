/// Profiles of half a kilobyte, made from the standards' own numbers: what outputs embed.
///
/// Version 4 of the format, whose curves are formulas: exact where a table of the same size is not.
extension ICCProfile {
  /// IEC 61966-2-1.
  public static let sRGB = ICCProfile(
    small: "sRGB",
    red: (0.64, 0.33),
    green: (0.30, 0.60),
    blue: (0.15, 0.06)
  )

  /// The primaries of SMPTE RP 431-2 with the white and the curve of sRGB.
  public static let displayP3 = ICCProfile(
    small: "Display P3",
    red: (0.680, 0.320),
    green: (0.265, 0.690),
    blue: (0.150, 0.060)
  )

  /// Gray with the curve of sRGB.
  public static let gray = ICCProfile(
    name: "Gray with the curve of sRGB",
    space: .gray,
    [("kTRC", curve)]
  )

  private typealias Chromaticity = (x: Double, y: Double)

  private init(small name: String, red: Chromaticity, green: Chromaticity, blue: Chromaticity) {
    // D65 as the standards round it.
    let white = Self.xyz((0.3127, 0.3290))
    let primaries = Matrix3(columns: Self.xyz(red), Self.xyz(green), Self.xyz(blue))
    // As much of each as gives white together.
    let amounts = primaries.inverse * white
    let adaptation = Self.adaptation(from: white)
    let columns = (0..<3).map { column in
      adaptation * primaries.column(column).map { $0 * amounts[column] }
    }
    self.init(
      name: name,
      space: .rgb,
      [
        ("chad", Self.type("sf32") + adaptation.rows.joined().flatMap(Self.fixed)),
        ("rXYZ", Self.point(columns[0])), ("gXYZ", Self.point(columns[1])),
        ("bXYZ", Self.point(columns[2])), ("rTRC", Self.curve), ("gTRC", Self.curve),
        ("bTRC", Self.curve),
      ]
    )
  }

  /// White of the connection space, as its header rounds it (ICC.1:2010, 7.2.16).
  static let d50 = [0xf6d6, 0x10000, 0xd32d].map { Double($0) / 65_536 }

  private static func xyz(_ color: Chromaticity) -> [Double] {
    [color.x / color.y, 1, (1 - color.x - color.y) / color.y]
  }

  /// Bradford's (ICC.1:2010, annex E).
  private static func adaptation(from white: [Double]) -> Matrix3 {
    let cones = Matrix3(rows: [
      [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
    ])
    let gains = zip(cones * d50, cones * white).map { $0 / $1 }
    let scaled = Matrix3(rows: zip(cones.rows, gains).map { row, gain in row.map { $0 * gain } })
    return cones.inverse * scaled
  }

  // MARK: Bytes (ICC.1:2010, 7.2, 7.3, 10.13, 10.16, 10.19, 10.31)

  private init(name: String, space: Space, _ own: [(name: String, data: [UInt8])]) {
    let tags =
      [("desc", Self.words(name)), ("cprt", Self.words("CC0")), ("wtpt", Self.point(Self.d50))]
      + own
    var table = Self.long(tags.count)
    var data: [UInt8] = []
    var places: [[UInt8]: Int] = [:]
    for (name, bytes) in tags {
      // Equal data is there once: the three curves.
      let place = places[bytes] ?? 128 + 4 + tags.count * 12 + data.count
      if places.updateValue(place, forKey: bytes) == nil {
        data += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
      }
      table += Array(name.utf8) + Self.long(place) + Self.long(bytes.count)
    }
    var header = Self.long(128 + table.count + data.count) + Self.long(0) + Self.long(0x0420_0000)
    header += Array("mntr\(space.rawValue)XYZ ".utf8)
    // No date: the same bytes whenever they are made; the year 2000 is a date that is valid.
    header += [7, 208, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 28) + Self.d50.flatMap(Self.fixed)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    self.init(header + table + data)
  }

  private static func long(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
  }

  private static func fixed(_ value: Double) -> [UInt8] { long(Int((value * 65_536).rounded())) }

  private static func type(_ name: String) -> [UInt8] { Array(name.utf8) + long(0) }

  private static func point(_ values: [Double]) -> [UInt8] {
    type("XYZ ") + values.flatMap(fixed)
  }

  private static func words(_ text: String) -> [UInt8] {
    let letters = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return type("mluc") + long(1) + long(12) + Array("enUS".utf8) + long(letters.count) + long(28)
      + letters
  }

  /// sRGB's: a power of 2.4 above a straight line.
  private static let curve =
    type("para") + [0, 3, 0, 0]
    + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)
}
