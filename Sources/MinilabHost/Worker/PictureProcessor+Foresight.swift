import MinilabKit

// What headers tell of outputs: all but what a step looks at pixels for.

extension PictureProcessor {
  /// The frames of all outputs, in their order; nil where a header cannot tell what a step would be handed.
  func frames(
    of opened: [OpenedPicture],
    from source: StepRunner.Source,
    isGathered: Bool
  ) throws -> [Frame?] {
    var runner = StepRunner(source: source, limit: opened[0].sizeLimit)
    runner.isGathered = isGathered
    let shared = try runner.run(profile.steps, on: opened.map(\.firstFrame))
    runner.isGathered = isGathered && !profile.sharesGroupStep
    var frames: [String: Frame] = [:]
    return try profile.outputs.map { output in
      let frame = try shared.flatMap {
        try runner.run(output.steps, on: $0, outputs: frames)?.first
      }
      frames[output.name] = frame
      return frame
    }
  }

  /// The frames whose pixels a unit's outputs are made of; nil where headers do not tell all of them.
  ///
  /// `format`: of an output that names none.
  func foreseenPixels(
    of opened: [OpenedPicture],
    _ format: PictureFormat,
    _ pictures: UnitPictures,
    isGathered: Bool
  ) throws -> [Frame]? {
    // A sheet shows what each step has made, at sizes of its own.
    guard !isPreview, !profile.outputs.contains(where: \.isSheet) else { return nil }
    let frames = try frames(of: opened, from: .headers(pictures), isGathered: isGathered)
    var made: [Frame] = []
    for (index, (output, frame)) in zip(profile.outputs, frames).enumerated() {
      guard let frame, frame.knownSize != nil else { return nil }
      if frame.isSkipped { continue }
      let pages = pages(of: opened, output: index)
      let job = try OutputJob(output, format, pictures, frame, pages: pages)
      if job.usesFramePixels { made.append(job.frame) }
    }
    return made
  }
}
