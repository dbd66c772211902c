import FoundationEssentials
import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@Suite("The command line: ops")
struct OpsTests {
  /// What is read back of `ops --json`.
  private struct Listed: Decodable {
    struct Schema: Decodable {
      struct Property: Decodable {
        var const: String?
        var description: String?
      }

      var title: String
      var required: [String]
      var properties: [String: Property]
      var additionalProperties: Bool
    }

    var name: String
    var version: Int
    var summary: String
    var schema: Schema
  }

  private let operations: [OperationEntry] = .builtin

  private func words(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("the list has each operation with its summary")
  func list() throws {
    let result = try Program.minilab.run("ops")
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.count == operations.count)
    for (line, operation) in zip(lines, operations) {
      #expect(line.hasPrefix("\(operation.name) "))
      #expect(line.hasSuffix("  \(operation.summary)"))
    }
    #expect(result.status == 0)
  }

  @Test("each operation in full has every parameter, rule and example")
  func full() throws {
    for operation in operations {
      let printed = try Program.minilab.run("ops", operation.name).outputText
      #expect(printed.split(separator: "\n").allSatisfy { $0.count < 80 }, "\(operation.name)")
      // However the lines are broken.
      let text = words(printed)
      #expect(text.hasPrefix("\(operation.name), version \(operation.version) "))
      for row in operation.parameters {
        #expect(text.contains(words(" \(row.name) = \(row.accepted) \(row.help) ")))
      }
      for rule in operation.rules { #expect(text.contains(" \(rule) ")) }
      for example in operation.examples { #expect(text.contains(example.summary)) }
    }
  }

  @Test("the JSON list has a schema of each operation's step")
  func json() throws {
    let result = try Program.minilab.run("ops", "--json")
    let listed = try JSONDecoder().decode([Listed].self, from: Data(result.output))
    #expect(listed.map(\.name) == operations.map(\.name))
    for (item, operation) in zip(listed, operations) {
      #expect(item.version == operation.version)
      #expect(item.summary == operation.summary)
      #expect(item.schema.properties["op"]?.const == operation.name)
      #expect(item.schema.required.first == "op")
      #expect(item.schema.additionalProperties == operation.takesOtherKeys)
      #expect(
        Set(item.schema.properties.keys)
          == Set(operation.parameters.map(\.name)).union(["op", "id"])
      )
      for row in operation.parameters {
        #expect(item.schema.properties[row.name]?.description == row.help)
      }
    }
  }

  @Test("the schema of one operation is the one in the list")
  func schema() throws {
    let one = try Program.minilab.run("ops", "crop", "--json").output
    let schema = try JSONDecoder().decode(Listed.Schema.self, from: Data(one))
    #expect(schema.title == "crop")
    #expect(schema.properties["aspect"] != nil)
  }

  @Test("tables in a step show their rules in words, wherever their keys are listed")
  func rulesOfTables() throws {
    func rules(_ row: ParameterDescription) -> [String] {
      row.nestedRules + row.nested.flatMap(rules)
    }
    let all = operations.flatMap(\.parameters).flatMap(rules)
    #expect(all.contains("offset together with gravity"))
    for arguments in [["ops", "compose"], ["ops", "compose", "--json"], ["ops", "--markdown"]] {
      let printed = words(try Program.minilab.run(arguments.map { Path($0) }).outputText)
      for rule in all {
        let quoted = rule.split(separator: "\"", omittingEmptySubsequences: false).joined(
          separator: "\\\""
        )
        #expect(printed.contains(rule) || printed.contains(quoted), "\(arguments) \(rule)")
      }
    }
  }

  @Test("docs/operations.md is what the program prints")
  func page() throws {
    let page = try Program.minilab.run("ops", "--markdown").output
    let kept = try contents(of: packageRoot.appending("docs/operations.md"))
    // Not the pages themselves, which a failure would print byte by byte.
    let isCurrent = page == kept
    #expect(
      isCurrent,
      "renew it with: .build/debug/minilab ops --markdown > docs/operations.md"
    )
  }
}
