import Glibc
import MinilabKit
import Vips

/// What an output's bytes depend on beside its inputs: one digest for each output of a profile.
///
/// As the way to the pixels is a function of the whole profile, every key holds the steps of all
/// outputs, and then its own; the settings of the other outputs are not in it. Two outputs with one key are the
/// same file.
enum OutputKeys {
  /// Raise it when the same profile gives other bytes for a reason that lies in none of the operations.
  static let hostVersion = 2

  /// `fonts`: tells the machine's fonts apart; asked only of a profile that draws text.
  static func keys(
    of profile: Profile,
    fonts: () -> [String] = { Fonts.fingerprint() }
  ) -> [ContentDigest] {
    let pixels = pixelKey(of: profile, fonts)
    let nodes = profile.node["output"]?.items ?? []
    return profile.outputs.enumerated().map { index, output in
      ContentDigest { state in
        state.add(pixels.bytes)
        if index < nodes.count { state.add(nodes[index], without: ["name", "path", "step"]) }
        state.add(output.steps, index < nodes.count ? nodes[index]["step"] : nil, profile)
        state.add(contentsOf: profile.references(of: output.settings))
        for (format, encoder) in output.encoders.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
          state.add(format.rawValue)
          state.add(contentsOf: profile.references(of: encoder))
        }
        // A sheet shows names and settings, too.
        if output.isSheet {
          state.add(profile.node, without: [])
          state.add(fonts().joined(separator: "\n"))
        }
      }
    }
  }

  private static func pixelKey(of profile: Profile, _ fonts: () -> [String]) -> ContentDigest {
    ContentDigest { state in
      state.add("minilab output \(hostVersion), libvips \(Host.version)")
      state.add(profile.input.pages.rawValue)
      state.add(profile.input.damaged.rawValue)
      if let gather = profile.node["gather"] { state.add(gather, without: ["max-pictures"]) }
      state.add(profile.steps, profile.node["step"], profile)
      let nodes = profile.node["output"]?.items ?? []
      // A name is for people, unless a step takes the picture of the output that has it.
      let needed = Set(profile.outputs.flatMap { $0.steps.flatMap(\.operation.neededOutputs) })
      for (index, output) in profile.outputs.enumerated() where !output.steps.isEmpty {
        state.add(needed.contains(output.name) ? "output \(output.name)" : "output")
        state.add(output.steps, index < nodes.count ? nodes[index]["step"] : nil, profile)
      }
      if profile.drawsText { state.add(fonts().joined(separator: "\n")) }
    }
  }
}

extension SHA256 {
  fileprivate mutating func add(_ steps: [Step], _ node: Node?, _ profile: Profile) {
    for step in steps {
      let type = type(of: step.operation)
      add("\(type.name) \(type.version)")
      add(contentsOf: profile.references(of: step.operation))
    }
    // The id is for people.
    for table in node?.items ?? [] { add(table, without: ["id"]) }
  }

  /// A value without regard to the order of keys; `without`: keys of the table itself.
  fileprivate mutating func add(_ node: Node, without keys: Set<String>) {
    switch node.value {
    case .string(let text): add("s" + text)
    case .integer(let number): add("i\(number)")
    case .float(let number): add("f\(number)")
    case .boolean(let flag): add(flag ? "true" : "false")
    case .date(let text): add("d" + text)
    case .array(let items):
      add("a\(items.count)")
      for item in items { add(item, without: []) }
    case .table(let entries):
      let kept = entries.filter { !keys.contains($0.key) }.sorted { $0.key < $1.key }
      add("t\(kept.count)")
      for entry in kept {
        add(entry.key)
        add(entry.node, without: [])
      }
    }
  }

  /// The contents of files, in this order.
  fileprivate mutating func add(contentsOf files: [FileReference]) {
    for file in files {
      add(file.given)
      // A run with a file that cannot be read fails by itself.
      add(ContentDigest.ofFile(at: file.path)?.bytes ?? [])
    }
  }
}

extension Profile {
  /// What is drawn depends on the fonts of the machine.
  fileprivate var drawsText: Bool {
    let operations = steps.map(\.operation) + outputs.flatMap { $0.steps.map(\.operation) }
    return operations.contains { Self.holdsText($0) }
  }

  private static func holdsText(_ value: Any) -> Bool {
    if value is TextTemplate { return true }
    return Mirror(reflecting: value).children.contains { holdsText($0.value) }
  }
}
