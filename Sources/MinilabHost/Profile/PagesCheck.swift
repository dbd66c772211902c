import MinilabKit

/// Finds outputs that cannot hold the pages they are to have, and pages that cannot be split.
struct PagesCheck {
  private let profile: Profile

  init(_ profile: Profile) {
    self.profile = profile
  }

  var problems: [Problem] {
    switch profile.input.pages {
    case .first, .reject: return []
    case .split: return gathered
    // Of each picture of a group the first page is shown.
    case .all: return profile.gather == nil ? unheld : []
    }
  }

  private var gathered: [Problem] {
    guard profile.gather != nil else { return [] }
    let place = profile.node["input"]?["pages"]?.place ?? profile.node.place
    return [
      Problem(
        .conflict,
        at: place,
        key: "input.pages",
        expected: "a profile without [gather], where pages are pictures of their own",
        received: "\"split\""
      )
    ]
  }

  private var unheld: [Problem] {
    let nodes = profile.node["output"]?.items ?? []
    let holding = OutputFormat.allCases.filter(\.picture.holdsPages).map(\.rawValue)
    return zip(profile.outputs, nodes).compactMap { output, node in
      guard let format = output.settings.format, !format.picture.holdsPages,
        output.settings.pages == .all, !output.isSheet
      else { return nil }
      return Problem(
        .conflict,
        at: node["format"]?.place ?? node.place,
        key: shownAddress(["output", output.name, "format"]),
        expected:
          "a format that holds all pages (\(holding.joined(separator: ", "))), as input.pages "
          + "= \"all\" asks for, or pages = \"first\" in this output",
        received: "\"\(format.rawValue)\""
      )
    }
  }
}
