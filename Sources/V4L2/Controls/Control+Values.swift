internal import CV4L2

extension Control {
  /// Nil where the value is none for the control.
  func number(for value: ControlValue) -> Int? {
    switch (kind, value) {
    case (.other, _): return nil
    case (.button, _): return 0
    case (.boolean, .bool(let bool)): return bool ? 1 : 0
    case (.menu, .choice(let word)), (.integerMenu, .choice(let word)):
      return choices.first {
        $0.name.lowercased() == word.lowercased() || Control.name(of: $0.name) == word
      }?.index
    case (.menu, .number(let number)): return choices.first { $0.index == number }?.index
    case (.integerMenu, .number(let number)):
      // The number itself, or its place.
      return choices.first { $0.name == "\(number)" }?.index
        ?? choices.first { $0.index == number }?.index
    case (.bitmask, .number(let number)): return number >= 0 ? number : nil
    case (.integer, .number(let number)), (.boolean, .number(let number)):
      guard range.least...range.most ~= number else { return nil }
      return range.nearest(to: number)
    default: return nil
    }
  }

  /// What the control takes, for a message.
  var allowed: String {
    switch kind {
    case .menu, .integerMenu:
      return choices.map { "\($0.index) (\($0.name))" }.joined(separator: ", ")
    case .boolean: return "true and false"
    case .other, .button, .bitmask: return "numbers"
    case .integer:
      let steps = range.step > 1 ? " in steps of \(range.step)" : ""
      return "\(range.least) to \(range.most)\(steps)"
    }
  }
}

extension Control.Kind {
  init(_ type: v4l2_ctrl_type) {
    switch type {
    case V4L2_CTRL_TYPE_INTEGER: self = .integer
    case V4L2_CTRL_TYPE_BOOLEAN: self = .boolean
    case V4L2_CTRL_TYPE_MENU: self = .menu
    case V4L2_CTRL_TYPE_INTEGER_MENU: self = .integerMenu
    case V4L2_CTRL_TYPE_BUTTON: self = .button
    case V4L2_CTRL_TYPE_BITMASK: self = .bitmask
    default: self = .other
    }
  }
}
