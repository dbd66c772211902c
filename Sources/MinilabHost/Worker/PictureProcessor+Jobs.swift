import MinilabKit

// From opened pictures to the outputs that are to be made of them.

extension PictureProcessor {
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
    pictures.foresee = { [unowned self, unowned pictures] in
      try foreseenPixels(of: opened, unit.format, pictures, isGathered: unit.group != nil)
    }
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

  /// In pixels.
  private static let large = 4_000_000
}
