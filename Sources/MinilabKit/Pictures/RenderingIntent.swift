/// How a color profile's tables map colors, by libvips' names (ICC.1:2010, 6.4).
public enum RenderingIntent: String, Sendable {
  case perceptual
  case relative

  /// The intent for colors that come from a profile, or go to it.
  ///
  /// Relative colorimetric, which changes no color that both sides can show, wherever the profile
  /// has it: a matrix or a curve has, a table only for itself. libvips takes a profile without it for
  /// one that is missing, and leaves the numbers as they are.
  public init(of profile: [UInt8], isSource: Bool) {
    let tags = Self.tags(of: profile)
    let wanted = isSource ? "A2B1" : "B2A1"
    let table = isSource ? "A2B0" : "B2A0"
    let hasFormula = tags.contains("rXYZ") || tags.contains("kTRC")
    self = tags.contains(table) && !tags.contains(wanted) && !hasFormula ? .perceptual : .relative
  }

  /// The signatures in the tag table (ICC.1:2010, 7.3).
  private static func tags(of profile: [UInt8]) -> Set<String> {
    guard profile.count >= 132 else { return [] }
    let count = profile[128..<132].reduce(0) { $0 << 8 | Int($1) }
    var tags: Set<String> = []
    for index in 0..<min(count, 256) {
      let start = 132 + index * 12
      guard start + 12 <= profile.count else { break }
      tags.insert(String(decoding: profile[start..<(start + 4)], as: UTF8.self))
    }
    return tags
  }
}
