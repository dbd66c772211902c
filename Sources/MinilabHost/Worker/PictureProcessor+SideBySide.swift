import MinilabKit
import Vips

// A unit with cores to itself: while one output is encoded, which is the work of one thread as a rule,
// the next is made.

extension PictureProcessor {
  /// Writes the outputs under temporary names, several at a time.
  func makeSideBySide(
    _ jobs: [PlacedJob],
    _ writer: OutputWriter,
    _ notes: inout Notes
  ) throws -> [WrittenFile] {
    let encoders = SideBySide<Handed<OutputJob.Encoded>>(most: Host.threads)
    var begun: [Begun] = []
    do {
      for (job, path) in jobs {
        begun.append(try begin(job, writer.temporary(for: path), encoders))
      }
    } catch {
      _ = encoders.results()
      throw error
    }
    var results = encoders.results()[...]
    return try begun.map { output in
      notes.add(output.notes.all)
      if let written = output.written { return written }
      guard let result = results.popFirst() else { preconditionFailure("one for each thread") }
      let encoded = try output.job.naming(output.file) { try result.get().value }
      notes.add(encoded.notes.all)
      return encoded.file
    }
  }

  /// An output that was written, or is being encoded.
  private struct Begun {
    let job: OutputJob
    let file: TemporaryFile
    var notes = Notes()
    var written: WrittenFile?
  }

  private func begin(
    _ job: OutputJob,
    _ file: TemporaryFile,
    _ encoders: SideBySide<Handed<OutputJob.Encoded>>
  ) throws -> Begun {
    var begun = Begun(job: job, file: file)
    switch try job.begin(into: file, &begun.notes) {
    case .written(let written): begun.written = written
    case .encoding(let image, let told):
      guard job.canBeEncodedAside(image) else {
        let encoded = try job.naming(file) { try job.encode(image, told, into: file) }
        begun.notes.add(encoded.notes.all)
        begun.written = encoded.file
        return begun
      }
      // The pixels are made here, where the unit's pictures are: a thread has its own output alone.
      let handed = Handed(
        (job: job, image: try job.naming(file) { try image.withPixelsInMemory() }, file: file)
      )
      encoders.begin {
        let (job, image, file) = handed.value
        return Handed(try job.encode(image, told, into: file))
      }
    }
    return begun
  }
}
