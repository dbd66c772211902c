public import MinilabKit

extension Compose {
  public static let rules: [Rule<Self>] = [
    Rule("a layer with layout = \"free\"", keys: ["layout"]) { compose, _ in
      compose.layout == .free && compose.layers.isEmpty ? "none" : nil
    },
    Rule("columns with layout = \"grid\"", keys: ["columns"]) { compose, given in
      guard given.contains("columns"), compose.arrangement != .grid else { return nil }
      return "layout = \(compose.arrangement.literal)"
    },
    .tilesOnly("gap"), .tilesOnly("tile"), .tilesOnly("fit"), .tilesOnly("caption"),
    .requires("caption-color", oneOf: ["caption"]),
    .requires("caption-size", oneOf: ["caption"]),
    .requires("caption-font", oneOf: ["caption"]),
  ]

  /// The layout, given or not.
  var arrangement: Layout { layout ?? (layers.isEmpty ? .grid : .free) }
}

extension Rule<Compose> {
  fileprivate static func tilesOnly(_ key: String) -> Rule {
    Rule("\(key) with layout = \"strip\" or \"grid\"", keys: [key]) { compose, given in
      given.contains(key) && compose.arrangement == .free ? "layers alone" : nil
    }
  }
}
