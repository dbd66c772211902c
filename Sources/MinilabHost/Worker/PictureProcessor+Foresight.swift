import MinilabKit

// What headers tell of outputs: all but what a step looks at pixels for.

extension PictureProcessor {
  /// The frames of all outputs, in their order; nil where a header cannot tell what a step would be handed.
  func foreseenFrames(
    of opened: [OpenedPicture],
    _ pictures: UnitPictures,
    isGathered: Bool
  ) throws -> [Frame?] {
    var runner = StepRunner(source: .headers(pictures), limit: opened[0].sizeLimit)
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
  func foreseenPixels(
    _ unit: UnitRequest,
    _ opened: [OpenedPicture],
    _ pictures: UnitPictures
  ) throws -> [Frame]? {
    // A sheet shows what each step has made, at sizes of its own.
    guard !isPreview, !profile.outputs.contains(where: \.isSheet) else { return nil }
    let frames = try foreseenFrames(of: opened, pictures, isGathered: unit.group != nil)
    var made: [Frame] = []
    for (index, (output, frame)) in zip(profile.outputs, frames).enumerated() {
      guard let frame, frame.knownSize != nil else { return nil }
      if frame.isSkipped { continue }
      let pages = pages(of: opened, output: index)
      let job = try OutputJob(output, unit.format, pictures, frame, pages: pages)
      if job.usesFramePixels { made.append(job.frame) }
    }
    return made
  }
}
