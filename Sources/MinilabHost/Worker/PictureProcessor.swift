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
  private let preview: Preview?
  /// Why the steps of a preview do not reach their end; the sheet is written all the same.
  var refusal: ItemError?
  /// The unit's picture left enough behind to be worth tidying up, which takes a millisecond.
  private var wasLarge = false
  /// How much may be held of what the outputs of a unit have in common, in bytes.
  ///
  /// With less they are made the same way, and pixels are made more often.
  var pixelBound: Int
  /// What is told of a unit in place of making it.
  var explains: Bool
  /// Of the unit in work.
  private var account: UnitAccount?
  /// What the unit in work may hold, in bytes; nil for no bound.
  private var memoryBound: Int?
  private let pipes = ReducingPipes()
  /// In pixels.
  private static let large = 4_000_000
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

  // MARK: Headers

  func probe(_ request: ProbeRequest) -> ProbeResult {
    defer { _ = Log.take() }
    var result = ProbeResult(id: request.id)
    do {
      if let group = request.group {
        try probe(group, request, into: &result)
      } else {
        let picture = try OpenedPicture(
          request.input,
          format: request.format,
          policy: profile.input,
          captured: request.captured
        )
        result.header = picture.header
        result.notes = picture.notes
        if picture.hasPagesToRead {
          try planPages(of: picture, into: &result)
        } else {
          try plan([picture], format: request.format, into: &result)
        }
      }
      try checkNotes(result.notes)
    } catch let error as ItemError {
      result.error = error
    } catch {
      result.error = Self.damaged(request.format)
    }
    return result
  }

  /// Adds the sizes of outputs, and what steps say, to the result.
  ///
  /// `format`: of an output that names none.
  func plan(
    _ opened: [OpenedPicture],
    format: PictureFormat,
    isGathered: Bool = false,
    into result: inout ProbeResult
  ) throws {
    let pictures = UnitPictures(opened, policy: profile.input)
    var runner = StepRunner(source: .headers(pictures), limit: opened[0].sizeLimit)
    runner.isGathered = isGathered
    let shared = try runner.run(profile.steps, on: opened.map(\.firstFrame))
    runner.isGathered = isGathered && !profile.sharesGroupStep
    var frames: [String: Frame] = [:]
    // Pages of their own have outputs of their own.
    let before = result.sizes.count
    var jobs: [OutputJob] = []
    var isPlanned = true
    for (index, output) in profile.outputs.enumerated() {
      let planned = try shared.flatMap {
        try runner.run(output.steps, on: $0, outputs: frames)?.first
      }
      frames[output.name] = planned
      // What a sheet needs of room its texts decide.
      guard let frame = planned, let size = frame.knownSize, !output.isSheet else {
        result.sizes.append(nil)
        isPlanned = false
        continue
      }
      for note in frame.notes where !result.notes.contains(note) { result.notes.append(note) }
      guard !frame.isSkipped else {
        result.leftOut.append(before + index)
        result.sizes.append(PlannedSize(size, frame))
        continue
      }
      let pages = pages(of: opened, output: index)
      let job = try OutputJob(output, format, pictures, frame, pages: pages)
      try job.checkLimits(job.frame.size)
      for note in job.plannedNotes where !result.notes.contains(note) {
        result.notes.append(note)
      }
      result.sizes.append(PlannedSize(job.frame.size, job.frame))
      jobs.append(job)
    }
    let account =
      isPlanned
      ? UnitAccount(jobs, pictures)
      : UnitAccount(unplanned: opened, outputs: profile.outputs.count)
    // Pages of their own are made one after the other.
    result.estimate = Estimate(
      memory: max(result.estimate?.memory ?? 0, account.estimate.memory),
      cost: (result.estimate?.cost ?? 0) + account.estimate.cost
    )
  }

  // MARK: Units

  func process(_ unit: UnitRequest) -> ProcessedUnit {
    memoryBound = unit.grant?.memory
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
    } catch let excess as Excess {
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
  private func checkNotes(_ notes: [Note]) throws(ItemError) {
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

  typealias PlacedJob = (job: OutputJob, path: Path)

  /// Takes opened pictures through the steps.
  ///
  /// All outputs are looked at before the first is made: an impossible one costs no pixel.
  func jobs(
    _ unit: UnitRequest,
    _ opened: [OpenedPicture],
    _ pictures: UnitPictures,
    _ notes: inout Notes
  ) throws -> [PlacedJob] {
    wasLarge = opened.reduce(0) { $0 + $1.size.width * $1.size.height } > Self.large
    var runner = StepRunner(source: .pixels(pictures), limit: opened[0].sizeLimit)
    runner.isGathered = unit.group != nil
    let start = opened.map(\.firstFrame)
    if let preview { return [(try job(preview, on: start, runner, pictures), unit.outputs[0])] }
    var recorder =
      profile.outputs.contains(where: \.isSheet)
      ? SheetRecorder(profile, on: start, pictures: pictures) : nil
    let shared = try runner.run(profile.steps, on: start) { try recorder?.add($0, $1, $2) }
    runner.isGathered = runner.isGathered && !profile.sharesGroupStep
    var frames: [String: Frame] = [:]
    var jobs: [PlacedJob] = []
    for (index, (output, path)) in zip(profile.outputs, unit.outputs).enumerated() {
      recorder?.begin(output)
      let made = try shared.flatMap {
        try runner.run(output.steps, on: $0, outputs: frames) { try recorder?.addOwn($0, $1, $2) }
      }
      guard let frame = made?.first else {
        preconditionFailure("with pixels at hand every step can be taken")
      }
      frames[output.name] = frame
      notes.add(frame.notes)
      let sheet = output.isSheet ? recorder?.sheet(of: output) : nil
      let pages = pages(of: opened, output: index)
      if frame.isSkipped, sheet == nil, try pages?.isLeftOut() ?? true { continue }
      let job = try OutputJob(output, unit.format, pictures, frame, sheet: sheet, pages: pages)
      if let size = frame.knownSize, sheet == nil { try job.checkLimits(size) }
      jobs.append((job, path))
    }
    let way = pictures.commonWay(to: jobs.map(\.job).filter(\.usesFramePixels).map(\.frame))
    for index in jobs.indices { jobs[index].job.way = way }
    return jobs
  }

  /// Writes the outputs under temporary names.
  func make(
    _ jobs: [PlacedJob],
    _ writer: OutputWriter,
    _ notes: inout Notes
  ) throws -> [WrittenFile] {
    // Those that are not wanted have been planned all the same: others may be made of them.
    func isWanted(_ job: PlacedJob) -> Bool { wanted?.contains(job.path) ?? true }
    if explains || !isSurelyGranted(jobs), !isPreview, let first = jobs.first {
      var part = UnitAccount(jobs.map(\.job), first.job.pictures, threads: Host.threads) {
        isWanted(jobs[$0])
      }
      if explains {
        for place in part.outputs.indices { part.outputs[place].path = jobs[place].path }
        if account == nil { account = part } else { account?.add(part) }
        return []
      }
      if let memoryBound, part.estimate.memory > memoryBound {
        throw Excess(estimate: part.estimate)
      }
    }
    let jobs = jobs.filter(isWanted)
    if jobs.count > 1, Host.threads > 1 { return try makeSideBySide(jobs, writer, &notes) }
    return try jobs.map { job, path in try job.make(into: writer.temporary(for: path), &notes) }
  }

  /// The unit in work is so small that nobody need look at what exactly it takes.
  private func isSurelyGranted(_ jobs: [PlacedJob]) -> Bool {
    guard let memoryBound, let first = jobs.first else { return true }
    let inputs = first.job.pictures.pixelCount
    let outputs = jobs.reduce(0) { $0 + ($1.job.frame.knownSize?.pixelCount ?? inputs) }
    return inputs * Self.mostForInput + outputs * Self.mostForOutput <= memoryBound
  }

  /// In bytes for a pixel: more than any decoder, and any resampling in floating point, holds.
  private static let mostForInput = 40
  /// The same of what any encoder holds with the picture that it is handed.
  private static let mostForOutput = 120

  /// The unit in work needs more than it was granted.
  struct Excess: Error {
    let estimate: Estimate
  }

  /// Gives memory back where the unit has held much of it.
  func tidyUp() {
    if wasLarge { csystem_trim_memory() }
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
