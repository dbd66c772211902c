import Glibc
import MinilabKit

/// What a source will make, as if it were there: for the checks before a run, and for a dry run.
///
/// Names carry the time of now in place of each picture's own.
struct SourceSample {
  private let profile: Profile
  private let announcement: SourceAnnouncement
  private let count: Int

  init(_ profile: Profile, _ announcement: SourceAnnouncement, count: Int) {
    self.profile = profile
    self.announcement = announcement
    self.count = count
  }

  /// A plan of the first units.
  ///
  /// - Throws: `PlanError` where paths clash.
  func plan(units: Int, output: Path) throws(PlanError) -> Plan {
    let perUnit =
      switch profile.gather?.by {
      case nil: 1
      case .count(let count)?: count
      case .all?, .folder?, .pattern?: count
      }
    let (most, overflows) = perUnit.multipliedReportingOverflow(by: units)
    var plan = try Plan(
      items(overflows ? count : min(count, most)),
      LeftOut(),
      Plan.recipes(of: profile),
      gather: profile.gather,
      clash: .error,
      output: output,
      files: profile.files
    )
    if plan.needsHeaders {
      for index in 0..<plan.count where plan.fate(at: index) == nil {
        try plan.learn(ProbeResult(id: index, sizes: sizes))
      }
      try plan.settle()
    }
    return plan
  }

  private func items(_ count: Int) -> ItemTable {
    let now = Int64(time(nil))
    var table = ItemTable()
    let root = table.addRoot(
      .init(path: Path(announcement.name), name: Array(announcement.name.utf8))
    )
    for index in 0..<count {
      let name = announcement.itemName(
        taken: WallClock(fileTime: now),
        index: index + 1,
        of: count
      )
      table.add(name.bytes, in: root, announcement.format, seconds: now)
    }
    return table
  }

  /// The sizes of a unit's outputs, where they follow from that of the pictures.
  var sizes: [PlannedSize?] {
    guard let size = announcement.size, size.count == 2 else {
      return profile.outputs.map { _ in nil }
    }
    let origin = Origin(
      format: announcement.format,
      size: Size(width: size[0], height: size[1]),
      orientation: announcement.orientation
    )
    let runner = StepRunner(source: .nothing)
    let frames = Array(repeating: Frame(origin), count: profile.gather == nil ? 1 : 2)
    guard let shared = try? runner.run(profile.steps, on: frames) else {
      return profile.outputs.map { _ in nil }
    }
    var named: [String: Frame] = [:]
    return profile.outputs.map { output in
      let frame = (try? runner.run(output.steps, on: shared, outputs: named))??.first
      named[output.name] = frame
      guard let size = frame?.knownSize, !output.isSheet else { return nil }
      return PlannedSize(width: size.width, height: size.height, cropBounds: frame?.cropBounds)
    }
  }
}
