import Drawing
import MinilabKit

@testable import MinilabHost

/// Small languages within a profile, and the names that they meet.
let textTargets = [
  Target("template", [readTemplate, readTextTemplate]),
  Target("svg-path") { bytes in
    guard let outline = try? Outline(svgPath: text(bytes)) else { return }
    let box = outline.bounds
    require(
      box == nil
        || [box?.left, box?.top, box?.right, box?.bottom].allSatisfy { $0?.isFinite == true },
      "a path to infinity"
    )
  },
  Target("values") { bytes in
    guard let root = try? TOMLReader.read(Array("v = ".utf8) + bytes, from: Path("p")),
      let node = root["v"]
    else { return }
    checkPrinted(Bool.self, node)
    checkPrinted(Int.self, node)
    checkPrinted(Double.self, node)
    checkPrinted(String.self, node)
    checkPrinted(Color.self, node)
    checkPrinted(Length.self, node)
    checkPrinted(LengthRectangle.self, node)
    checkPrinted(Angle.self, node)
    checkPrinted(Aspect.self, node)
    checkPrinted(CornerRadii.self, node)
    checkPrinted(TextTemplate.self, node)
  },
  Target("names", [readGlob, readPattern]),
]

@Sendable
private func readGlob(_ bytes: [UInt8]) {
  let parts = parts(bytes, 2)
  let pattern = text(parts[0])
  let glob = Glob(pattern)
  let found = glob.matches(parts[1])
  _ = glob.matchesAll(below: parts[1])
  if parts[0].count <= 12, parts[1].count <= 12, !parts[0].contains(0x5b),
    !parts[0].contains(0x5c)
  {
    require(found == naivelyMatches(parts[1], Array(pattern.utf8)), "another answer")
  }
}

@Sendable
private func readPattern(_ bytes: [UInt8]) {
  let parts = parts(bytes, 2)
  guard let pattern = try? BytePattern(text(parts[0])) else { return }
  guard let found = try? pattern.capture(in: parts[1]) else { return }
  require(
    found.isEmpty || contains(parts[1], found),
    "what was captured does not stand in the name"
  )
}

@Sendable
private func readTemplate(_ bytes: [UInt8]) {
  let parts = parts(bytes, 4)
  var problems: [Problem] = []
  let template = PathTemplate(
    text(parts[0]),
    at: Place(file: Path("p"), line: 1, column: 1),
    key: "path",
    hasGroups: bytes.count % 2 == 0,
    hasPages: bytes.count % 3 == 0,
    &problems
  )
  require((template == nil) == !problems.isEmpty, "refused without a reason")
  guard let template else { return }
  let values = PathValues(
    folder: parts[1],
    name: parts[2],
    format: .jpeg,
    output: "web",
    index: bytes.count,
    root: parts[3],
    size: PlannedSize(width: 3, height: 2),
    clock: WallClock(seconds: Int64(bytes.count) &* 1_234_567_891),
    group: parts[3],
    page: 1
  )
  guard let path = try? template.fill(values) else { return }
  // No way out of the output root, said in other words than the program does.
  let names = path.bytes.split(separator: 0x2f, omittingEmptySubsequences: false)
  require(!path.bytes.contains(0), "a NUL in a path")
  for name in names {
    require((1...255).contains(name.count), "a name of \(name.count) bytes")
    require(!name.elementsEqual("..".utf8), "a way out of the output root")
  }
  require(text(Array(names[0])).lowercased() != ".minilab", "Minilab's own folder")
}

@Sendable
private func readTextTemplate(_ bytes: [UInt8]) {
  var problems: [Problem] = []
  let node = Node(.string(text(bytes)), at: Place(file: Path("p"), line: 1, column: 1))
  let template = TextTemplate.decode(node, as: Field("text"), &problems)
  require((template == nil) == !problems.isEmpty, "refused without a reason")
}

/// What is printed is read as the same value, which is printed in the same way.
private func checkPrinted<Value: ParameterValue>(_ type: Value.Type, _ node: Node) {
  var problems: [Problem] = []
  guard let value = type.decode(node, as: Field("v"), &problems) else {
    require(!problems.isEmpty, "refused without a reason")
    return
  }
  require(problems.isEmpty, "accepted, and refused")
  let printed = value.literal
  guard let root = try? TOMLReader.read(Array("v = \(printed)".utf8), from: Path("p")),
    let node = root["v"], let again = type.decode(node, as: Field("v"), &problems)
  else { fatalError("\(type): what is printed cannot be read: \(printed)") }
  require(again.literal == printed, "\(type): \(printed) is read as \(again.literal)")
}

/// Tries every way: `*` and `?` within a name, `**` for any number of folders.
private func naivelyMatches(_ path: [UInt8], _ pattern: [UInt8]) -> Bool {
  func name(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == UInt8(ascii: "*") {
      return name(text, pattern.dropFirst())
        || (!text.isEmpty && name(text.dropFirst(), pattern))
    }
    guard let letter = text.first else { return false }
    return (first == UInt8(ascii: "?") || first == letter)
      && name(text.dropFirst(), pattern.dropFirst())
  }
  func names(
    _ path: ArraySlice<ArraySlice<UInt8>>,
    _ pattern: ArraySlice<ArraySlice<UInt8>>
  ) -> Bool {
    guard let first = pattern.first else { return path.isEmpty }
    if first.elementsEqual("**".utf8) {
      return names(path, pattern.dropFirst())
        || (!path.isEmpty && names(path.dropFirst(), pattern))
    }
    guard let next = path.first else { return false }
    return name(next, first) && names(path.dropFirst(), pattern.dropFirst())
  }
  return names(path.split(separator: 0x2f)[...], pattern.split(separator: 0x2f)[...])
}

private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
  bytes.indices.contains { bytes[$0...].starts(with: part) }
}
