import MinilabKit

/// The keys of a profile that are limits, by the table in which each stands: what `--limit` takes.
enum LimitNames {
  static let ofInput = [
    "max-pixels", "max-side", "max-bytes", "max-pages", "max-total-pixels", "max-warnings",
    "time-limit",
  ]
  static let ofRun = RunLimits.parameters.map(\.name)

  /// Nil for what is no limit.
  static func table(of name: String) -> String? {
    if ofInput.contains(name) { return "input" }
    return ofRun.contains(name) ? "limits" : nil
  }

  /// As an error has it that tells of a limit: where it stands, and what sets another.
  static func shown(_ name: String) -> String {
    "(\(table(of: name) ?? "input").\(name); --limit \(name)=… sets another)"
  }
}

extension Assignment {
  /// One `--limit NAME=VALUE`, which names no table.
  init(limit argument: String) throws(Problem) {
    let place = Place(argument: "--limit \(argument)")
    let name = String(argument.prefix { $0 != "=" })
    guard let table = LimitNames.table(of: name) else {
      let names = LimitNames.ofInput + LimitNames.ofRun
      throw Problem(
        .unknownKey,
        at: place,
        key: "",
        expected: expectedName("a limit", for: name, among: names),
        received: "\"\(Path(name).shown)\""
      )
    }
    try self.init("\(table).\(argument)", at: place)
  }
}
