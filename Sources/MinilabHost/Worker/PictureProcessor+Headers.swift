import MinilabKit
import Vips

// What a header tells of a unit and its outputs, before any pixel.

extension PictureProcessor {
  func probe(_ request: ProbeRequest) -> ProbeResult {
    defer { _ = Log.take() }
    RefusedMemory.forget()
    memory.ofUnit = nil
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
        result.add(picture.nameNotes + picture.notes)
        if picture.hasPagesToRead {
          try planPages(of: picture, into: &result)
        } else {
          try plan([picture], format: request.format, into: &result)
        }
        // Where steps have looked at pixels, these have had their say.
        result.add(picture.notes)
      }
      result.estimate = result.account?.estimate
      try checkNotes(result.notes)
      try memory.check(result.account)
    } catch {
      result.error = failure(error, request.format)
    }
    if !explains { result.account = nil }
    return result
  }

  /// Adds the sizes of outputs, what steps say, and how outputs will be made, to the result.
  ///
  /// `format`: of an output that names none. `isAccounted`: another page tells already how it will be made.
  func plan(
    _ opened: [OpenedPicture],
    format: PictureFormat,
    isGathered: Bool = false,
    isAccounted: Bool = false,
    into result: inout ProbeResult
  ) throws {
    let pictures = unitPictures(opened)
    pictures.foresee = { [unowned self, unowned pictures] in
      try foreseenPixels(of: opened, format, pictures, isGathered: isGathered)
    }
    let frames = try frames(
      of: opened,
      from: explains ? .pixels(pictures) : .headers(pictures),
      isGathered: isGathered
    )
    // Pages of their own have outputs of their own.
    let before = result.sizes.count
    var jobs: [(job: OutputJob, place: Int)] = []
    var isPlanned = true
    for (index, (output, planned)) in zip(profile.outputs, frames).enumerated() {
      guard let frame = planned else {
        result.sizes.append(nil)
        isPlanned = false
        continue
      }
      result.add(frame.notes)
      guard !frame.isSkipped || output.isSheet else {
        result.leftOut.append(before + index)
        result.sizes.append(frame.knownSize.map { PlannedSize($0, frame) })
        continue
      }
      let pages = pages(of: opened, output: index)
      let job = try OutputJob(output, format, pictures, frame, pages: pages)
      jobs.append((job, before + index))
      // What a sheet needs of room its texts decide, and some sizes only pixels tell.
      guard let size = job.frame.knownSize, !output.isSheet else {
        result.sizes.append(nil)
        continue
      }
      try job.checkLimits(size)
      result.add(job.plannedNotes)
      result.sizes.append(PlannedSize(size, job.frame))
    }
    result.add(pictures.notesBesideOwn)
    if isAccounted { return }
    // Where pixels are at hand they were planned when a step has looked.
    let areForeseen = jobs.allSatisfy { $0.job.frame.knownSize != nil && !$0.job.output.isSheet }
    if isPlanned, areForeseen, !explains {
      pictures.planLooks(besides: jobs.map(\.job).filter(\.usesFramePixels).map(\.frame))
    }
    var account =
      isPlanned
      ? UnitAccount(jobs.map(\.job), pictures)
      : UnitAccount(unplanned: opened, outputs: profile.outputs.count)
    for (index, place) in jobs.map(\.place).enumerated() where isPlanned {
      account.outputs[index].place = place
    }
    // Pages of their own are made one after the other.
    if result.account == nil { result.account = account } else { result.account?.add(account) }
  }
}
