import MinilabKit

let devicesCommand = Command(
  name: "devices",
  operands: "",
  summary: "Show the cameras with their formats, sizes and controls",
  options: [CommandOption("json", help: "Print one JSON object for all devices")]
) { parsed, operations throws(UsageError) in
  if let word = parsed.operands.first {
    throw UsageError("minilab devices", "expected no argument, found \"\(word.shown)\"")
  }
  var devices: [SourceDevice] = []
  var status = ExitStatus.success
  for operation in operations where operation.makesItems {
    do {
      devices += try operation.devices()
    } catch {
      let reason = (error as? ItemError)?.text ?? "its devices cannot be listed"
      Console.warn("minilab devices: \(operation.name): \(reason)\n")
      status = .someFailed
    }
  }
  if parsed.has("json") {
    Console.print(DeviceJSON.text(devices))
  } else if devices.isEmpty {
    Console.print(DeviceText.none)
  } else {
    Console.print(devices.map(DeviceText.text).joined(separator: "\n"))
  }
  return status
}

/// `minilab devices --json`.
///
/// Names are fixed: scripts read them.
enum DeviceJSON {
  static func text(_ devices: [SourceDevice]) -> String {
    JSONText.object([("devices", .array(devices.map(device)))]).indented() + "\n"
  }

  private static func device(_ device: SourceDevice) -> JSONText {
    var entries: [(key: String, value: JSONText)] = [
      ("name", .string(device.name)), ("path", .string(device.path.escaped)),
      ("links", .array(device.links.map { .string($0.escaped) })),
    ]
    entries += device.facts.map { ($0.name, .string($0.text)) }
    if let problem = device.problem { return .object(entries + [("problem", .string(problem))]) }
    return .object(
      entries + [
        ("formats", .array(device.formats.map(format))),
        ("controls", .array(device.controls.map(control))),
      ]
    )
  }

  private static func format(_ format: SourceDevice.Format) -> JSONText {
    let name: [(key: String, value: JSONText)] = format.name.map { [("name", .string($0))] } ?? []
    return .object(
      name + [
        ("code", .string(format.code)), ("emulated", .boolean(format.isEmulated)),
        ("sizes", .array(format.sizes.map(sizes))),
      ]
    )
  }

  private static func sizes(_ sizes: SourceDevice.SizeChoice) -> JSONText {
    func pair(_ size: Size) -> JSONText { .array([.integer(size.width), .integer(size.height)]) }
    let intervals = sizes.intervals.map {
      JSONText.array([.integer($0.numerator), .integer($0.denominator)])
    }
    let size: [(key: String, value: JSONText)] =
      sizes.isSingle
      ? [("size", pair(sizes.most))]
      : [("least", pair(sizes.least)), ("most", pair(sizes.most)), ("step", pair(sizes.step))]
    return .object(size + [("intervals", .array(intervals))])
  }

  private static func control(_ control: SourceDevice.Control) -> JSONText {
    var entries: [(key: String, value: JSONText)] = [
      ("name", .string(control.name)), ("kind", .string(control.kind)),
      ("minimum", .integer(control.range.lowerBound)),
      ("maximum", .integer(control.range.upperBound)), ("step", .integer(control.step)),
      ("default", .integer(control.standard)),
    ]
    if let value = control.value { entries.append(("value", .integer(value))) }
    if !control.choices.isEmpty {
      entries.append(
        (
          "choices",
          .array(
            control.choices.map {
              .object([("number", .integer($0.number)), ("name", .string($0.name))])
            }
          )
        )
      )
    }
    if !control.states.isEmpty {
      entries.append(("states", .array(control.states.map(JSONText.string))))
    }
    return .object(entries)
  }
}

extension JSONText {
  fileprivate static func integer(_ number: Int) -> JSONText { .integer(Int64(number)) }
}

/// What a person reads.
enum DeviceText {
  static let none = """
    No camera is there. Connect one, and see that this user is in the group video (groups shows it).
    The device "test" of the operation capture needs none.

    """

  static func text(_ device: SourceDevice) -> String {
    var lines = ["\(device.name)  \(device.path.shown)"]
    lines += device.links.map { "  also \($0.shown)" }
    if let problem = device.problem {
      return (lines + ["  cannot be used: \(problem)"]).map { $0 + "\n" }.joined()
    }
    if !device.facts.isEmpty {
      lines.append("  " + device.facts.map { "\($0.name) \($0.text)" }.joined(separator: ", "))
    }
    lines += device.formats.flatMap(lines(of:))
    if !device.controls.isEmpty {
      lines.append("  controls")
      let width = device.controls.map(\.name.count).max() ?? 0
      lines += device.controls.map {
        let gap = String(repeating: " ", count: width - $0.name.count)
        return "    \($0.name)\(gap)  \(text(of: $0))"
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func lines(of format: SourceDevice.Format) -> [String] {
    let remark =
      format.isEmulated
      ? " (made by libv4l2 of another one)" : format.name == nil ? " (not read here)" : ""
    return ["  \(format.name ?? format.code)\(remark)"]
      + format.sizes.map { "    \(text(of: $0))" }
  }

  private static func text(of sizes: SourceDevice.SizeChoice) -> String {
    let size =
      sizes.isSingle
      ? "\(sizes.most)"
      : "\(sizes.least) to \(sizes.most) in steps of \(sizes.step)"
    let rates = sizes.intervals.map { Double($0.denominator) / Double(max(1, $0.numerator)) }
      .map { ($0 * 10).rounded() / 10 }.map(\.literal)
    return rates.isEmpty ? size : "\(size), \(rates.joined(separator: " or ")) a second"
  }

  private static func text(of control: SourceDevice.Control) -> String {
    var parts: [String] = []
    if control.choices.isEmpty {
      let step = control.step > 1 ? " in steps of \(control.step)" : ""
      parts.append("\(control.range.lowerBound) to \(control.range.upperBound)\(step)")
    } else {
      parts.append(control.choices.map { "\($0.number) \"\($0.name)\"" }.joined(separator: ", "))
    }
    parts.append("default \(control.standard)")
    if let value = control.value { parts.append("now \(value)") }
    return (parts + control.states).joined(separator: ", ")
  }
}
