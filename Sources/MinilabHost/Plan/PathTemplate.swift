public import MinilabKit

/// `path` of an output: where its file goes below the output root.
///
/// Read once, filled once for each item: what a variable brings in is bytes and never read as a
/// variable again.
public struct PathTemplate: Sendable {
  enum Variable: Sendable, Equatable {
    /// The item's folder below its root; empty at the root.
    case dir
    /// The item's name without its extension.
    case stem
    /// The extension of the format that is written.
    case ext
    /// The output's name.
    case output
    /// The item's place in the plan, from 1.
    case index
    /// The name of the item's input root.
    case root
    /// The planned width of the output in pixels.
    case width
    /// The planned height of the output in pixels.
    case height
    /// The name of a gathered unit.
    case group
    /// The number of a page, from 1.
    case page
    /// When the picture was taken, else the file's time, in the form of `strftime`.
    case date(String)
  }

  enum Part: Sendable, Equatable {
    case bytes([UInt8])
    case variable(Variable)
  }

  let parts: [Part]

  /// Only a header, and the steps' sizes that follow from it, can fill `{width}` or `{height}`.
  public var needsSize: Bool {
    parts.contains(.variable(.width)) || parts.contains(.variable(.height))
  }

  /// The header says when a picture was taken.
  public var needsDate: Bool {
    parts.contains { if case .variable(.date) = $0 { true } else { false } }
  }

  /// The name of the group is asked for.
  var needsGroup: Bool { parts.contains(.variable(.group)) }

  /// The pages of one picture have paths of their own.
  var namesPage: Bool { parts.contains(.variable(.page)) }

  /// Paths are known only when the headers have been read.
  public var needsHeader: Bool { needsSize || needsDate }

  /// Reads a template.
  ///
  /// A template that could only lead out of the output root, or to no file, is a problem here,
  /// before there is an item. `hasGroups`: units are gathered, and `{group}` means something;
  /// `hasPages`: pages have files of their own, and `{page}` does.
  public init?(
    _ text: String,
    at place: Place,
    key: String,
    hasGroups: Bool = false,
    hasPages: Bool = false,
    _ problems: inout [Problem]
  ) {
    var parser = PathTemplateParser(
      place: place,
      key: key,
      hasGroups: hasGroups,
      hasPages: hasPages
    )
    parts = parser.parse(text)
    if parser.problems.isEmpty {
      do {
        let sample = PathValues.sample
        _ = try fill(sample)
      } catch {
        parser.refuse(.wrongType, expected: error.expected, received: "\"\(text)\"")
      }
    }
    problems += parser.problems
    if !parser.problems.isEmpty { return nil }
  }

  /// The path of one output of one item, relative to the output root.
  ///
  /// - Throws: `ItemError` where the item's own names lead to no possible path.
  func fill(_ values: PathValues) throws(ItemError) -> Path {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(values.folder.count + values.name.count + 32)
    var dropsSlash = false
    for part in parts {
      switch part {
      case .bytes(let literal):
        bytes += dropsSlash && literal.first == slash ? literal[1...] : literal[...]
        dropsSlash = false
      case .variable(let variable):
        let before = bytes.count
        append(variable, of: values, to: &bytes)
        // An empty folder that is a whole component takes its slash along: `{dir}/{stem}`.
        dropsSlash =
          variable == .dir && bytes.count == before && (before == 0 || bytes[before - 1] == slash)
      }
    }
    try checkOutputPath(bytes)
    return Path(bytes: bytes)
  }

  private func append(_ variable: Variable, of values: PathValues, to bytes: inout [UInt8]) {
    switch variable {
    case .dir: bytes += values.folder
    case .stem: bytes += stem(of: values.name)
    case .ext: bytes += values.format.fileExtension.utf8
    case .output: bytes += values.output.utf8
    case .index: bytes += String(values.index).utf8
    case .root: bytes += values.root
    case .width: bytes += String(values.size?.width ?? 0).utf8
    case .height: bytes += String(values.size?.height ?? 0).utf8
    case .group: bytes += values.group
    case .page: bytes += String(values.page).utf8
    case .date(let form): bytes += values.clock.written(as: form)
    }
  }
}

/// A name without its extension, as `Path.stem` has it.
private func stem(of name: [UInt8]) -> ArraySlice<UInt8> {
  guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return name[...] }
  return name[..<dot]
}

/// What the variables of a template stand for.
struct PathValues {
  /// Below the root, without a slash at either end.
  var folder: [UInt8]
  var name: [UInt8]
  /// The format that is written.
  var format: PictureFormat
  var output: String
  /// From 1.
  var index: Int
  var root: [UInt8]
  var size: PlannedSize?
  var clock: WallClock
  /// Empty where units are not gathered.
  var group: [UInt8] = []
  /// From 1.
  var page = 1

  /// Any item: only what the template itself says can be wrong with its path.
  static let sample = PathValues(
    folder: Array("d".utf8),
    name: Array("s".utf8),
    format: .png,
    output: "o",
    index: 1,
    root: Array("r".utf8),
    size: PlannedSize(width: 1, height: 1),
    clock: WallClock(seconds: 0),
    group: Array("g".utf8)
  )
}

/// Refuses what is no file below the output root.
func checkOutputPath(_ bytes: [UInt8]) throws(ItemError) {
  func refuse(_ expected: String) -> ItemError {
    ItemError(.outputPath, expected: expected, received: Path(bytes: bytes).shown)
  }
  if bytes.isEmpty { throw refuse("a path of a file") }
  if bytes.first == slash { throw refuse("a path relative to the output root") }
  if bytes.contains(0) { throw refuse("a path without NUL bytes") }
  var start = 0
  while start <= bytes.count {
    let end = bytes[start...].firstIndex(of: slash) ?? bytes.count
    let component = bytes[start..<end]
    if component.isEmpty { throw refuse("a path without empty names") }
    if component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8) {
      throw refuse("a path without the names \".\" and \"..\"")
    }
    if component.count > longestName {
      throw refuse("names of at most \(longestName) bytes in the output's path")
    }
    if start == 0, component.count == ownFolder.utf8.count,
      String(decoding: component, as: UTF8.self).lowercased() == ownFolder
    {
      throw refuse("a path outside of \"\(ownFolder)\", which is Minilab's own")
    }
    start = end + 1
  }
}

/// NAME_MAX of Linux' file systems, in bytes.
let longestName = 255

/// Where a run keeps what it needs, below the output root.
private let ownFolder = ".minilab"

private let slash = UInt8(ascii: "/")
