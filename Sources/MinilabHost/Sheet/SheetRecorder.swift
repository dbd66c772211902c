import MinilabKit

/// Watches what becomes of a unit, and makes sheets of it.
struct SheetRecorder {
  private let profile: Profile
  private let start: [Frame]
  private let pictures: UnitPictures
  private var shared: StepRecord
  /// By the outputs' names, in the order in which they were begun.
  private var outputs: [(output: Output, record: StepRecord)] = []

  /// `frames`: what the unit begins with.
  init(_ profile: Profile, on frames: [Frame], pictures: UnitPictures) {
    self.profile = profile
    start = frames
    self.pictures = pictures
    shared = StepRecord(
      profile.steps,
      profile.node["step"],
      on: frames,
      number: 1,
      after: 0,
      pictures: pictures
    )
  }

  /// Takes down a step that all outputs share.
  mutating func add(_ step: Step, _ before: [Frame], _ after: [Frame]) throws {
    try shared.add(step, before: before, after: after)
  }

  mutating func fail(_ error: ItemError) {
    shared.fail(error)
  }

  /// From here on the steps of this output come.
  mutating func begin(_ output: Output) {
    let before = shared.panels.count + outputs.map(\.record.panels.count).reduce(0, +)
    let record = StepRecord(
      output.steps,
      node(of: output)?["step"],
      on: shared.frames,
      number: 1 + before,
      after: shared.lastNumber,
      pictures: pictures
    )
    outputs.append((output, record))
  }

  /// Takes down a step of the output that was begun last.
  mutating func addOwn(_ step: Step, _ before: [Frame], _ after: [Frame]) throws {
    try outputs[outputs.count - 1].record.add(step, before: before, after: after)
  }

  mutating func failOwn(_ error: ItemError) {
    outputs[outputs.count - 1].record.fail(error)
  }

  /// The sheet of an output, with what was taken down of it.
  func sheet(of output: Output) -> Sheet {
    var sheet = sheet(of: [output.name])
    sheet.hasGuides = output.settings.guides
    return sheet
  }

  /// The sheet of what was taken down of these outputs, by their names.
  func sheet(of names: Set<String>) -> Sheet {
    let shown = outputs.filter { names.contains($0.output.name) }
    var first = SheetSection(panels: [inputPanel] + shared.panels)
    var sections: [SheetSection] = []
    for (output, record) in shown {
      let panels = record.panels + resultPanel(output, record)
      if shown.count == 1 {
        first.panels += panels
      } else {
        sections.append(
          SheetSection(
            heading: output.name,
            remark: node(of: output)?["path"]?.text.map { Path($0).shown } ?? "",
            panels: panels
          )
        )
      }
    }
    return Sheet(
      title: Path(bytes: profile.file.stem.bytes).shown,
      remark: profile.summary,
      sections: [first] + sections,
      pictures: pictures
    )
  }

  private func node(of output: Output) -> Node? {
    profile.node["output"]?.items?.first { outputName($0) == output.name }
  }

  private var inputPanel: SheetPanel {
    let shown = min(start.count, StepRecord.shownOfGroup)
    var panel = SheetPanel(number: 0, title: start[0].origin.path.lastComponent.shown)
    if start.count > 1 {
      panel.title = "\(start.count) pictures"
      if shown < start.count { panel.facts.append("\(shown) of \(start.count) shown") }
    } else {
      let origin = start[0].origin
      var facts = [origin.format.shown, start[0].knownSize.shown]
      if origin.pages > 1 { facts.append("the first of \(origin.pages) pages") }
      panel.facts = [facts.joined(separator: " · ")]
    }
    panel.shots = start.prefix(shown).enumerated().map { place, frame in
      SheetShot(frame, source: .init(step: 0, place: place))
    }
    return panel
  }

  /// What is written; of a sheet there is none, for the sheet is what is written.
  private func resultPanel(_ output: Output, _ record: StepRecord) -> [SheetPanel] {
    guard output.settings.kind == .picture, record.isWhole, shared.isWhole else { return [] }
    var panel = SheetPanel(number: nil, title: "Result")
    if outputs.count == 1 { panel.remark = output.name }
    let frame = record.frames[0]
    let format = output.settings.format?.picture ?? frame.origin.format
    panel.facts = ["\(format.shown) · \(frame.knownSize.shown)"]
    // A heading has said the path.
    let said: Set = outputs.count > 1 ? ["name", "step", "path"] : ["name", "step"]
    panel.settings = node(of: output).map { SettingsText.lines(of: $0, leavingOut: said) } ?? []
    if frame.isSkipped { panel.notes = ["nothing is written: a step has left the picture out"] }
    let encoder = output.encoders[format]
    let keepsAlpha = encoder.map { type(of: $0).holdsAlpha } ?? true
    panel.shots = record.shots()
    if !keepsAlpha, frame.hasAlpha { panel.shots[0].background = output.settings.background }
    return [panel]
  }
}
