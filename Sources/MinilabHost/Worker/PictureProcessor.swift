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
  /// What is told of a unit in place of making it.
  var explains: Bool
  /// Of the unit in work.
  private var account: UnitAccount?
  /// Of the unit in work.
  private var grant = GrantedMemory()
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
    grant = GrantedMemory(bytes: unit.grant?.memory)
    account = nil
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
      result.account = account
      let files = written.map(\.file)
      return ProcessedUnit { [result] in Self.finish(files, writer, result, finish) }
    } catch let excess as GrantedMemory.Excess {
      result.status = .skipped
      result.needs = excess.estimate
    } catch let error as ItemError {
      result.fail(error)
    } catch let skipped as GroupState.Skipped {
      result.status = .skipped
      result.reason = .incomplete
      result.notes = skipped.notes
      if let writer {
        return ProcessedUnit { [result] in Self.finish([], writer, result, finish) }
      }
    } catch {
      let cause = (error as? VipsError)?.cause as? ItemError
      result.fail(cause ?? Self.damaged(unit.format))
    }
    return ProcessedUnit(result)
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
    if explains || !grant.isSurelyEnough(for: jobs.map(\.job)), !isPreview, let first = jobs.first {
      var part = UnitAccount(jobs.map(\.job), first.job.pictures, threads: Host.threads) {
        isWanted(jobs[$0])
      }
      if explains {
        for place in part.outputs.indices { part.outputs[place].path = jobs[place].path }
        if account == nil { account = part } else { account?.add(part) }
        return []
      }
      try grant.check(part.estimate)
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
