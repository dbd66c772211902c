import MinilabKit

/// The JSON Schema (draft 2020-12) of a `[[step]]` with one operation.
struct OperationSchema {
  let operation: OperationEntry

  var json: JSONText {
    let own: [(key: String, value: JSONText)] = [
      ("op", .object([("const", .string(operation.name))])),
      (
        "id",
        .object([
          ("type", .string("string")),
          ("description", .string("What --set and messages call the step.")),
        ])
      ),
    ]
    let required = ["op"] + operation.parameters.filter(\.isRequired).map(\.name)
    var entries: [(key: String, value: JSONText)] = [
      ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
      ("title", .string(operation.name)),
      ("description", .string(operation.summary)),
    ]
    entries += Self.comment(operation.rules)
    return .object(
      entries + [
        ("type", .string("object")),
        ("properties", .object(own + operation.parameters.map(Self.property))),
        ("required", .array(required.map(JSONText.string))),
        ("additionalProperties", .boolean(operation.takesOtherKeys)),
      ]
    )
  }

  /// What JSON Schema cannot say of several keys together, it says in words.
  private static func comment(_ rules: [String]) -> [(key: String, value: JSONText)] {
    rules.isEmpty ? [] : [("$comment", .string("Expected: \(rules.joined(separator: "; "))"))]
  }

  private static func property(_ row: ParameterDescription) -> (key: String, value: JSONText) {
    var entries: [(key: String, value: JSONText)] = [("description", .string(row.help))]
    if row.unit != .none { entries.append(("x-unit", .string(row.unit.rawValue))) }
    if let value = defaultValue(row) { entries.append(("default", value)) }
    if row.nested.isEmpty {
      entries += schema(row.schema, row.range)
    } else {
      let table: [(key: String, value: JSONText)] =
        comment(row.nestedRules) + [
          ("type", .string("object")),
          ("properties", .object(row.nested.map(property))),
          ("required", .array(row.nested.filter(\.isRequired).map { .string($0.name) })),
          ("additionalProperties", .boolean(false)),
        ]
      if case .table = row.schema {
        entries += table
      } else {
        entries += [("type", .string("array")), ("items", .object(table))]
      }
    }
    return (row.name, .object(entries))
  }

  /// A default is kept as TOML; here it is JSON.
  private static func defaultValue(_ row: ParameterDescription) -> JSONText? {
    guard !row.defaultLiteral.isEmpty else { return nil }
    let text = Array("value = \(row.defaultLiteral)".utf8)
    return (try? TOMLReader.read(text, from: Path("default")))?["value"].map(json)
  }

  private static func json(_ node: Node) -> JSONText {
    switch node.value {
    case .string(let text), .date(let text): .string(text)
    case .integer(let number): .integer(number)
    case .float(let number): .number(number)
    case .boolean(let flag): .boolean(flag)
    case .array(let items): .array(items.map(json))
    case .table(let entries): .object(entries.map { ($0.key, json($0.node)) })
    }
  }

  private static func schema(
    _ schema: Schema,
    _ range: ClosedRange<Double>?
  ) -> [(key: String, value: JSONText)] {
    switch schema {
    case .number: return [("type", .string("number"))] + limits(range)
    case .integer: return [("type", .string("integer"))] + limits(range)
    case .boolean: return [("type", .string("boolean"))]
    case .string, .file: return [("type", .string("string"))]
    case .choice(let names): return [("enum", .array(names.map(JSONText.string)))]
    case .numbers(let numbers):
      return [("enum", .array(numbers.map { .integer(Int64($0)) }))]
    case .length:
      return either([
        [("type", .string("number"))] + limits(range),
        [
          ("type", .string("string")),
          ("pattern", .string("^[-+0-9.eE]+(%|/[-+0-9.eE]+)$")),
        ],
      ])
    case .color:
      return either([
        [("type", .string("string"))],
        [("type", .string("array"))] + items([("type", .string("number"))], 3...4),
      ])
    case .array(let element, let count):
      return [("type", .string("array"))]
        + items(Self.schema(element, range), count.map { $0...$0 })
    case .table(let keys):
      return [
        ("type", .string("object")),
        ("properties", .object(keys.map { ($0, .object([])) })),
      ]
    case .any(let schemas):
      return either(schemas.map { Self.schema($0, range) })
    }
  }

  private static func limits(_ range: ClosedRange<Double>?) -> [(key: String, value: JSONText)] {
    guard let range else { return [] }
    func number(_ value: Double) -> JSONText {
      value == value.rounded() && abs(value) < 1e15 ? .integer(Int64(value)) : .number(value)
    }
    // Rows without an upper limit write one that no picture reaches.
    let upper: [(key: String, value: JSONText)] =
      range.upperBound < 1e15 ? [("maximum", number(range.upperBound))] : []
    return [("minimum", number(range.lowerBound))] + upper
  }

  private static func items(
    _ element: [(key: String, value: JSONText)],
    _ count: ClosedRange<Int>?
  ) -> [(key: String, value: JSONText)] {
    let bounds: [(key: String, value: JSONText)] =
      count.map {
        [
          ("minItems", .integer(Int64($0.lowerBound))),
          ("maxItems", .integer(Int64($0.upperBound))),
        ]
      } ?? []
    return [("items", .object(element))] + bounds
  }

  private static func either(
    _ choices: [[(key: String, value: JSONText)]]
  ) -> [(key: String, value: JSONText)] {
    [("anyOf", .array(choices.map(JSONText.object)))]
  }
}
