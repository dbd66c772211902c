import CSystem
import Glibc
import MinilabKit
import Vips

/// What a worker does with a unit: opens the picture, takes it through the steps, writes the
/// outputs.
final class PictureProcessor: UnitProcessor {
  let profile: Profile
  private let writer: OutputWriter?
  /// Asked for in place of the profile's outputs, and how it is written.
  let preview: Preview?
  /// Why the steps of a preview do not reach their end; the sheet is written all the same.
  var refusal: ItemError?
  /// The unit's picture left enough behind to be worth tidying up, which takes a millisecond.
  var wasLarge = false
  /// How much may be held of what the outputs of a unit have in common, in bytes.
  ///
  /// With less they are made the same way, and pixels are made more often.
  var pixelBound: Int
  /// Of a header it is told how outputs would be made, and steps may look at pixels for it.
  var explains: Bool
  /// Of the unit in work, and of the worker.
  var memory: GrantedMemory
  private let pipes = ReducingPipes()
  /// Where outputs are written; nil for a worker that only probes.
  let root: Path?
  /// The outputs of the unit in work that are made; nil for all.
  var wanted: Set<Path>?

  init(_ setup: Setup, operations: [OperationEntry]) throws {
    profile = try Profile(resolved: setup.profile, operations: operations)
    preview = setup.preview.flatMap { Preview($0, operations) }
    root = setup.output
    pixelBound = setup.pixelBound ?? PixelStore.usualBound
    explains = setup.explains ?? false
    memory = GrantedMemory(ofWorker: setup.confinement?.memory)
    if let output = setup.output {
      writer = try OutputWriter(root: output)
    } else {
      writer = nil
    }
    try Host.start(Host.Settings(threads: setup.threads))
  }

  /// One sheet is made, and none of the profile's outputs.
  var isPreview: Bool { preview != nil }

  var damage: DamageCheck { DamageCheck(policy: profile.input) }

  // MARK: Units

  func process(_ unit: UnitRequest) -> ProcessedUnit {
    memory.ofUnit = unit.grant?.memory
    if let grant = unit.grant { Host.setThreads(grant.threads) }
    if let order = unit.order, let root { return carryOut(order, unit, root) }
    return make(unit) { files, writer, _ throws(ItemError) in try writer.commit(files) }
  }

  /// What is done with the files of a unit when its pixels are: on another thread, perhaps, which
  /// makes no pixels.
  typealias Finish =
    ([TemporaryFile], OutputWriter, inout UnitResult) throws(ItemError) -> Void

  /// Makes the outputs that are wanted.
  func make(_ unit: UnitRequest, _ finish: @escaping Finish) -> ProcessedUnit {
    // Whatever is still said of the unit before.
    RefusedMemory.forget()
    _ = Log.take()
    VipsError.forget()
    var result = UnitResult(id: unit.id, status: .done)
    do {
      guard let writer else { preconditionFailure("a worker with an output root") }
      let written =
        try unit.group.map { try make($0, unit, writer, &result) }
        ?? make(unit, writer, &result)
      try checkNotes(result.notes)
      // After the log: what is said of our own files is not said of the input.
      result.outputs = try written.map { file in try file.readBack() }
      result.error = refusal
      let files = written.map(\.file)
      return ProcessedUnit { [result] in Self.finish(files, writer, result, finish) }
    } catch let excess as GrantedMemory.Excess {
      result.status = .skipped
      result.needs = excess.estimate
    } catch let skipped as GroupState.Skipped {
      result.status = .skipped
      result.reason = .incomplete
      result.notes = skipped.notes
      if let writer {
        return ProcessedUnit { [result] in Self.finish([], writer, result, finish) }
      }
    } catch {
      let failure = failure(error, unit.format)
      result.fail(
        unit.group == nil ? EndMark.explaining(failure, unit.input, unit.format) : failure
      )
    }
    return ProcessedUnit(result)
  }

  /// What is told of a unit that has failed.
  ///
  /// `format`: of its first picture.
  func failure(_ error: any Error, _ format: PictureFormat) -> ItemError {
    let cause = (error as? VipsError)?.cause ?? error
    return (cause as? ItemError ?? Self.damaged(format)).blamingMemory(limit: memory.ofWorker)
  }

