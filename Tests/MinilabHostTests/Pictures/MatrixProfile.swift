import Testing
import Vips

/// The primaries of a space of color, as columns of XYZ adapted to D50 (ICC.1:2010, annex E).
struct Primaries {
  let red: [Double]
  let green: [Double]
  let blue: [Double]

  /// IEC 61966-2-1.
  static let srgb = Primaries(
    red: [0.436042, 0.2224848, 0.0139203],
    green: [0.3851141, 0.7169045, 0.0970676],
    blue: [0.1430467, 0.0606106, 0.7139175]
  )
  /// SMPTE RP 431-2 primaries with a white of D65.
  static let displayP3 = Primaries(
    red: [0.5151196, 0.2411895, -0.0010504],
    green: [0.2919789, 0.6922434, 0.0418791],
    blue: [0.1571044, 0.0665671, 0.7840768]
  )
  /// Adobe RGB (1998), 4.3.1.
  static let adobe = Primaries(
    red: [0.6097419, 0.3111129, 0.0194655],
    green: [0.2052734, 0.6256745, 0.0608746],
    blue: [0.1491876, 0.0632126, 0.7445653]
  )

  /// ROMM RGB (ISO 22028-2).
  static let prophoto = Primaries(
    red: [0.7976725, 0.288041, 0],
    green: [0.1351882, 0.7118683, 0],
    blue: [0.0313422, 0.0000907, 0.8249061]
  )

  /// As a profile has them, with 16 bits behind the point.
  var stored: Primaries {
    func rounded(_ column: [Double]) -> [Double] {
      column.map { ($0 * 65_536).rounded() / 65_536 }
    }
    return Primaries(red: rounded(red), green: rounded(green), blue: rounded(blue))
  }

  func xyz(_ light: [Double]) -> [Double] {
    (0..<3).map { red[$0] * light[0] + green[$0] * light[1] + blue[$0] * light[2] }
  }

  /// The light of each primary that gives this color: Cramer's rule.
  func light(_ xyz: [Double]) -> [Double] {
    func determinant(_ a: [Double], _ b: [Double], _ c: [Double]) -> Double {
      a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1])
        + c[0] * (a[1] * b[2] - a[2] * b[1])
    }
    let all = determinant(red, green, blue)
    return [
      determinant(xyz, green, blue) / all, determinant(red, xyz, blue) / all,
      determinant(red, green, xyz) / all,
    ]
  }
}

private func long(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }

/// A color profile of version 2 from its tags (ICC.1:2001-04, 6.1 to 6.5).
private func iccProfile(_ space: String, _ tags: [(name: String, data: [UInt8])]) -> [UInt8] {
  let white = ("wtpt", xyzTag([0.9642, 1, 0.8249]))
  let name = Array("test".utf8) + [0]
  let description =
    Array("desc".utf8) + long(0) + long(name.count) + name
    + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67)
  let all = [("desc", description), white] + tags.map { ($0.name, $0.data) }
  var table = long(all.count)
  var data: [UInt8] = []
  for (name, bytes) in all {
    let padded = bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    table += Array(name.utf8) + long(128 + 4 + all.count * 12 + data.count) + long(bytes.count)
    data += padded
  }
  var header = long(128 + table.count + data.count) + Array("none".utf8) + long(0x0210_0000)
  header += Array("mntr".utf8) + Array((space + "    ").utf8.prefix(4)) + Array("XYZ ".utf8)
  header += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
  header += [UInt8](repeating: 0, count: 28)
  header += long(0x0000_f6d6) + long(0x0001_0000) + long(0x0000_d32d)
  header += [UInt8](repeating: 0, count: 128 - header.count)
  return header + table + data
}

private func xyzTag(_ values: [Double]) -> [UInt8] {
  Array("XYZ ".utf8) + long(0) + values.flatMap { long(Int(($0 * 65_536).rounded())) }
}

/// A curve that is a power; with 8 bits behind the point.
private func curveTag(_ gamma: Double) -> [UInt8] {
  let number = Int((gamma * 256).rounded())
  return Array("curv".utf8) + long(0) + long(1) + [UInt8(number >> 8), UInt8(number & 255)]
}

/// A profile for RGB with these primaries and one power for all of them.
func matrixProfile(_ primaries: Primaries, gamma: Double) -> [UInt8] {
  iccProfile(
    "RGB",
    [
      ("rXYZ", xyzTag(primaries.red)), ("gXYZ", xyzTag(primaries.green)),
      ("bXYZ", xyzTag(primaries.blue)), ("rTRC", curveTag(gamma)), ("gTRC", curveTag(gamma)),
      ("bTRC", curveTag(gamma)),
    ]
  )
}

/// The same with a curve of values from 0 to 1, evenly spaced.
func matrixProfile(_ primaries: Primaries, table: [Double]) -> [UInt8] {
  let curve =
    Array("curv".utf8) + long(0) + long(table.count)
    + table.flatMap { value -> [UInt8] in
      let number = Int((value * 65_535).rounded())
      return [UInt8(number >> 8), UInt8(number & 255)]
    }
  return iccProfile(
    "RGB",
    [
      ("rXYZ", xyzTag(primaries.red)), ("gXYZ", xyzTag(primaries.green)),
      ("bXYZ", xyzTag(primaries.blue)), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
  )
}

/// A profile for gray with a power as its curve.
func grayProfile(gamma: Double) -> [UInt8] { iccProfile("GRAY", [("kTRC", curveTag(gamma))]) }

/// The general profile for CMYK that libvips has.
func generalCMYK() throws -> [UInt8] {
  let inks = try Image(pixels: [0, 0, 0], width: 1, height: 1, bands: 3).call(
    "icc_transform",
    [.init("output-profile", .string("cmyk")), .init("input-profile", .string("srgb"))]
  )
  return try #require(inks.blob("icc-profile-data"))
}

/// A profile with nothing in its tags: only their names are right.
func profile(tables: [String]) -> [UInt8] { iccProfile("RGB", tables.map { ($0, long(0)) }) }
