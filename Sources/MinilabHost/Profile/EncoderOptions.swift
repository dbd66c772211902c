import MinilabKit

/// The keys of an output that are an encoder's: quality, effort and the like.
struct EncoderOptions {
  let entries: [Node.Entry]
  /// The output's address.
  let key: String
  let place: Place

  typealias Encoders = [PictureFormat: any PictureEncoder]

  /// For an output that names its format: every key must be that encoder's.
  func encoders(for format: PictureFormat, _ problems: inout [Problem]) -> Encoders {
    guard let type = pictureEncoders.first(where: { $0.format == format }) else { return [:] }
    let names = Self.names(of: type)
    for entry in entries where !names.contains(entry.key) {
      let others = Self.types(having: entry.key)
      let expected =
        others.isEmpty
        ? expectedName(
          "a known key",
          for: entry.key,
          among: names + OutputDecoder.ownKeys.sorted()
        )
        : "an option of \(format.shown) (\(names.joined(separator: ", ")))"
      let received =
        others.isEmpty
        ? "\"\(entry.key)\""
        : "\"\(entry.key)\", which \(Self.shown(others)) \(others.count == 1 ? "has" : "have")"
      problems.append(
        Problem(
          .unknownKey,
          at: entry.keyPlace,
          key: key,
          expected: expected,
          received: received
        )
      )
    }
    guard let encoder = decode(type, entries.filter { names.contains($0.key) }, &problems) else {
      return [:]
    }
    return [format: encoder]
  }

  /// For an output in the input's format: every key must be some encoder's, and its value right for
  /// each that has it.
  func encodersForAny(_ problems: inout [Problem]) -> Encoders {
    refuseUnknown(&problems)
    var encoders: Encoders = [:]
    var found: [(problem: Problem, types: [any PictureEncoder.Type])] = []
    var leftOut: [(problem: Problem, type: any PictureEncoder.Type)] = []
    var used: Set<String> = []
    for type in pictureEncoders {
      let own = Self.names(of: type)
      var mine: [Problem] = []
      let (encoder, keys, conflicts) = decodeLeniently(
        type,
        entries.filter { own.contains($0.key) },
        &mine
      )
      encoders[type.format] = encoder
      used.formUnion(keys)
      leftOut += conflicts.map { ($0, type) }
      for problem in mine {
        if let index = found.firstIndex(where: { $0.problem == problem }) {
          found[index].types.append(type)
        } else {
          found.append((problem, [type]))
        }
      }
    }
    // What no format can take is no option of others.
    for (problem, type) in leftOut
    where entries.contains(where: { $0.keyPlace == problem.place && !used.contains($0.key) }) {
      found.append((problem, [type]))
    }
    problems += found.map {
      $0.problem.expecting("\($0.problem.expected) for \(Self.shown($0.types))")
    }
    return encoders
  }

  /// Every key must be some encoder's.
  func refuseUnknown(_ problems: inout [Problem]) {
    let names = Set(pictureEncoders.flatMap(Self.names))
    for entry in entries where !names.contains(entry.key) {
      problems.append(
        Problem(
          .unknownKey,
          at: entry.keyPlace,
          key: key,
          expected: expectedName(
            "a known key",
            for: entry.key,
            among: Array(names.union(OutputDecoder.ownKeys))
          ),
          received: "\"\(entry.key)\""
        )
      )
    }
  }

  /// Where the format is the input's, an option that one encoder can only use together with another
  /// (TIFF's quality) is meant for the others and is left out there.
  ///
  /// - Returns: the encoder, the keys that it has taken, and why it has not taken the others.
  private func decodeLeniently<Encoder: PictureEncoder>(
    _ type: Encoder.Type,
    _ entries: [Node.Entry],
    _ problems: inout [Problem]
  ) -> (encoder: Encoder?, used: [String], conflicts: [Problem]) {
    var found: [Problem] = []
    let encoder = decode(type, entries, &found)
    let conflicts = found.filter { $0.code == .conflict }
    guard !conflicts.isEmpty else {
      problems += found
      return (encoder, entries.map(\.key), [])
    }
    let broken = Set(conflicts.map(\.expected))
    let left = Set(type.rules.filter { broken.contains($0.text) }.flatMap(\.keys))
    let rest = entries.filter { !left.contains($0.key) }
    return (decode(type, rest, &problems), rest.map(\.key), conflicts)
  }

  private func decode<Encoder: PictureEncoder>(
    _ type: Encoder.Type,
    _ entries: [Node.Entry],
    _ problems: inout [Problem]
  ) -> Encoder? {
    Encoder.decode(Node(.table(entries), at: place), key: key, &problems)
  }

  private static func names(of type: any PictureEncoder.Type) -> [String] {
    type.descriptions.map(\.name)
  }

  private static func types(having name: String) -> [any PictureEncoder.Type] {
    pictureEncoders.filter { names(of: $0).contains(name) }
  }

  /// The formats, as a sentence has them.
  private static func shown(_ types: [any PictureEncoder.Type]) -> String {
    let names = types.map { $0.format.shown }
    guard let last = names.last, names.count > 1 else { return names.joined() }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}

extension Problem {
  fileprivate func expecting(_ expected: String) -> Problem {
    Problem(code, at: place, key: key, expected: expected, received: received)
  }
}
