import Glibc
import MinilabKit

// A unit of which the ledger knows something: what looks changed is looked at, and only what is
// missing or out of date is made.

extension PictureProcessor {
  func carryOut(_ order: UnitOrder, _ unit: UnitRequest, _ root: Path) -> ProcessedUnit {
    var watch = InputWatch(order.inputsAreKnown ? [] : unit.inputs)
    var isChanged = false
    for (place, digest) in order.inputs where watch.digest(place) != digest { isChanged = true }
    for (path, output) in zip(unit.outputs, order.outputs) {
      guard let origin = output.origin, !origin.isSame(as: &watch) else { continue }
      var result = UnitResult(id: unit.id, status: .done)
      result.fail(.exists(path, of: origin))
      return ProcessedUnit(result)
    }
    let fates = zip(unit.outputs, order.outputs).map { path, output in
      OutputLook(root, path).fate(output, inputIsChanged: isChanged)
    }
    guard fates.contains(where: \.isMade) else {
      return ProcessedUnit(nothingToMake(unit, fates, &watch))
    }
    wanted = Set(zip(unit.outputs, fates).lazy.filter { $1.isMade }.map(\.0))
    defer { wanted = nil }
    watch.begin()
    _ = BesideFiles.take()
    let finishing = Finishing(unit.outputs, order.outputs, fates, root)
    let processed = make(unit) { [watch] files, writer, result throws(ItemError) in
      var watch = watch
      try finishing.finish(files, writer, &watch, &result)
    }
    finishing.beside = BesideFiles.take()
    return processed
  }

  private func nothingToMake(
    _ unit: UnitRequest,
    _ fates: [OutputFate],
    _ watch: inout InputWatch
  ) -> UnitResult {
    var result = UnitResult(id: unit.id, status: .skipped, reason: .upToDate)
    let findings = fates.map(\.finding)
    result.notes = alterations(unit.outputs, findings)
    if !result.notes.isEmpty { result.reason = .altered }
    result.findings = UnitFindings(inputs: watch.findings(), outputs: findings)
    return result
  }
}

extension OutputFinding {
  fileprivate var isAltered: Bool {
    if case .altered = self { true } else { false }
  }
}

/// Says which outputs are left as somebody else has made them.
private func alterations(_ outputs: [Path], _ findings: [OutputFinding]) -> [Note] {
  zip(outputs, findings).compactMap { path, finding in
    guard case .altered = finding else { return nil }
    return Note(
      .outputAltered,
      "\(path.shown) was changed since it was made; it was left as it is (--force makes it anew)"
    )
  }
}

/// What becomes of an output.
enum OutputFate {
  case make(MakingReason)
  /// What is made is held against the file that is there, which stays.
  case compare(MakingReason, FileStamp)
  case kept
  case sound(FileStamp)
  case altered(FileStamp)

  var isMade: Bool {
    switch self {
    case .make, .compare: true
    case .kept, .sound, .altered: false
    }
  }

  /// Of what is not made.
  var finding: OutputFinding {
    switch self {
    case .make: .leftOut
    case .kept: .kept
    case .sound(let stamp): .sound(stamp)
    case .altered(let stamp), .compare(_, let stamp): .altered(stamp)
    }
  }
}

/// Brings the files of an ordered unit to their names, and tells what the ledger is to remember.
///
/// Set up before the unit's second half begins, which alone uses it then.
private final class Finishing {
  private let outputs: [Path]
  private let orders: [OutputOrder]
  private let fates: [OutputFate]
  private let root: Path
  var beside: [Path] = []

  init(_ outputs: [Path], _ orders: [OutputOrder], _ fates: [OutputFate], _ root: Path) {
    self.outputs = outputs
    self.orders = orders
    self.fates = fates
    self.root = root
  }

  func finish(
    _ files: [TemporaryFile],
    _ writer: OutputWriter,
    _ watch: inout InputWatch,
    _ result: inout UnitResult
  ) throws(ItemError) {
    let places = Dictionary(uniqueKeysWithValues: zip(outputs, outputs.indices))
    var findings = fates.map(\.finding)
    var made: [(file: TemporaryFile, place: Int, digest: ContentDigest, reason: MakingReason)] = []
    for file in files {
      guard let place = places[file.path] else { continue }
      let digest: ContentDigest
      do {
        digest = try ContentDigest(ofFile: file.descriptor)
      } catch {
        throw OutputWriter.failure(error, writing: file.path)
      }
      file.mayReplace = orders[place].mayReplace
      switch fates[place] {
      case .make(let reason):
        if orders[place].mustEqual, let there = OutputLook(root, file.path).file {
          guard there.digest == digest else { throw .exists(file.path) }
          findings[place] = .equal(there.stamp, digest)
        } else {
          made.append((file, place, digest, reason))
        }
      case .compare:
        if let there = OutputLook(root, file.path).file, there.digest == digest {
          findings[place] = .equal(there.stamp, digest)
        }
      case .kept, .sound, .altered: break
      }
    }
    try writer.commit(made.map(\.file))
    for item in made { findings[item.place] = .made(item.file.stamp, item.digest, item.reason) }
    result.notes += alterations(outputs, findings)
    let altered = Set(zip(outputs, findings).lazy.filter { $1.isAltered }.map(\.0))
    result.outputs.removeAll { altered.contains($0.path) }
    if made.isEmpty, !files.isEmpty {
      // All that was made was made to be compared.
      result.status = .skipped
      result.reason = altered.isEmpty ? .upToDate : .altered
    }
    var besides = InputWatch(beside)
    result.findings = UnitFindings(
      inputs: watch.findings(),
      beside: besides.findings(),
      outputs: findings
    )
    for place in beside.indices { result.findings?.beside[place].path = beside[place] }
  }
}
