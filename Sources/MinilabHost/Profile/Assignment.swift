import MinilabKit

/// One `--set KEY=VALUE`, parsed.
struct Assignment {
  /// The keys of the address, from the top: `crop`, `aspect`.
  let address: [String]
  let value: Node
  let place: Place

  /// The value is TOML, or text where it is not TOML; the address is a TOML key.
  init(_ argument: String) throws(Problem) {
    try self.init(argument, at: Place(argument: "--set \(argument)"))
  }

  init(_ argument: String, at place: Place) throws(Problem) {
    self.place = place
    guard let equals = Self.equalsSign(in: argument) else {
      throw Problem(.syntax, at: place, key: "", expected: "KEY=VALUE", received: "no equals sign")
    }
    address = try Self.keys(argument[..<equals], at: place)
    value = Self.value(String(argument[argument.index(after: equals)...]), at: place)
  }

  /// As people write the address.
  var shown: String { shownAddress(address) }

  /// The first equals sign that is not in quotes.
  private static func equalsSign(in argument: String) -> String.Index? {
    var quote: Character?
    // Within double quotes a backslash takes the next character as it is.
    var isEscaped = false
    for (index, character) in zip(argument.indices, argument) {
      if isEscaped {
        isEscaped = false
      } else if let open = quote {
        if character == open { quote = nil }
        isEscaped = character == "\\" && open == "\""
      } else if character == "=" {
        return index
      } else if character == "\"" || character == "'" {
        quote = character
      }
    }
    return nil
  }

  private static func keys(_ text: Substring, at place: Place) throws(Problem) -> [String] {
    var keys: [String] = []
    // A one-line document whose only key is the address: so it may be quoted as in a profile.
    if !text.contains(where: \.isNewline),
      var node = try? TOMLReader.read(Array("\(text) = 0".utf8), from: place.file)
    {
      while let entries = node.entries, entries.count == 1 {
        keys.append(entries[0].key)
        node = entries[0].node
      }
    }
    guard !keys.isEmpty else {
      throw Problem(
        .syntax,
        at: place,
        key: "",
        expected: "an address such as crop.aspect before the equals sign",
        received: "\"\(Path(String(text)).shown)\""
      )
    }
    return keys
  }

  private static func value(_ text: String, at place: Place) -> Node {
    if let root = try? TOMLReader.read(Array("value = \(text)".utf8), from: place.file),
      let entries = root.entries, entries.count == 1
    {
      return entries[0].node.placed(at: place)
    }
    return Node(.string(text), at: place)
  }
}

/// An address as `--set` takes it; a key with a dot or a space in it stands in quotes.
func shownAddress(_ keys: [String]) -> String {
  keys.map { key in
    let isBare = key.utf8.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: "_")
    }
    return isBare && !key.isEmpty ? key : key.literal
  }.joined(separator: ".")
}

extension Node {
  /// The same value with every place in it replaced.
  fileprivate func placed(at place: Place) -> Node {
    switch value {
    case .array(let items): Node(.array(items.map { $0.placed(at: place) }), at: place)
    case .table(let entries):
      Node(
        .table(
          entries.map {
            Entry(key: $0.key, keyPlace: place, node: $0.node.placed(at: place))
          }
        ),
        at: place
      )
    default: Node(value, at: place)
    }
  }
}
