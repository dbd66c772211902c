import MinilabKit

let opsCommand = Command(
  name: "ops",
  operands: "[NAME]",
  summary: "List the operations, or show one of them in full",
  options: [
    CommandOption("json", help: "As JSON, with a JSON Schema of the step"),
    CommandOption("markdown", help: "The reference page of all operations and keys"),
  ]
) { parsed, operations throws(UsageError) in
  let program = "minilab ops"
  guard parsed.operands.count <= 1 else { throw UsageError(program, "more than one NAME") }
  if parsed.has("markdown") {
    guard parsed.operands.isEmpty, !parsed.has("json") else {
      throw UsageError(program, "--markdown takes no NAME and no --json: it is one page")
    }
    Console.print(OperationsPage(operations: operations).markdown)
    return .success
  }
  guard let word = parsed.operands.first else {
    Console.print(parsed.has("json") ? listAsJSON(operations) : list(operations))
    return .success
  }
  guard let operation = operations.first(where: { Path($0.name) == word }) else {
    let expected = expectedName("a name", for: word.shown, among: operations.map(\.name))
    throw UsageError(program, "no operation \"\(word.shown)\": expected \(expected)")
  }
  Console.print(
    parsed.has("json")
      ? OperationSchema(operation: operation).json.indented() + "\n"
      : OperationText(operation: operation).text
  )
  return .success
}

private func list(_ operations: [OperationEntry]) -> String {
  let width = operations.map(\.name.count).max() ?? 0
  return operations.map { operation in
    let gap = String(repeating: " ", count: width - operation.name.count)
    return "\(operation.name)\(gap)  \(operation.summary)\n"
  }.joined()
}

private func listAsJSON(_ operations: [OperationEntry]) -> String {
  let items = operations.map { operation in
    JSONText.object([
      ("name", .string(operation.name)),
      ("version", .integer(Int64(operation.version))),
      ("summary", .string(operation.summary)),
      ("schema", OperationSchema(operation: operation).json),
    ])
  }
  return JSONText.array(items).indented() + "\n"
}
