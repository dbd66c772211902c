import MinilabKit

/// Reads one `[[output]]`: its own keys, its steps, and the options of the encoders it may use.
struct OutputDecoder {
  let operations: [OperationEntry]
  /// Units have groups, and paths may name them.
  var isGathered = false
  /// Pages have files of their own, and paths may name them.
  var splitsPages = false

  /// Keys of an output that are no encoder's.
  static let ownKeys = Set(OutputSettings.parameters.map(\.name)).union(["step"])

  func output(_ node: Node, _ problems: inout [Problem]) -> Output? {
    let before = problems.count
    let options = (node.entries ?? []).filter { !Self.ownKeys.contains($0.key) }
    let address = ["output", outputName(node) ?? OutputSettings().name]
    let key = shownAddress(address)
    let settings = OutputSettings.decode(
      node,
      key: key,
      ignoring: Set(options.map(\.key)).union(["step"]),
      &problems
    )
    let path = node["path"]
    let template = (path?.text ?? OutputSettings().path).nonEmpty(path, key, &problems).flatMap {
      PathTemplate(
        $0,
        at: path?.place ?? node.place,
        key: key + ".path",
        hasGroups: isGathered,
        hasPages: splitsPages,
        &problems
      )
    }
    let steps = StepDecoder(operations: operations).steps(
      node["step"],
      below: address,
      &problems
    )
    let reader = EncoderOptions(entries: options, key: key, place: node.place)
    let encoders: EncoderOptions.Encoders?
    if let format = node["format"] {
      if let known = format.text.flatMap(OutputFormat.init) {
        encoders = reader.encoders(for: known.picture, &problems)
      } else {
        // A format that is wrong says nothing about its options, save that they must be of some.
        reader.refuseUnknown(&problems)
        encoders = nil
      }
    } else {
      encoders = reader.encodersForAny(&problems)
    }
    guard problems.count == before, let settings, let template, let encoders else { return nil }
    return Output(
      settings: settings,
      path: template,
      steps: steps,
      encoders: encoders,
      namesEncoderOption: !options.isEmpty || settings.maxBytes != nil,
      place: node.place
    )
  }
}

extension String {
  /// An empty path is no template; the problem is the same whatever a template is.
  fileprivate func nonEmpty(_ node: Node?, _ key: String, _ problems: inout [Problem]) -> String? {
    guard isEmpty, let node else { return self }
    problems.append(
      Problem(
        .outOfRange,
        at: node.place,
        key: key + ".path",
        expected: "a path",
        received: node.shown
      )
    )
    return nil
  }
}
