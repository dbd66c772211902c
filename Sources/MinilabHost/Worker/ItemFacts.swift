import MinilabKit
import Vips

// What is told of items and their formats beside their pixels.

extension PlannedSize {
  init(_ size: Size, _ frame: Frame) {
    self.init(width: size.width, height: size.height, cropBounds: frame.cropBounds)
  }
}

extension UnitResult {
  /// Once, though an output may have found it before.
  mutating func add(_ note: Note) {
    if !notes.contains(note) { notes.append(note) }
  }

  mutating func fail(_ error: ItemError) {
    status = .failed
    self.error = error
    outputs = []
    findings = nil
  }
}

extension ProbeResult {
  /// Each once.
  mutating func add(_ notes: [Note]) {
    for note in notes where !self.notes.contains(note) { self.notes.append(note) }
  }
}

extension PictureFormat {
  /// libheif's loader warns of every file that names its colors by numbers.
  var warningsMatter: Bool { self != .heif && self != .avif }
}

/// The notes of a unit, each once.
struct Notes {
  private(set) var all: [Note] = []

  mutating func add(_ notes: [Note]) {
    for note in notes where !all.contains(note) { all.append(note) }
  }
}

extension OpenedPicture {
  /// The name promises another format than the content is.
  var nameNotes: [Note] {
    guard let text = path.fileExtension.text?.lowercased(), !text.isEmpty else { return [] }
    let promised = PictureFormat.allCases.first { $0.extensions.contains(text) }
    guard let promised, promised != origin.format else { return [] }
    return [
      Note(.nameMismatch, "the name says \(promised.shown), the content is \(origin.format.shown)")
    ]
  }
}
