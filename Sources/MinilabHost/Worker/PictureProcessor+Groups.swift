import MinilabKit
import Vips

// A gathered unit: its members are opened together, and where one of them turns out to be bad the
// unit is made again without it, as the profile says.

extension PictureProcessor {
  // MARK: Headers

  func probe(
    _ group: GroupRequest,
    _ request: ProbeRequest,
    into result: inout ProbeResult
  ) throws {
    var state = GroupState(group, incomplete)
    do {
      while true {
        let (opened, places) = try open(&state)
        var attempt = ProbeResult(id: request.id)
        attempt.header = opened[0].header
        do {
          try plan(opened, format: request.format, isGathered: true, into: &attempt)
        } catch let errors as FrameErrors {
          fail(errors, places, &state)
          continue
        }
        let own = zip(places, opened).map { (place: $0, notes: $1.nameNotes + $1.notes) }
        attempt.notes += state.naming(own) + state.notes
        result = attempt
        return
      }
    } catch let skipped as GroupState.Skipped {
      result.reason = .incomplete
      result.notes = skipped.notes
    }
  }

  // MARK: Pixels

  func make(
    _ group: GroupRequest,
    _ unit: UnitRequest,
    _ writer: OutputWriter,
    _ result: inout UnitResult
  ) throws -> [WrittenFile] {
    var state = GroupState(group, incomplete)
    while true {
      if let written = try attempt(unit, writer, &state, &result) {
        result.notes += state.notes
        return written
      }
      try state.check()
    }
  }

  /// Makes the unit of the members that have not failed; nil where another one has failed now.
  private func attempt(
    _ unit: UnitRequest,
    _ writer: OutputWriter,
    _ state: inout GroupState,
    _ result: inout UnitResult
  ) throws -> [WrittenFile]? {
    let written: [WrittenFile]
    _ = Log.take()
    do {
      written = try render(unit, writer, &state, &result)
    } catch let stop as Stop {
      throw stop.error
    } catch let excess as GrantedMemory.Excess {
      throw excess
    } catch let error {
      tidyUp()
      try checkRefusals()
      // What is wrong with one picture shows in the whole, or looks as if the whole were wrong.
      if findFaults(&state) { return nil }
      throw error
    }
    tidyUp()
    return try checkLog(&state, &result) ? written : nil
  }

  /// What no other set of members would mend.
  private struct Stop: Error {
    let error: any Error
  }

  /// Pipelines are gone when this returns; only then is the decoder's log whole.
  private func render(
    _ unit: UnitRequest,
    _ writer: OutputWriter,
    _ state: inout GroupState,
    _ result: inout UnitResult
  ) throws -> [WrittenFile] {
    while true {
      let opened: [OpenedPicture]
      let places: [Int]
      do { (opened, places) = try open(&state) } catch { throw Stop(error: error) }
      let pictures = unitPictures(opened)
      var notes = Notes()
      do {
        let jobs: [PlacedJob]
        do {
          jobs = try self.jobs(unit, opened, pictures, &notes)
        } catch let error as ItemError where error.code != .damaged {
          // A step refuses the group, whatever its pixels are.
          throw Stop(error: error)
        }
        let written = try make(jobs, writer, &notes)
        let own = zip(places, opened).map { (place: $0, notes: $1.nameNotes + $1.notes) }
        result.notes = state.naming(own) + notes.all + pictures.notesBesideOwn
        return written
      } catch let errors as FrameErrors {
        do { try checkRefusals() } catch { throw Stop(error: error) }
        fail(errors, places, &state)
      } catch let error as ItemError where Self.isOfOutput(error) {
        throw Stop(error: error)
      }
    }
  }

  /// The disk or the format is to blame, and no picture.
  private static func isOfOutput(_ error: ItemError) -> Bool {
    switch error.code {
    case .diskFull, .formatLimit, .outputLost, .tooManyPixels, .writeFailed: true
    default: false
    }
  }

  /// Looks for members that cannot be decoded, each alone.
  ///
  /// - Returns: true where there is one.
  private func findFaults(_ state: inout GroupState) -> Bool {
    var found = false
    for place in state.open {
      let member = state.member(place)
      guard let format = member.format, let error = damage.fault(of: member.input, format)
      else { continue }
      state.fail(place, error)
      found = true
    }
    return found
  }

  /// - Returns: false where a member has turned out to be damaged.
  private func checkLog(_ state: inout GroupState, _ result: inout UnitResult) throws -> Bool {
    guard try damage.hasWarned(of: state.open.count) else { return true }
    try checkRefusals()
    var damaged: [Int] = []
    var hasWarned = false
    for place in state.open {
      let member = state.member(place)
      guard let format = member.format else { continue }
      if try damage.isDamaged(member.input, format) {
        damaged.append(place)
      } else if format.warningsMatter {
        hasWarned = true
      }
    }
    if profile.input.damaged == .reject, !damaged.isEmpty {
      for place in damaged {
        guard let format = state.member(place).format else { continue }
        state.fail(place, Self.damaged(format))
      }
      return false
    }
    result.notes += state.naming(damaged.map { (place: $0, notes: [DamageCheck.used]) })
    if damaged.isEmpty, hasWarned {
      result.notes.append(
        Note(.decoderWarned, "the decoder warned of a picture of the group, and read all of it")
      )
    }
    return true
  }

  // MARK: Members

  private var incomplete: IncompletePolicy { profile.gather?.incomplete ?? .keep }

  /// Opens the members that have not failed; those that cannot be opened have failed then.
  ///
  /// - Returns: At least one, and their places in the group.
  /// - Throws: `GroupState.Skipped`, or the unit's error where it has failed.
  private func open(
    _ state: inout GroupState
  ) throws -> (opened: [OpenedPicture], places: [Int]) {
    while true {
      let candidates = state.open
      let opened = try open(candidates, &state)
      try checkFiles(candidates.count)
      try state.check()
      if opened.count == candidates.count { return (opened, candidates) }
      // Those that are left are opened anew: a decoder that has refused a header has warned, too, and
      // that is no word on the others.
      tidyUp()
      _ = Log.take()
    }
  }

  /// - Returns: Those that can be opened; the others have failed.
  private func open(_ places: [Int], _ state: inout GroupState) throws -> [OpenedPicture] {
    var opened: [OpenedPicture] = []
    for place in places {
      let member = state.member(place)
      guard let format = member.format else { continue }
      do throws(ItemError) {
        opened.append(
          try OpenedPicture(
            member.input,
            format: format,
            policy: profile.input.ofFirstPage,
            place: opened.count,
            of: places.count,
            captured: member.captured
          )
        )
      } catch {
        try checkFiles(places.count)
        try checkRefusals()
        state.fail(place, error)
      }
    }
    return opened
  }

  /// What decoders, files of the profile and outputs need beside the members.
  private static let spareFiles = 16

  /// Without room for more open files every picture looks broken.
  private func checkFiles(_ count: Int) throws(ItemError) {
    if System.canOpen(Self.spareFiles) { return }
    throw ItemError(
      .operationFailed,
      expected: "a group whose pictures can all be open at once (see ulimit -n)",
      received: "\(count) pictures, and too many open files"
    )
  }

  private func fail(_ errors: FrameErrors, _ places: [Int], _ state: inout GroupState) {
    for (picture, error) in errors.all { state.fail(places[picture], error) }
  }
}
