internal import Glibc

/// A profile without tables of colors: a curve for each channel, and for RGB the primaries behind them
/// (ICC.1:2010, F.2 and F.3).
struct MatrixShaper {
  /// From a level to its light, both 0 to 1: one for gray, three for RGB.
  let curves: [ShaperCurve]
  /// From light to XYZ; nil for gray.
  let primaries: Matrix3?

  /// Nil where the profile has tables, which go before, or curves that do not go from black to white.
  init?(_ profile: ICCProfile) {
    guard let space = profile.space, space != .cmyk, profile.connectionSpace == "XYZ ",
      !["A2B0", "A2B1", "B2A0", "B2A1", "D2B1", "B2D1"].contains(where: profile.hasTag)
    else { return nil }
    let names = space == .gray ? ["kTRC"] : ["rTRC", "gTRC", "bTRC"]
    let curves = names.compactMap { ShaperCurve(profile, $0) }
    guard curves.count == names.count else { return nil }
    self.curves = curves
    guard space == .rgb else {
      primaries = nil
      return
    }
    let columns = ["rXYZ", "gXYZ", "bXYZ"].compactMap { Self.point(profile, $0) }
    guard columns.count == 3 else { return nil }
    let primaries = Matrix3(columns: columns[0], columns[1], columns[2])
    guard abs(primaries.determinant) > 1e-6 else { return nil }
    self.primaries = primaries
  }

  /// No level of 8 bit and no color of full light differs by what one sees: profiles of one space are
  /// rounded in several ways.
  func isNear(_ other: MatrixShaper) -> Bool {
    let areCurvesNear = zip(curves, other.curves).allSatisfy { own, wanted in
      (0...255).allSatisfy { level in
        let light = own(Double(level) / 255)
        return light >= wanted(max(0, Double(level) - 0.5) / 255)
          && light <= wanted(min(255, Double(level) + 0.5) / 255)
      }
    }
    let numbers = primaries.map { $0.rows.joined() }
    let wanted = other.primaries.map { $0.rows.joined() }
    switch (numbers, wanted) {
    case (nil, nil): return areCurvesNear
    case (let numbers?, let wanted?):
      return areCurvesNear && zip(numbers, wanted).allSatisfy { abs($0 - $1) < 0.001 }
    default: return false
    }
  }

  private static func point(_ profile: ICCProfile, _ name: String) -> [Double]? {
    guard let tag = profile.tag(name), tag.count >= 20 else { return nil }
    return (0..<3).map { profile.fixed(at: tag.lowerBound + 8 + $0 * 4) }
  }
}

/// One `curv` or `para` tag (ICC.1:2010, 10.5 and 10.16).
struct ShaperCurve: Equatable {
  private enum Form: Equatable {
    case table([Double])
    /// g, a, b, c, d, e, f of the standard's general formula.
    case formula([Double])
  }

  private let form: Form

  static let sRGB = ShaperCurve(.gray, "kTRC")
  private static let lightsOfSRGB = sRGB?.lights(65_536) ?? []

  init?(_ profile: ICCProfile, _ name: String) {
    guard let tag = profile.tag(name), tag.count >= 12 else { return nil }
    let start = tag.lowerBound
    switch profile.text(at: start, count: 4) {
    case "curv":
      let count = profile.number(at: start + 8)
      guard count <= 65_536, tag.count >= 12 + count * 2 else { return nil }
      let values = (0..<count).map { Double(profile.short(at: start + 12 + $0 * 2)) }
      form =
        switch count {
        case 0: .formula([1, 1, 0, 0, 0, 0, 0])
        // A power with 8 bits behind the point.
        case 1: .formula([values[0] / 256, 1, 0, 0, 0, 0, 0])
        default: .table(values.map { $0 / 65_535 })
        }
    case "para":
      let kind = profile.short(at: start + 8)
      let counts = [1, 3, 4, 5, 7]
      guard kind < counts.count, tag.count >= 12 + counts[kind] * 4 else { return nil }
      let p = (0..<counts[kind]).map { profile.fixed(at: start + 12 + $0 * 4) }
      switch kind {
      case 0: form = .formula([p[0], 1, 0, 0, 0, 0, 0])
      // Below -b / a it is flat.
      case 1: form = .formula([p[0], p[1], p[2], 0, -p[2] / p[1], 0, 0])
      case 2: form = .formula([p[0], p[1], p[2], 0, -p[2] / p[1], p[3], p[3]])
      case 3: form = .formula(p + [0, 0])
      default: form = .formula(p)
      }
    default: return nil
    }
    guard abs(self(0)) < 1e-4, abs(self(1) - 1) < 1e-3, goesUp else { return nil }
  }

  /// No level is darker than the one before.
  private var goesUp: Bool {
    let samples = (0...256).map { self(Double($0) / 256) }
    return samples.allSatisfy(\.isFinite)
      && zip(samples, samples.dropFirst()).allSatisfy { $0 <= $1 }
  }

  func callAsFunction(_ level: Double) -> Double {
    switch form {
    case .table(let values):
      let place = min(1, max(0, level)) * Double(values.count - 1)
      let index = min(Int(place), values.count - 2)
      return values[index] + (values[index + 1] - values[index]) * (place - Double(index))
    case .formula(let p):
      return level >= p[4] ? pow(p[1] * level + p[2], p[0]) + p[5] : p[3] * level + p[6]
    }
  }

  /// The light of so many evenly spaced levels, the first 0 and the last 1.
  func lights(_ count: Int) -> [Double] {
    (0..<count).map { self(Double($0) / Double(count - 1)) }
  }

  /// The levels that give these lights, which must not go down.
  func levels(of lights: [Double]) -> [Double] {
    let last = 65_535
    // The most wanted one, of which making the table costs as much as a small picture.
    let own = self == Self.sRGB ? Self.lightsOfSRGB : self.lights(last + 1)
    var index = 0
    return lights.map { light in
      while index < last - 1, own[index + 1] < light { index += 1 }
      let step = own[index + 1] - own[index]
      let part = step > 0 ? min(1, max(0, (light - own[index]) / step)) : 0
      return (Double(index) + part) / Double(last)
    }
  }
}

extension ICCProfile {
  fileprivate func short(at offset: Int) -> Int { number(at: offset - 2) & 0xffff }

  /// With a sign, and 16 bits behind the point.
  fileprivate func fixed(at offset: Int) -> Double {
    Double(Int32(truncatingIfNeeded: number(at: offset))) / 65_536
  }
}
