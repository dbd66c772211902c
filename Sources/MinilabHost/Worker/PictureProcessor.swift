import CJpeg
import CSystem
import Glibc
import MinilabKit
import Vips

/// What a worker does with a unit: opens the picture, takes it through the steps, writes the
/// outputs.
final class PictureProcessor: UnitProcessor {
  private let profile: Profile
  private let writer: OutputWriter?
  /// The unit's picture left enough behind to be worth tidying up, which takes a millisecond.
  private var wasLarge = false
  /// In pixels.
  private static let large = 4_000_000

  init(_ setup: Setup, operations: [OperationEntry]) throws {
    profile = try Profile(resolved: setup.profile, operations: operations)
    if let output = setup.output {
      writer = try OutputWriter(root: output)
      // libvips' own temporary files belong where there is room for the results.
      let temporaries = output.appending(OutputFolder.ownName)
        .appending(OutputFolder.temporariesName)
      _ = temporaries.withCString { setenv("TMPDIR", $0, 1) }
    } else {
      writer = nil
    }
    try Host.start(Host.Settings(threads: setup.threads))
  }

  // MARK: Headers

  func probe(_ request: ProbeRequest) -> ProbeResult {
    defer { _ = Log.take() }
    var result = ProbeResult(id: request.id)
    do {
      let picture = try OpenedPicture(
        request.input,
        format: request.format,
        policy: profile.input
      )
      result.header = picture.header
      result.notes = picture.notes
      try plan(picture, into: &result)
    } catch let error as ItemError {
      result.error = error
    } catch {
      result.error = Self.damaged(request.format)
    }
    return result
  }

  private func plan(_ picture: OpenedPicture, into result: inout ProbeResult) throws {
    let pictures = UnitPictures([picture], policy: profile.input)
    let runner = StepRunner(source: .headers(pictures), limit: picture.sizeLimit)
    let shared = try runner.run(profile.steps, on: [Frame(picture.origin)])
    var frames: [String: Frame] = [:]
    for (index, output) in profile.outputs.enumerated() {
      let planned = try shared.flatMap {
        try runner.run(output.steps, on: $0, outputs: frames)?.first
      }
      frames[output.name] = planned
      guard let frame = planned, let size = frame.knownSize else {
        result.sizes.append(nil)
        continue
      }
      for note in frame.notes where !result.notes.contains(note) { result.notes.append(note) }
      if frame.isSkipped {
        result.leftOut.append(index)
      } else {
        try OutputJob(output, picture, pictures, frame).checkLimits(size)
      }
      result.sizes.append(
        PlannedSize(width: size.width, height: size.height, cropBounds: frame.cropBounds)
      )
    }
  }

  // MARK: Units

  func process(_ unit: UnitRequest) -> ProcessedUnit {
    _ = Log.take()
    var result = UnitResult(id: unit.id, status: .done)
    do {
      guard let writer else { preconditionFailure("a worker with an output root") }
      // Pipelines are gone when this returns; only then is the decoder's log whole.
      let written = try render(unit, writer, &result)
      if wasLarge { csystem_trim_memory() }
      try checkLog(unit, &result)
      // After the log: what is said of our own files is not said of the input.
      result.outputs = try written.map { file in try file.readBack() }
      let files = written.map(\.file)
      return ProcessedUnit { [result] in Self.finish(files, writer, result) }
    } catch let error as ItemError {
      result.fail(error)
    } catch {
      let cause = (error as? VipsError)?.cause as? ItemError
      result.fail(cause ?? Self.damaged(unit.format))
    }
    return ProcessedUnit(result)
  }

  private static func finish(
    _ files: [TemporaryFile],
    _ writer: OutputWriter,
    _ prepared: UnitResult
  ) -> UnitResult {
    var result = prepared
    do {
      try writer.commit(files)
    } catch {
      result.fail(error)
    }
    if files.isEmpty {
      result.status = .skipped
      result.reason = .withinLimit
    }
    return result
  }

  private func render(
    _ unit: UnitRequest,
    _ writer: OutputWriter,
    _ result: inout UnitResult
  ) throws -> [WrittenFile] {
    let picture = try OpenedPicture(unit.input, format: unit.format, policy: profile.input)
    wasLarge = picture.size.width * picture.size.height > Self.large
    let pictures = UnitPictures([picture], policy: profile.input)
    let runner = StepRunner(source: .pixels(pictures), limit: picture.sizeLimit)
    var notes = Notes()
    defer { result.notes = notes.all }
    notes.add(picture.nameNotes)
    let shared = try runner.run(profile.steps, on: [Frame(picture.origin)])
    var frames: [String: Frame] = [:]
    // All outputs are looked at before the first is made: an impossible one costs no pixel.
    var jobs: [(job: OutputJob, path: Path)] = []
    for (output, path) in zip(profile.outputs, unit.outputs) {
      let made = try shared.flatMap { try runner.run(output.steps, on: $0, outputs: frames) }
      guard let frame = made?.first else {
        preconditionFailure("with pixels at hand every step can be taken")
      }
      frames[output.name] = frame
      notes.add(frame.notes)
      if frame.isSkipped { continue }
      let job = try OutputJob(output, picture, pictures, frame)
      if let size = frame.knownSize { try job.checkLimits(size) }
      jobs.append((job, path))
    }
    let written = try jobs.map { job, path in
      try job.make(into: writer.temporary(for: path), &notes)
    }
    notes.add(pictures.notes)
    return written
  }

  // MARK: Damage

  /// A JPEG with an end marker in its middle decodes without an error, and the missing rows are
  /// gray.
  ///
  /// The decoder warns of that, and of much that is harmless; only where it has warned is the file
  /// looked at more closely.
  private func checkLog(_ unit: UnitRequest, _ result: inout UnitResult) throws {
    let log = Log.take()
    let warnings = log.kept.count { $0.domain == "VIPS" } + log.dropped
    guard warnings > 0 else { return }
    let isDamaged = try isDamaged(unit)
    guard isDamaged else {
      // libheif's loader warns of every file that names its colors by numbers.
      if unit.format == .heif || unit.format == .avif { return }
      // How often depends on how often the file is opened, which says nothing.
      result.notes.append(
        Note(.decoderWarned, "the decoder warned of the file, and read all of it")
      )
      return
    }
    if profile.input.damaged == .reject { throw Self.damaged(unit.format) }
    result.notes.append(Note(.damaged, "the file is damaged; what could be read was used"))
  }

  /// A closer look at a file whose decoder has warned.
  private func isDamaged(_ unit: UnitRequest) throws -> Bool {
    if unit.format == .jpeg {
      let file = try Descriptor(opening: unit.input, O_RDONLY)
      return cjpeg_state(file.number) == CJPEG_DAMAGED
    }
    // Where damage is refused the decoder has refused it already.
    if profile.input.damaged == .reject { return false }
    var strict = profile.input
    strict.damaged = .reject
    do {
      try OpenedPicture(unit.input, format: unit.format, policy: strict).decodeWhole()
      return false
    } catch {
      return true
    }
  }

  static func damaged(_ format: PictureFormat) -> ItemError {
    ItemError(
      .damaged,
      expected: "a complete \(format.shown) picture",
      received: "data that ends early or cannot be decoded"
    )
  }
}

extension UnitResult {
  fileprivate mutating func fail(_ error: ItemError) {
    status = .failed
    self.error = error
    outputs = []
  }
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
