import MinilabKit
import Vips

/// Watches a list of steps and remembers a panel for each.
struct StepRecord {
  private(set) var panels: [SheetPanel] = []
  /// The frames after the last step that was done.
  private(set) var frames: [Frame]
  private let steps: [Step]
  private let nodes: [Node]
  private let firstNumber: Int
  /// Of the step that has made the frames.
  private(set) var lastNumber: Int
  private let pictures: UnitPictures

  /// How many pictures of a group are shown.
  static let shownOfGroup = 3

  /// - Parameters:
  ///   - steps: What will be done.
  ///   - node: The list they were read from.
  ///   - frames: What they begin with.
  ///   - number: Of the first step.
  ///   - last: Of the step before it, which need not be the one with the number before.
  ///   - pictures: Tell sizes that only pixels can tell.
  init(
    _ steps: [Step],
    _ node: Node?,
    on frames: [Frame],
    number: Int,
    after last: Int,
    pictures: UnitPictures
  ) {
    self.steps = steps
    nodes = node?.items ?? []
    self.frames = frames
    firstNumber = number
    lastNumber = last
    self.pictures = pictures
  }

  /// Takes down a step that was done.
  mutating func add(_ step: Step, before: [Frame], after: [Frame]) throws {
    var panel = nextPanel
    let after = try after.map(sized)
    let shown = min(Self.shownOfGroup, before.count)
    let entering = before.map(\.knownSize)
    let made = after.map(\.knownSize)
    if after.count < before.count {
      panel.facts = ["\(before.count) pictures → \(made[0].shown)"]
      if shown < before.count { panel.facts.append("\(shown) of \(before.count) shown") }
      panel.shots = shots(before.prefix(shown), of: lastNumber)
      panel.shots += shots(after[...], of: firstNumber + panels.count) { $0.guides }
      panel.shots[shown].isResult = true
    } else {
      panel.facts = [
        entering[0] == made[0] ? made[0].shown : "\(entering[0].shown) → \(made[0].shown)"
      ]
      let guides = after[0].guides.filter { !$0.isOnResult }
      if guides.isEmpty {
        panel.shots = shots(after.prefix(shown), of: firstNumber + panels.count) { $0.guides }
      } else {
        panel.shots = shots(before.prefix(1), of: lastNumber) { _ in guides }
        panel.shots += shots(after.prefix(1), of: firstNumber + panels.count) {
          $0.guides.filter(\.isOnResult)
        }
        panel.shots[1].isResult = true
      }
      if before.count > 1 {
        panel.facts.append("\(guides.isEmpty ? shown : 1) of \(before.count) shown")
      }
    }
    panel.notes = notes(before, after)
    lastNumber = firstNumber + panels.count
    panels.append(panel)
    frames = after
  }

  /// The frames as they are after the last step that was done.
  func shots() -> [SheetShot] { shots(frames[...], of: lastNumber) }

  private func shots(
    _ frames: ArraySlice<Frame>,
    of step: Int,
    guides: (Frame) -> [Guide] = { _ in [] }
  ) -> [SheetShot] {
    frames.enumerated().map { place, frame in
      SheetShot(frame, source: .init(step: step, place: place), guides: guides(frame))
    }
  }

  /// Takes down that the next step could not be done.
  mutating func fail(_ error: ItemError) {
    var panel = nextPanel
    panel.error = error.reason
    panel.facts = frames.prefix(1).map(\.knownSize.shown)
    panel.shots = shots(frames.prefix(1), of: lastNumber)
    panels.append(panel)
  }

  /// All of its steps were done.
  var isWhole: Bool { panels.count == steps.count && panels.allSatisfy { $0.error == nil } }

  private var nextPanel: SheetPanel {
    let index = panels.count
    let name = type(of: steps[index].operation).name
    var panel = SheetPanel(number: firstNumber + index, title: steps[index].id)
    // A second step of a name has a number behind it.
    if !panel.title.hasPrefix(name) { panel.remark = name }
    if nodes.indices.contains(index) {
      panel.settings = SettingsText.lines(of: nodes[index], leavingOut: StepDecoder.ownKeys)
    }
    return panel
  }

  /// A picture whose size only pixels can tell gets its pixels made.
  private func sized(_ frame: Frame) throws -> Frame {
    if frame.knownSize != nil { return frame }
    return frame.replaced(by: try pictures.image(of: frame).inMemory())
  }

  private func notes(_ before: [Frame], _ after: [Frame]) -> [String] {
    let old = Set(before.flatMap(\.notes))
    var texts: [String] = []
    for note in after.flatMap(\.notes) where !old.contains(note) && !texts.contains(note.text) {
      texts.append(note.text)
    }
    if before.allSatisfy(\.isSkipped) {
      texts.append("not done: the picture is left out")
    } else if after.allSatisfy(\.isSkipped) {
      texts.append("the picture is left out from here on")
    }
    return texts
  }
}

extension ItemError {
  /// The error without the step that it is about.
  var reason: String {
    var plain = self
    plain.step = nil
    return plain.text
  }
}

extension Size? {
  /// As a caption has it.
  var shown: String { map { "\($0.width) × \($0.height)" } ?? "?" }
}

extension Guide {
  /// Drawn over what the step has made; the others over what it was handed.
  var isOnResult: Bool {
    switch self {
    case .boxes: true
    case .crop, .frame, .outline: false
    }
  }
}
