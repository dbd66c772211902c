import MinilabKit
import PictureMetadata
import Vips

// Pictures of which nothing is to change: the input's file is what is wanted.

extension OutputJob {
  /// Nothing about the picture changes, so its bytes are what is wanted.
  var isCopy: Bool { !output.namesEncoderOption && isUntouched }

  /// What is told of a copy beside what its metadata has lost.
  var copyNote: Note {
    let reason =
      output.settings.metadata == .all
      ? "nothing was to be changed; the file was copied"
      : "the pixels were copied, and the metadata was rewritten"
    return Note(.copied, reason)
  }

  /// If anything is to be changed, it is how the picture is encoded.
  private var isUntouched: Bool { !frame.isTouched && keepsCoding && keepsTurn }

  /// The tag that turns the picture stays, which is needed where the pixels are not turned.
  private var keepsTurn: Bool {
    output.settings.metadata.keepsWhole(.exif) || picture.origin.orientation == .up
  }

  /// The output asks for nothing that the input's coded pixels do not have already.
  var keepsCoding: Bool {
    sheet == nil && format == picture.origin.format && picture.captured?.isRaw != true
      && (output.settings.metadata == .all || picture.takesMetadata)
      && output.settings.resolution == nil && (picture.origin.pages == 1 || pagesAreUntouched)
      && !OutputColor(output.settings, format).changes(picture.headerImage)
  }

  /// Nil where the file's structure is not such that its metadata could be changed.
  func copy(into file: TemporaryFile, _ notes: inout Notes) throws -> WrittenFile? {
    // A copy decodes nothing, so a damaged picture would pass unseen.
    do {
      try picture.decodeWhole()
    } catch is VipsError {
      throw PictureProcessor.damaged(format)
    }
    guard let (copy, lost) = try copy(into: file) else { return nil }
    notes.add(lost)
    notes.add([copyNote])
    return copy
  }

  /// Writes the file, and copies the input into another one where encoding it again has gained nothing
  /// and the output would rather have it then.
  ///
  /// `changesPixels`: asked when all is written.
  ///
  /// - Returns: the copy; nil where what was written is wanted.
  /// - Throws: what `write` throws; a file that is too large may still be the copy.
  func original(
    insteadOf file: TemporaryFile,
    changesPixels: @autoclosure () -> Bool,
    _ notes: inout Notes,
    _ write: () throws -> Void
  ) throws -> WrittenFile? {
    var refusal: ItemError?
    do { try write() } catch let error as ItemError where error.code == .tooLarge {
      refusal = error
    }
    if !changesPixels(), let copy = try smallerCopy(than: file, &notes) { return copy }
    if let refusal { throw refusal }
    return nil
  }

  /// The input as the output would be without encoding it, where that is smaller and wanted.
  private func smallerCopy(than file: TemporaryFile, _ notes: inout Notes) throws -> WrittenFile? {
    guard output.settings.whenLarger == .keepOriginal, isUntouched, let length = file.length else {
      return nil
    }
    // With less metadata the copy is smaller than the input.
    if output.settings.metadata == .all, length <= picture.status.size { return nil }
    let target: TemporaryFile
    do { target = try file.beside() } catch {
      throw OutputWriter.failure(error, writing: file.path)
    }
    target.kept = file.kept
    guard let (copy, lost) = try copy(into: target), let own = target.length, own < length,
      own <= output.settings.maxBytes?.bytes ?? .max
    else { return nil }
    notes.add(lost)
    let text = "encoded again it would have \(length) bytes and not \(own); the file was copied"
    notes.add([Note(.originalKept, text)])
    return copy
  }

  /// The file with the metadata that is wanted, and what is told of it; nil where that cannot be done.
  private func copy(into file: TemporaryFile) throws -> (WrittenFile, [Note])? {
    try picture.copy(to: file)
    guard let lost = try rewriteMetadata(of: file) else { return nil }
    // The tag that turns it has been copied, too.
    let shown = Size(width: picture.header.width, height: picture.header.height)
    var written = written(file, stored: picture.origin.size, shown: shown)
    if let pages { written.pages = pages.count }
    return (written, lost)
  }

  /// Applies the metadata policy to a copy.
  ///
  /// - Returns: what is told of it; nil where that cannot be done, and the file is empty again.
  private func rewriteMetadata(of file: TemporaryFile) throws -> [Note]? {
    let policy = output.settings.metadata
    if policy == .all { return [] }
    let container = MetadataContainer(file, format, picture.origin.size)
    guard try container.canBePut else {
      try container.empty()
      return nil
    }
    var truth = MetadataTruth()
    truth.isEncoded = false
    var losses: [MetadataLoss] = []
    let blocks = picture.metadata().edited(policy, truth, losses: &losses)
    var notes = losses.map(\.note)
    notes += try container.put(blocks, policy, isEncoded: false)
    return notes + pictures.companionNotes(policy)
  }
}
