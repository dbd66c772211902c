import MinilabKit

/// The lines of `--json`.
///
/// Their names are fixed: scripts read them.
enum Events {
  static func item(_ item: ItemReport) -> JSONLine {
    var line = JSONLine(event: "item")
    line.add("input", item.input)
    if !item.inputs.isEmpty { line.add("inputs", item.inputs) }
    line.add("status", item.status.rawValue)
    if let reason = item.reason?.rawValue ?? item.because?.rawValue { line.add("reason", reason) }
    line.add("outputs", each: item.outputs) { object, output in
      object.add("path", output.path)
      object.add("width", output.width)
      object.add("height", output.height)
      object.add("format", output.format.rawValue)
      object.add("bytes", output.bytes)
      if let pages = output.pages { object.add("pages", pages) }
      object.add(output.cropBounds)
    }
    add(item.notes, item.error, to: &line)
    line.add("seconds", seconds: item.seconds)
    return line
  }

  static func summary(_ tally: Tally, seconds: Double) -> JSONLine {
    var line = JSONLine(event: "summary")
    line.add("done", tally.done)
    line.add("failed", tally.failed)
    line.add("skipped", tally.skipped)
    add(leftOut: tally, to: &line)
    line.add("seconds", seconds: seconds)
    return line
  }

  /// What a dry run says of an item.
  static func plan(_ item: PlannedItem) -> JSONLine {
    var line = JSONLine(event: "plan")
    line.add("input", item.input)
    if !item.inputs.isEmpty { line.add("inputs", item.inputs) }
    if let reason = item.reason {
      line.add("status", UnitStatus.skipped.rawValue)
      line.add("reason", reason.rawValue)
    }
    line.add("outputs", each: item.outputs) { object, output in
      object.add("path", output.path)
      if let size = output.size {
        object.add("width", size.width)
        object.add("height", size.height)
      }
      object.add("format", output.format.rawValue)
      object.add(output.size?.cropBounds)
      if let fate = output.fate { object.add("reason", fate.code) }
    }
    add(item.notes, item.error, to: &line)
    return line
  }

  /// What a dry run says of where the pictures will come from.
  static func source(_ source: SourceAnnouncement) -> JSONLine {
    var line = JSONLine(event: "source")
    line.add("name", source.name)
    line.add("format", source.format.rawValue)
    if let size = source.size, size.count == 2 {
      line.add("width", size[0])
      line.add("height", size[1])
    }
    for fact in source.facts { line.add(fact.name, fact.text) }
    add(source.notes, nil, to: &line)
    return line
  }

  /// What a dry run says at its end.
  static func planSummary(_ tally: Tally) -> JSONLine {
    var line = JSONLine(event: "plan-summary")
    line.add("planned", tally.planned)
    line.add("failed", tally.failed)
    line.add("skipped", tally.skipped)
    line.add("reasons") { object in
      for reason in MakingReason.allCases {
        if let count = tally.reasons[reason] { object.add(reason.rawValue, count) }
      }
      if tally.compared > 0 { object.add(PlannedFate.compared.code, tally.compared) }
    }
    add(leftOut: tally, to: &line)
    return line
  }

  private static func add(_ notes: [Note], _ error: ItemError?, to line: inout JSONLine) {
    line.add("notes", each: notes) { object, note in
      object.add("code", note.code.rawValue)
      object.add("text", note.text)
    }
    guard let error else { return }
    line.add("error") { object in
      object.add("code", error.code.rawValue)
      if let step = error.step { object.add("step", step) }
      object.add("text", error.text)
    }
  }

  private static func add(leftOut tally: Tally, to line: inout JSONLine) {
    line.add("left-out") { object in
      for (name, count) in tally.leftOut { object.add(name, count) }
    }
  }
}

extension JSONLine {
  /// What a crop has kept of the picture, upright: left, top, width, height.
  fileprivate mutating func add(_ bounds: PixelRectangle?) {
    guard let bounds else { return }
    add("crop-bounds", [bounds.x, bounds.y, bounds.width, bounds.height])
  }
}
