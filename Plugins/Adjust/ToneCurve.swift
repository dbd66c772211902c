import Glibc

/// What becomes of a tone: of 0…1, as it is stored, 0…1.
struct ToneCurve {
  var levels: Levels
  /// -1…1.
  var brightness: Double
  /// -1…1.
  var contrast: Double
  var gamma: Double

  static let identity = ToneCurve(levels: .all, brightness: 0, contrast: 0, gamma: 1)

  var isIdentity: Bool { levels == .all && brightness == 0 && contrast == 0 && gamma == 1 }

  /// The tone after levels, brightness, contrast and gamma, in this order.
  ///
  /// Brightness and contrast by the formulas of GIMP's brightness-contrast operation: a part of the way
  /// to an end, and a line about the middle whose slope is the tangent of an angle from 0 to 90°. Gamma
  /// is the exponent 1 / gamma.
  func callAsFunction(_ tone: Double) -> Double {
    var value = levels.stretched(tone)
    value += brightness < 0 ? value * brightness : (1 - value) * brightness
    if contrast != 0 { value = (value - 0.5) * tan((contrast + 1) * .pi / 4) + 0.5 }
    value = min(1, max(0, value))
    return gamma == 1 ? value : pow(value, 1 / gamma)
  }

  /// The curve for samples of 0 to `from`, in samples of 0 to `to`, rounded.
  func table(from: Int, to: Int) -> [UInt16] {
    (0...from).map { UInt16((self(Double($0) / Double(from)) * Double(to)).rounded()) }
  }
}

/// The tones that become black and white.
struct Levels: Equatable {
  var black: Double
  var white: Double

  static let all = Levels(black: 0, white: 1)

  func stretched(_ tone: Double) -> Double {
    self == .all ? tone : min(1, max(0, (tone - black) / (white - black)))
  }
}
