import Glibc
import MinilabKit
import PictureMetadata

// JPEGs that were only turned and cropped: their coded blocks are moved and never decoded to pixels,
// so nothing of what was coded is lost.
//
// All this is decided by the header and the profile, before any of the picture is read.

/// How an output is made without being encoded again, as far as it can be.
struct LosslessWay {
  /// The frame as it is made; less than was asked for where edges are trimmed.
  var frame: Frame
  /// What becomes of the blocks; nil where the picture is encoded.
  var move: PixelMove?
  /// What is told of it.
  var note: Note?

  /// The picture is encoded, and nobody would expect anything else.
  static func none(_ frame: Frame) -> LosslessWay { LosslessWay(frame: frame) }

  /// `unit`: what the picture's coder takes as one.
  init(_ frame: Frame, _ move: PixelMove, unit: Size) {
    self.frame = frame
    let (left, top) = move.overhang(over: unit)
    if left == 0, top == 0 {
      self.move = move
      return
    }
    let size = move.size
    let edges = [(left, "left"), (top, "top")].filter { $0.0 > 0 }
      .map { "\($0.0) pixel\($0.0 == 1 ? "" : "s") at the \($0.1)" }
      .joined(separator: " and ")
    // As the picture is seen.
    let block = move.orientation.upright(unit)
    guard frame.lossless == .trim, left < size.width, top < size.height else {
      note = Note(
        .encodedAgain,
        "with \(edges) beside its blocks of \(block), the picture was encoded again"
      )
      return
    }
    let rest = PixelRectangle(
      x: left,
      y: top,
      width: size.width - left,
      height: size.height - top
    )
    let trimmed = frame.geometry { $0.crop(to: rest) }.reportingCrop()
    self.frame = trimmed
    self.move = trimmed.move
    note = Note(.trimmed, "cut off: \(edges), beside the blocks of \(block)")
  }

  private init(frame: Frame) { self.frame = frame }
}

extension OutputJob {
  /// How this output's frame is made.
  var losslessWay: LosslessWay {
    guard sheet == nil, format == .jpeg, !output.namesEncoderOption, pages == nil,
      frame.isTouched, frame.lossless != .never, let move = frame.move,
      let unit = picture.codedUnit, keepsCoding
    else { return .none(frame) }
    return LosslessWay(frame, move, unit: unit)
  }

  static let movedNote = Note(.lossless, "the coded blocks were moved, and not encoded again")

  /// Writes the file with its blocks moved.
  ///
  /// - Returns: nil where they turn out to be such that they cannot be moved: the file is empty again.
  /// - Throws: `ItemError` where the picture is damaged and damage is refused.
  func makeLosslessly(
    _ move: PixelMove,
    into file: TemporaryFile,
    _ notes: inout Notes
  ) throws -> WrittenFile? {
    let size = move.size
    var truth = MetadataTruth()
    truth.orientation = 1
    truth.width = size.width
    truth.height = size.height
    truth.swapsResolution = move.orientation.swapsSides
    var losses: [MetadataLoss] = []
    var lost: [String] = []
    let blocks = picture.metadata().edited(output.settings.metadata, truth, losses: &losses)
    let moved: BlockMove.Outcome?
    do {
      let input = try picture.reopened()
      let head = try JPEGSegments(input.number)?
        .head(blocks, swapsSides: move.orientation.swapsSides, lost: &lost)
      moved = try head.map {
        try BlockMove(move, of: picture.size).run(from: input.number, to: file.descriptor, head: $0)
      }
    } catch let error as SystemError {
      throw failure(error, file)
    }
    guard let moved, moved != .impossible else {
      try makeEmpty(file)
      notes.add([Note(.encodedAgain, "the picture's blocks could not be moved as they are")])
      return nil
    }
    guard try judge(moved, &notes) else {
      try makeEmpty(file)
      return nil
    }
    notes.add(losses.map(\.note))
    if !lost.isEmpty { notes.add([.dropped(lost, format)]) }
    notes.add(pictures.companionNotes(output.settings.metadata))
    notes.add([Self.movedNote])
    return written(file, stored: size, shown: size)
  }

  /// - Returns: false where the file must be decoded to be of any use.
  private func judge(_ moved: BlockMove.Outcome, _ notes: inout Notes) throws(ItemError) -> Bool {
    let isDamaged = moved == .filledIn || moved == .unreadable
    if isDamaged, pictures.refuseDamage { throw PictureProcessor.damaged(format) }
    switch moved {
    case .whole, .impossible: break
    case .warned: notes.add([DamageCheck.warned])
    case .filledIn: notes.add([DamageCheck.used])
    case .unreadable:
      notes.add([
        Note(.encodedAgain, "the picture is too damaged for its blocks to be moved")
      ])
      return false
    }
    return true
  }

  private func failure(_ error: SystemError, _ file: TemporaryFile) -> ItemError {
    if error.number == ENOMEM { return .outOfMemory(nil, error.reason) }
    if error.call == .write { return OutputWriter.failure(error, writing: file.path) }
    return ItemError(.unreadable, expected: "a file that can be read", received: error.reason)
  }

  private func makeEmpty(_ file: TemporaryFile) throws(ItemError) {
    do { try file.empty() } catch { throw OutputWriter.failure(error, writing: file.path) }
  }
}
