import MinilabKit
import Testing

/// A table with a bit of everything.
private struct Sample: ParameterTable {
  struct Layer: ParameterTable {
    static let parameters: [Parameter<Self>] = [
      Parameter("opacity", \.opacity, in: 0...1, help: "How much."),
      Parameter("source", \.source, required: true, help: "What."),
    ]
    var opacity = 1.0
    var source = ""
  }

  enum Fit: String, CaseIterable, ParameterChoice {
    case contain
    case cover
  }

  static let parameters: [Parameter<Self>] = [
    Parameter("count", \.count, in: 1...9, help: "How many."),
    Parameter("fit", \.fit, help: "How."),
    Parameter("size", \.size, unit: .pixels, help: "How large."),
    Parameter("layer", \.layers, help: "Layers."),
  ]
  static let rules: [Rule<Self>] = [.atMostOne(of: ["count", "size"])]

  var count = 1
  var fit = Fit.contain
  var size: Pair<Length>?
  var layers: [Layer] = []
}

/// An owner whose rows are another table's, and that has a table below a key.
private struct Owner: ParameterTable {
  static let parameters: [Parameter<Self>] =
    Sample.rows(at: \.part) + [
      Parameter("name", \.name, help: "What it is called."),
      Parameter(table: "inner", \.inner, help: "A table."),
    ]
  static let rules: [Rule<Self>] = Sample.rules(at: \.part)

  var part: Sample = {
    var part = Sample()
    part.count = 7
    return part
  }()
  var name = ""
  var inner: Sample?
}

@Suite struct ParameterTableTests {
  private func entry(_ key: String, _ line: Int, _ value: Node.Value) -> Node.Entry {
    let file = Path("t.toml")
    return Node.Entry(
      key: key,
      keyPlace: Place(file: file, line: line, column: 1),
      node: Node(value, at: Place(file: file, line: line, column: 10))
    )
  }

  private func table(_ entries: Node.Entry...) -> Node {
    Node(.table(entries), at: Place(file: Path("t.toml"), line: 1, column: 1))
  }

  private func decoded(_ node: Node) -> (value: Sample?, problems: [Problem]) {
    var problems: [Problem] = []
    return (Sample.decode(node, key: "s", &problems), problems)
  }

  @Test func fillsValuesAndLeavesDefaults() {
    let value = decoded(table(entry("fit", 2, .string("cover")))).value
    #expect(value?.fit == .cover)
    #expect(value?.count == 1 && value?.size == nil)
  }

  @Test func reportsEveryProblemAtOnce() {
    let layer = table(entry("opacity", 6, .float(2)))
    let problems = decoded(
      table(
        entry("cuont", 2, .integer(3)),
        entry("count", 3, .integer(12)),
        entry("fit", 4, .string("covr")),
        entry("layer", 5, .array([layer]))
      )
    ).problems
    #expect(problems.map(\.code) == [.unknownKey, .outOfRange, .wrongType, .outOfRange, .missing])
    #expect(problems[0].expected.contains("\"count\""))
    #expect(problems[2].expected.contains("did you mean \"cover\""))
    #expect(problems[3].key == "s.layer[0].opacity")
  }

  @Test func aRulePointsAtTheLastKeyItIsAbout() {
    let size = Node.Value.array([
      Node(.integer(1), at: Place(file: Path("t.toml"), line: 3, column: 10)),
      Node(.integer(2), at: Place(file: Path("t.toml"), line: 3, column: 13)),
    ])
    let problems = decoded(table(entry("count", 2, .integer(3)), entry("size", 3, size))).problems
    #expect(problems.map(\.code) == [.conflict])
    #expect(problems.first?.place.line == 3)
    #expect(problems.first?.received == "count and size")
  }

  @Test func rowsDescribeThemselves() {
    let rows = Sample.descriptions
    #expect(rows.map(\.name) == ["count", "fit", "size", "layer"])
    #expect(rows[0].accepted == "a whole number, 1 to 9")
    #expect(rows[0].defaultLiteral == "1")
    #expect(rows[1].accepted == "\"contain\" | \"cover\"")
    #expect(rows[2].defaultLiteral == "")
    #expect(rows[3].nested.map(\.name) == ["opacity", "source"])
  }

  @Test func rowsOfAPartStandAmongTheOwners() throws {
    var problems: [Problem] = []
    let node = table(entry("fit", 2, .string("cover")), entry("name", 3, .string("n")))
    let owner = try #require(Owner.decode(node, key: "o", &problems))
    #expect(owner.part.fit == .cover && owner.part.count == 7 && owner.name == "n")
    #expect(Owner.descriptions.map(\.name) == ["count", "fit", "size", "layer", "name", "inner"])
    #expect(Owner.descriptions[0].defaultLiteral == "7", "the owner's default, not the part's")
  }

  @Test func problemsAndRulesOfAPartAreTheOwners() {
    var problems: [Problem] = []
    let wrong = table(entry("count", 2, .integer(12)), entry("fti", 3, .string("cover")))
    #expect(Owner.decode(wrong, key: "o", &problems) == nil)
    #expect(problems.map(\.key) == ["o.count", "o"])
    problems = []
    let size = Node.Value.array([
      Node(.integer(1), at: Place(file: Path("t.toml"), line: 3, column: 10)),
      Node(.integer(2), at: Place(file: Path("t.toml"), line: 3, column: 13)),
    ])
    #expect(
      Owner.decode(
        table(entry("count", 2, .integer(3)), entry("size", 3, size)),
        key: "o",
        &problems
      ) == nil
    )
    #expect(problems.map(\.code) == [.conflict])
  }

  @Test func aTableBelowAKeyIsReadWhole() throws {
    var problems: [Problem] = []
    let inner = table(entry("count", 3, .integer(4)))
    let owner = try #require(
      Owner.decode(table(entry("inner", 2, inner.value)), key: "o", &problems)
    )
    #expect(owner.inner?.count == 4)
    #expect(Owner.descriptions.last?.schema == .table(["count", "fit", "size", "layer"]))
    let wrong = table(entry("count", 3, .integer(40)))
    #expect(Owner.decode(table(entry("inner", 2, wrong.value)), key: "o", &problems) == nil)
    #expect(Owner.decode(table(entry("inner", 2, .integer(1))), key: "o", &problems) == nil)
    #expect(problems.map(\.key) == ["o.inner.count", "o.inner"])
  }
}
