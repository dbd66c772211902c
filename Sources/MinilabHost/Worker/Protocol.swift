import MinilabKit

// What coordinator and worker say to each other: one JSON object a line, over pipes.

/// From the coordinator to a worker.
enum Request: Codable {
  /// First, and once.
  case setup(Setup)
  case unit(UnitRequest)
  /// Headers only, many at a time.
  case probe([ProbeRequest])
}

/// From a worker to the coordinator.
enum Reply: Codable {
  /// The worker has taken its set-up.
  case ready
  /// The worker has begun this unit: should it die now, this unit is to blame.
  case begun(id: Int)
  /// The unit's files are written and checked, and wait for the disk: no picture is to blame for how long
  /// that takes.
  case made(id: Int)
  case finished(UnitResult)
  /// One result for each request, in its order. Before each file the worker says `begun` with its id.
  case probed([ProbeResult])
}

/// What every unit of a run has in common.
struct Setup: Codable {
  /// The resolved profile: after `extends` and `--set`.
  var profile: Node
  /// The output root.
  ///
  /// Nil for a worker that only probes.
  var output: Path?
  /// libvips threads, for units that are granted no other number.
  var threads: Int
  /// How much may be held of what the outputs of a unit have in common, in bytes; nil: as usual.
  var pixelBound: Int?
  /// Of each header it is told how the unit's outputs would be made; pixels are looked at where steps must.
  var explains: Bool?
  /// One sheet of each unit is written, and none of the profile's outputs.
  var preview: PreviewRequest?
  /// What the worker locks itself into, once; nil: nothing.
  var confinement: Confinement?
}

/// One unit to process.
struct UnitRequest: Codable {
  var id: Int
  /// As it is opened.
  var input: Path
  /// The format of its content, from the signature table.
  var format: PictureFormat
  /// Where the outputs go, relative to the output root, one for each output of the profile.
  var outputs: [Path]
  /// Nil for a unit of one item; `input` and `format` are then all there is.
  var group: GroupRequest?
  /// Of a unit of one captured item.
  var captured: CaptureFacts?
  /// What a ledger makes of it; nil where there is none, and every output is made.
  var order: UnitOrder?
  /// What it may take; nil: all it needs.
  var grant: Grant?
  /// What it will take, as far as the coordinator knows: not sent.
  var estimate: Estimate?
  /// A worker has found the estimate, and it need not be held against it again: not sent.
  var isEstimateExact = false

  private enum CodingKeys: CodingKey {
    case id, input, format, outputs, group, captured, order, grant
  }

  /// Those it may take its time for.
  var pictureCount: Int { group?.members.count ?? 1 }
}

/// What a unit may take of the machine.
struct Grant: Codable, Equatable {
  /// Of libvips.
  var threads: Int
  /// In bytes; nil for no bound.
  ///
  /// A unit that needs more is given back before its pixels are made.
  var memory: Int?
}

/// The items of a gathered unit.
struct GroupRequest: Codable {
  /// In the order of the plan; those included that have failed already.
  var members: [GroupMember]
  /// How many it should have, where it has fewer.
  var wanted: Int?
}

struct GroupMember: Codable {
  /// As it is opened.
  var input: Path
  /// How much of `input` is the root's: reports have the rest.
  var rootLength: Int
  /// Nil where it has failed already.
  var format: PictureFormat?
  var error: ItemError?
  /// Of a captured one.
  var captured: CaptureFacts?

  /// As reports have it.
  var name: Path { Path(bytes: input.bytes.dropFirst(rootLength)) }
}

struct UnitResult: Codable {
  var id: Int
  var status: UnitStatus
  /// Why it was skipped.
  var reason: SkipReason?
  var outputs: [OutputRecord] = []
  var notes: [Note] = []
  var error: ItemError?
  /// Wall time in the worker.
  var seconds: Double = 0
  /// Of a unit that was ordered by a ledger, unless it has failed.
  var findings: UnitFindings?
  /// It needs more than it was granted, and was not made.
  var needs: Estimate?
}

