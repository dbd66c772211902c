import MinilabKit

/// How the outputs of a picture are made, for people and for programs.
struct Explanation {
  private let account: UnitAccount
  private let notes: [Note]
  private let input: Path
  /// Of all the unit's outputs, by their places.
  private let paths: [Path]
  private let budget: MemoryBudget

  init(
    _ account: UnitAccount,
    notes: [Note],
    input: Path,
    paths: [Path],
    budget: MemoryBudget
  ) {
    self.account = account
    self.notes = notes
    self.input = input
    self.paths = paths
    self.budget = budget
  }

  // MARK: For people

  /// Lines, each ended.
  var text: String {
    var lines = account.pictures.map(shown)
    if account.outputs.isEmpty { lines.append("no output is made of it") }
    for output in account.outputs {
      lines.append("\(output.name) → \(path(of: output)?.shown ?? "?"): \(shown(output))")
      lines += output.steps.map { "  " + shown($0, output.format) }
    }
    lines.append(decodes)
    lines.append(
      "about \(Self.megabytes(account.estimate.memory)) of memory, of "
        + "\(budget.bytes == .max ? "any amount" : Self.megabytes(budget.bytes)); "
        + "as long as decoding \(Self.shown(account.estimate.cost)) megapixels of JPEG"
    )
    lines += notes.map { "\($0.code.rawValue): \(Path($0.text).shown)" }
    return lines.map { $0 + "\n" }.joined()
  }

  private func path(of output: OutputAccount) -> Path? {
    paths.indices.contains(output.place) ? paths[output.place] : nil
  }

  private func shown(_ picture: PictureAccount) -> String {
    let name = account.pictures.count == 1 ? input : picture.path
    var words = ["\(picture.format.rawValue) \(picture.size.shown)", picture.samples.shown]
    if picture.samples != picture.working { words.append("worked on as \(picture.working.shown)") }
    if picture.orientation != 1 { words.append("orientation \(picture.orientation)") }
    if picture.isProgressive { words.append("progressive") }
    if picture.pages > 1 { words.append("\(picture.pages) pages") }
    return "\(name.shown): \(words.joined(separator: ", "))"
  }

  private func shown(_ output: OutputAccount) -> String {
    switch output.way {
    case .encode: output.format.rawValue
    case .copy: "the file is copied, and decoded once to see whether it is whole"
    case .lossless: "the blocks of the JPEG are moved, and no pixel is encoded again"
    case .pages: "\(output.format.rawValue), each page in the way of the largest"
    case .sheet: "\(output.format.rawValue), a sheet of the steps"
    }
  }

  private func shown(_ step: WayStep, _ format: PictureFormat) -> String {
    var words: [String] = []
    if let from = step.from, from != step.to {
      words.append("\(from.shown) → \(step.to.shown)")
    } else {
      words.append(step.to.shown)
    }
    if let at = step.at { words.append("from \(at[0]), \(at[1])") }
    if let loader = step.loader { words.append("by \(loader)") }
    if let shrink = step.shrink, shrink > 1 { words.append("reduced by \(shrink) in the decoder") }
    if let box = step.box, box != [1, 1] { words.append("averaged by \(Self.pair(box))") }
    if let kernel = step.kernel {
      let factor = step.factor.map { " by \($0.map(Self.shown).joined(separator: " × "))" } ?? ""
      words.append(kernel + factor)
    }
    if let turn = step.turn { words.append("turned as orientation \(turn)") }
    if let name = step.step { words.append("step \(Path(name).shown)") }
    if let isWhole = step.isWhole { words.append(isWhole ? "held as a whole" : "row by row") }
    if let count = step.count { words.append("\(count) times") }
    if let quality = step.quality { words.append("quality \(quality)") }
    if step.isLossless == true { words.append("lossless") }
    if step.bytes >= 100_000 { words.append(Self.megabytes(step.bytes)) }
    let kind = step.kind.rawValue
    return kind + String(repeating: " ", count: 12 - kind.count) + words.joined(separator: ", ")
  }

  private var decodes: String {
    let counts = account.decodes.filter { $0 > 0 }
    guard let most = counts.max() else { return "decoded not at all" }
    let times = most == 1 ? "once" : "\(most) times"
    return account.pictures.count > 1 ? "decoded \(times) each at most" : "decoded \(times)"
  }

  private static func pair(_ numbers: [Int]) -> String {
    numbers.map(String.init).joined(separator: " × ")
  }

  private static func shown(_ number: Double) -> String {
    JSONLine.rounded(number, digits: number < 10 ? 2 : 1)
  }

  private static func megabytes(_ bytes: Int) -> String {
    JSONLine.rounded(Double(bytes) / 1e6, digits: 1) + " MB"
  }

  // MARK: For programs

  /// One object.
  var json: JSONLine {
    var line = JSONLine()
    line.add("input", input)
    line.add("pictures", each: account.pictures) { $0.tell($1) }
    line.add("outputs", each: account.outputs) { $0.tell($1, path(of: $1)) }
    line.add("decodes", account.decodes)
    line.add("memory", account.estimate.memory)
    line.add("cost", number: account.estimate.cost)
    if budget.bytes != .max { line.add("budget", budget.bytes) }
    line.add("notes", each: notes) { object, note in
      object.add("code", note.code.rawValue)
      object.add("text", note.text)
    }
    return line
  }
}

extension JSONLine {
  fileprivate mutating func tell(_ picture: PictureAccount) {
    add("path", picture.path)
    add("format", picture.format.rawValue)
    add("loader", picture.loader)
    add("width", picture.size.width)
    add("height", picture.size.height)
    add("orientation", picture.orientation)
    add("color", picture.samples.color.rawValue)
    add("bands", picture.samples.bands)
    add("bits", picture.samples.bits)
    if picture.samples != picture.working {
      add("worked-on", [picture.working.bands, picture.working.bits])
    }
    add("pages", picture.pages)
    add("progressive", picture.isProgressive)
    add("reductions", picture.reductions)
  }

  fileprivate mutating func tell(_ output: OutputAccount, _ path: Path?) {
    add("name", output.name)
    if let path { add("path", path) }
    add("format", output.format.rawValue)
    add("way", output.way.rawValue)
    add("steps", each: output.steps) { $0.tell($1) }
  }

  private mutating func tell(_ step: WayStep) {
    add("kind", step.kind.rawValue)
    if let from = step.from { add("from", [from.width, from.height]) }
    add("to", [step.to.width, step.to.height])
    if let at = step.at { add("at", at) }
    if let loader = step.loader { add("loader", loader) }
    if let shrink = step.shrink { add("shrink", shrink) }
    if let box = step.box { add("box", box) }
    if let kernel = step.kernel { add("kernel", kernel) }
    if let factor = step.factor { add("factor", numbers: factor) }
    if let turn = step.turn { add("turn", turn) }
    if let name = step.step { add("step", name) }
    if let isWhole = step.isWhole { add("access", isWhole ? "random" : "sequential") }
    if let quality = step.quality { add("quality", quality) }
    if let isLossless = step.isLossless { add("lossless", isLossless) }
    if let count = step.count { add("count", count) }
    add("bytes", step.bytes)
  }
}
