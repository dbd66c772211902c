public import MinilabKit

extension NamedOperation {
  /// Reads the table by what libvips says of the operation.
  public static func decode(
    _ node: Node,
    key: String,
    ignoring: Set<String>,
    _ problems: inout [Problem]
  ) -> Self? {
    guard let named = node["operation"] else {
      problems.append(
        Problem(
          .missing,
          at: node.place,
          key: key,
          expected: "the key \"operation\"",
          received: "none"
        )
      )
      return nil
    }
    guard let name = named.text, let description = allowed(name) else {
      problems.append(
        Problem(
          .unknownOperation,
          at: named.place,
          key: "\(key).operation",
          expected: expectedName(
            "a libvips operation from pictures to a picture",
            for: named.text ?? "",
            among: allowedNames
          ),
          received: named.shown
        )
      )
      return nil
    }
    let before = problems.count
    var step = Self()
    step.operation = name
    let pictures = description.inputs.filter { $0.kind == .image && $0.isRequired }
    step.input = pictures.first?.name ?? "in"
    var given: Set<String> = [step.input]
    for entry in node.entries ?? [] where entry.key != "operation" && !ignoring.contains(entry.key)
    {
      let key = "\(key).\(entry.key)"
      let argument = description.input(entry.key.replacingUnderscores)
      guard let argument, argument.name != step.input else {
        problems.append(
          Problem(
            .unknownKey,
            at: entry.keyPlace,
            key: key,
            expected: expectedName(
              "an option of \(name)",
              for: entry.key,
              among: description.optionNames(step.input)
            ),
            received: "\"\(entry.key)\""
          )
        )
        continue
      }
      given.insert(argument.name)
      step.take(argument, entry.node, key, &problems)
    }
    for argument in description.inputs where argument.isRequired && !given.contains(argument.name) {
      problems.append(
        Problem(
          .missing,
          at: node.place,
          key: key,
          expected: "the key \"\(argument.name)\" (\(argument.summary.lowercasedFirst))",
          received: "none"
        )
      )
    }
    return problems.count == before ? step : nil
  }

  private mutating func take(
    _ argument: OperationDescription.Argument,
    _ node: Node,
    _ key: String,
    _ problems: inout [Problem]
  ) {
    if argument.kind == .image {
      if let file = FileReference.decode(node, as: Field(key), &problems) {
        files.append((argument.name, file))
      }
    } else if let value = argument.value(of: node, key, &problems) {
      arguments.append(Argument(argument.name, value))
    }
  }

  /// The description of an operation that a profile may run.
  private static func allowed(_ name: String) -> OperationDescription? {
    guard name.utf8.allSatisfy({ $0.isNameCharacter }) else { return nil }
    // Asking libvips what it has needs it started; no picture is opened by that.
    do {
      try Host.startIfNeeded()
      let description = try OperationDescription.of(name)
      return description.makesPictureFromPicture ? description : nil
    } catch {
      return nil
    }
  }

  /// The names of all operations that a profile may run, sorted.
  public static var allowedNames: [String] {
    OperationDescription.names.filter { allowed($0) != nil }
  }
}

extension OperationDescription {
  fileprivate var makesPictureFromPicture: Bool {
    !isForeign && !isDeprecated
      && inputs.contains { $0.kind == .image && $0.isRequired }
      && outputs.contains { $0.kind == .image && $0.name == "out" }
      && inputs.allSatisfy { !$0.isRequired || $0.kind == .image || $0.isWritable }
  }

  fileprivate func optionNames(_ input: String) -> [String] {
    inputs.filter { $0.name != input && ($0.kind == .image || $0.isWritable) }.map(\.name)
  }
}

extension OperationDescription.Argument {
  /// A profile has a way to write such a value.
  fileprivate var isWritable: Bool { schema != nil }

  /// What a profile writes for it; nil for kinds that it has no way to write.
  private var schema: Schema? {
    switch kind {
    case .int, .uint64: .integer
    case .double: .number
    case .bool: .boolean
    case .enumeration(let nicks): .choice(nicks)
    case .doubles: .array(.number, count: nil)
    case .ints: .array(.integer, count: nil)
    case .interpolate: .choice(["nearest", "bilinear", "bicubic", "lbb", "nohalo", "vsqbs"])
    case .image, .images, .string, .flags, .blob, .source, .target, .other: nil
    }
  }

  fileprivate func value(
    of node: Node,
    _ key: String,
    _ problems: inout [Problem]
  ) -> Argument.Value? {
    let field = Field(key, in: range)
    switch kind {
    case .int, .uint64: return Int.decode(node, as: field, &problems).map { .int($0) }
    case .double: return Double.decode(node, as: field, &problems).map { .double($0) }
    case .bool: return Bool.decode(node, as: field, &problems).map { .bool($0) }
    case .doubles:
      let list = node.items == nil ? Node(.array([node]), at: node.place) : node
      return [Double].decode(list, as: Field(key), &problems).map { .doubles($0) }
    case .ints:
      let list = node.items == nil ? Node(.array([node]), at: node.place) : node
      return [Int].decode(list, as: Field(key), &problems).map { .ints($0) }
    default:
      guard case .choice(let names)? = schema else {
        problems.append(
          Problem(
            .wrongType,
            at: node.place,
            key: key,
            expected: "no value: a profile cannot write one",
            received: node.shown
          )
        )
        return nil
      }
      guard let word = node.text, names.contains(word) else {
        problems.append(
          Problem(
            .wrongType,
            at: node.place,
            key: key,
            expected: expectedName("a word", for: node.text ?? "", among: names),
            received: node.shown
          )
        )
        return nil
      }
      return kind == .interpolate ? .interpolate(word) : .enumeration(word)
    }
  }
}

extension UInt8 {
  fileprivate var isNameCharacter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || self == UInt8(ascii: "_")
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }
}

extension String {
  /// libvips writes `max-alpha` where its C functions say `max_alpha`.
  fileprivate var replacingUnderscores: String { String(map { $0 == "_" ? "-" : $0 }) }

  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