  /// - Throws: `ItemError` where memory was refused, which is no word on any picture.
  func checkRefusals() throws(ItemError) {
    if let error = RefusedMemory.error(limit: memory.ofWorker) { throw error }
  }

  /// - Throws: `ItemError` where the profile forbids one of them.
  func checkNotes(_ notes: [Note]) throws(ItemError) {
    // A sheet is made to see what there is.
    if preview == nil, let fault = profile.notes.fault(in: notes) { throw fault }
  }

  private static func finish(
    _ files: [TemporaryFile],
    _ writer: OutputWriter,
    _ prepared: UnitResult,
    _ finish: Finish
  ) -> UnitResult {
    var result = prepared
    if result.error != nil { result.status = .failed }
    do {
      try finish(files, writer, &result)
    } catch {
      result.fail(error)
    }
    if files.isEmpty, result.status == .done {
      result.status = .skipped
      result.reason = .withinLimit
    }
    return result
  }

  /// A unit of one item.
  private func make(
    _ unit: UnitRequest,
    _ writer: OutputWriter,
    _ result: inout UnitResult
  ) throws -> [WrittenFile] {
    // Pipelines are gone when this returns; only then is the decoder's log whole.
    let written = try openAndRender(unit, writer, &result)
    tidyUp()
    try checkLog(unit, &result)
    return written
  }

  private func openAndRender(
    _ unit: UnitRequest,
    _ writer: OutputWriter,
    _ result: inout UnitResult
  ) throws -> [WrittenFile] {
    var notes = Notes()
    defer { result.notes = notes.all }
    let picture = try OpenedPicture(
      unit.input,
      format: unit.format,
      policy: profile.input,
      captured: unit.captured
    )
    notes.add(picture.nameNotes)
    if picture.hasPagesToRead {
      return try makePages(of: picture, unit, writer, &notes)
    }
    let pictures = unitPictures([picture])
    let written = try make(jobs(unit, [picture], pictures, &notes), writer, &notes)
    notes.add(pictures.notes)
    return written
  }

  /// The pictures of a unit whose outputs are made.
  func unitPictures(_ rasters: [any Raster]) -> UnitPictures {
    UnitPictures(rasters, policy: profile.input, pixelBound: pixelBound, pipes: pipes)
  }

  /// Writes the outputs under temporary names.
  func make(
    _ jobs: [PlacedJob],
    _ writer: OutputWriter,
    _ notes: inout Notes
  ) throws -> [WrittenFile] {
    // Those that are not wanted have been planned all the same: others may be made of them.
    func isWanted(_ job: PlacedJob) -> Bool { wanted?.contains(job.path) ?? true }
    if !isPreview, let first = jobs.first, !memory.isSurelyEnough(for: jobs.map(\.job)) {
      try memory.check(
        UnitAccount(
          jobs.map(\.job),
          first.job.pictures,
          threads: Host.threads,
          isWanted: { isWanted(jobs[$0]) }
        )
      )
    }
    let jobs = jobs.filter(isWanted)
    if jobs.count > 1, Host.threads > 1 { return try makeSideBySide(jobs, writer, &notes) }
    return try jobs.map { job, path in try job.make(into: writer.temporary(for: path), &notes) }
  }

  /// Gives memory back where the unit has held much of it.
  func tidyUp() {
    if wasLarge { csystem_trim_memory(pixelBound / 2) }
  }

  // MARK: Damage

  private func checkLog(_ unit: UnitRequest, _ result: inout UnitResult) throws {
    guard try damage.hasWarned() else { return }
    try checkRefusals()
    guard try damage.isDamaged(unit.input, unit.format) else {
      // How often depends on how often the file is opened, which says nothing.
      if unit.format.warningsMatter { result.add(DamageCheck.warned) }
      return
    }
    if profile.input.damaged == .reject { throw Self.damaged(unit.format) }
    result.add(DamageCheck.used)
  }

  static func damaged(_ format: PictureFormat) -> ItemError {
    ItemError(
      .damaged,
      expected: "a complete \(format.shown) picture",
      received: "data that ends early or cannot be decoded"
    )
  }
}