enum UnitStatus: String, Codable {
  case done
  case failed
  case skipped
}

enum SkipReason: String, Codable, CaseIterable {
  /// Somebody else has changed an output, and it is left as it is.
  case altered
  /// A group that lacks pictures, where the profile leaves such out.
  case incomplete
  /// The grouping's pattern does not match it.
  case noGroup = "no-group"
  /// Its outputs are there, and are what they would become.
  case upToDate = "up-to-date"
  case withinLimit = "within-limit"
}

/// One file that was made.
struct OutputRecord: Codable {
  /// Relative to the output root.
  var path: Path
  var width: Int
  var height: Int
  var format: PictureFormat
  var bytes: Int
  /// Nil for one.
  var pages: Int?
  /// What a crop has kept of the picture.
  var cropBounds: PixelRectangle?
}

struct ProbeRequest: Codable {
  var id: Int
  var input: Path
  var format: PictureFormat
  var group: GroupRequest?
  /// Of a unit of one captured item.
  var captured: CaptureFacts?

  var pictureCount: Int { group?.members.count ?? 1 }
}

/// What a header tells, or why it tells nothing.
struct ProbeResult: Codable {
  var id: Int
  /// Of the unit's first picture that can be opened.
  var header: Header?
  /// The planned size of each output; nil where only pixels can tell.
  var sizes: [PlannedSize?] = []
  /// The places of outputs that steps leave out.
  var leftOut: [Int] = []
  var notes: [Note] = []
  /// Why the unit will be skipped as a whole.
  var reason: SkipReason?
  /// Impossible formats, limits, and what a step refuses.
  var error: ItemError?
  /// What its outputs will take.
  var estimate: Estimate?
  /// How they would be made, where that was asked for.
  var account: UnitAccount?
}

struct PlannedSize: Codable, Equatable {
  var width: Int
  var height: Int
  /// What a crop will keep of the picture.
  var cropBounds: PixelRectangle?
}

/// A picture's header, upright.
struct Header: Codable, Equatable {
  var width: Int
  var height: Int
  /// The orientation tag, 1 where there is none.
  var orientation: Int
  var pages: Int
  /// When the picture was taken, `YYYY:MM:DD HH:MM:SS` of EXIF, where it says.
  var taken: String?
}

// A worker that was taken over by a picture says what it likes: this much must hold before anybody
// goes by it.

extension UnitResult {
  /// A failure has a reason, and nothing else has one.
  var makesSense: Bool {
    (status == .failed) == (error != nil) && needs?.makesSense != false
  }
}

extension Estimate {
  /// No unit needs less than nothing, or more than there is anywhere.
  fileprivate var makesSense: Bool { (0...(1 << 50)).contains(memory) && cost.isFinite }
}

extension ProbeResult {
  /// No picture is smaller than nothing, or without a page.
  var makesSense: Bool {
    if estimate?.makesSense == false { return false }
    guard let header else { return true }
    return header.width >= 0 && header.height >= 0 && header.pages > 0
  }
}

/// What a worker does with its requests.
///
/// The loop around it knows nothing of pictures.
protocol UnitProcessor {
  func process(_ unit: UnitRequest) -> ProcessedUnit
  func probe(_ request: ProbeRequest) -> ProbeResult
}

/// A unit whose pixels are done.
struct ProcessedUnit {
  /// Waits for the disk and gives the result.
  ///
  /// It may run on another thread while the next unit is worked on, and holds nothing of libvips.
  let finish: () -> UnitResult
  /// Something is left that waits for the disk.
  let waitsForDisk: Bool

  init(_ finish: @escaping () -> UnitResult) {
    self.finish = finish
    waitsForDisk = true
  }

  /// Nothing is left to be done.
  init(_ result: UnitResult) {
    finish = { result }
    waitsForDisk = false
  }
}
