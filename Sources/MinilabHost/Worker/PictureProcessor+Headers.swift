import MinilabKit
import Vips

// What a header tells of a unit and its outputs, before any pixel.

extension PictureProcessor {
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
    let frames = try foreseenFrames(of: opened, pictures, isGathered: isGathered)
    // Pages of their own have outputs of their own.
    let before = result.sizes.count
    var jobs: [OutputJob] = []
    var isPlanned = true
    for (index, (output, planned)) in zip(profile.outputs, frames).enumerated() {
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
    if isPlanned { pictures.planLooks(besides: jobs.filter(\.usesFramePixels).map(\.frame)) }
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
}
