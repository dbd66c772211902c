public import MinilabKit

/// How a layer mixes with what lies below it, by libvips' names.
///
/// The formulas are those of the W3C's Compositing and Blending Level 1: chapter 9 for Porter and
/// Duff's operators, chapter 10 for blending; `saturate`, which is not there, is the operator of that
/// name in Cairo and OpenGL. libvips' own `composite` (8.14) is not used: it cuts fractions off, and
/// where both sides are partly transparent `atop`, `dest-atop`, `saturate` and all of chapter 10 come
/// out as something else, by up to nearly all of the range.
public enum BlendMode: String, CaseIterable, Sendable {
  case clear
  case source
  case over
  case `in`
  case out
  case atop
  case dest
  case destOver = "dest-over"
  case destIn = "dest-in"
  case destOut = "dest-out"
  case destAtop = "dest-atop"
  case xor
  case add
  case saturate
  case multiply
  case screen
  case overlay
  case darken
  case lighten
  case colorDodge = "color-dodge"
  case colorBurn = "color-burn"
  case hardLight = "hard-light"
  case softLight = "soft-light"
  case difference
  case exclusion

  /// A transparent pixel of the layer changes what lies below it: the layer counts everywhere on the
  /// canvas, and as transparent outside its box.
  var reachesBeyondItsBox: Bool {
    switch self {
    case .clear, .source, .in, .out, .destIn, .destAtop: true
    default: false
    }
  }

  /// What was opaque may be transparent afterwards.
  var removesCoverage: Bool { reachesBeyondItsBox || self == .destOut || self == .xor }
}

extension BlendMode: ParameterValue {
  public static var schema: Schema { .choice(allCases.map(\.rawValue)) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let word = node.text else { return field.refuse(node, as: Self.self, &problems) }
    // As libvips spells them.
    let american = word.hasPrefix("colour-") ? "color-" + word.dropFirst("colour-".count) : word
    if let mode = Self(rawValue: american) { return mode }
    problems.append(
      Problem(
        .wrongType,
        at: node.place,
        key: field.key,
        expected: expectedName("a blend mode", for: american, among: allCases.map(\.rawValue)),
        received: node.shown
      )
    )
    return nil
  }

  public var literal: String { rawValue.literal }
}
