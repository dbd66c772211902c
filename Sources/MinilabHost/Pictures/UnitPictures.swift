import Glibc
import MinilabKit
import PictureMetadata
import Vips

/// The pictures of one unit, as its steps ask for them: those it is made of, and files that the
/// profile names.
///
/// Sendable because a worker does one unit at a time, on one thread; only the closures of pixel
/// work see it, and where libvips calls them from its own threads they wait for each other while the
/// worker's thread waits for them all.
final class UnitPictures: PictureMaker, PictureFiles, @unchecked Sendable {
  /// By the `picture` of their frames' origins.
  private var rasters: [any Raster]
  /// How many of them are the unit's own.
  private let ownCount: Int
  /// Where in `rasters` a named file is.
  private var files: [Path: Int] = [:]
  /// What steps have stated while pixels were made.
  private var stepNotes: [Note] = []
  private let policy: InputPolicy
  /// What was seen of the first frame, where these are the pictures of a frame of an animation.
  private let looks: Looks?

  /// What outputs have in common, from when all their frames are known; theirs, as the steps that it
  /// carries out may hold these pictures.
  private weak var way: CommonWay?
  private let pixelBound: Int
  private let pipes: ReducingPipes?
  private let store: PixelStore

  /// What steps will look at, as far as headers have told.
  private var expectedLooks = DecodePlan()
  /// The places of pictures that may have previews in their place.
  private var replaceable: Set<Int> = []
  /// Pictures that steps look at, by their places.
  private var once: [Int: DecodedOnce] = [:]
  /// Takes the unit's pictures through the steps by their headers, and gives the frames of all outputs
  /// whose pixels are asked for; nil once that was done, or where headers do not tell.
  var foresee: (() throws -> [Frame]?)?

  /// - Parameters:
  ///   - rasters: What the unit's frames come from, in their order.
  ///   - policy: For files that the profile names.
  ///   - looks: What was seen of the first frame of an animation.
  ///   - pixelBound: How much may be held of what outputs have in common, in bytes.
  ///   - pipes: Of the worker, for small pictures.
  init(
    _ rasters: [any Raster],
    policy: InputPolicy,
    looks: Looks? = nil,
    pixelBound: Int = PixelStore.usualBound,
    pipes: ReducingPipes? = nil
  ) {
    self.pipes = pipes
    self.rasters = rasters
    self.looks = looks
    self.pixelBound = pixelBound
    store = PixelStore(bound: pixelBound)
    ownCount = rasters.count
    self.policy = policy
  }

  // MARK: Headers

  func frame(of file: FileReference) throws -> Frame {
    if let place = files[file.path], let picture = rasters[place] as? OpenedPicture {
      return Frame(picture.origin)
    }
    let picture = try OpenedPicture(
      file.path,
      format: format(of: file),
      policy: policy.ofFirstPage,
      place: rasters.count
    )
    files[file.path] = rasters.count
    rasters.append(picture)
    return Frame(picture.origin)
  }

  private func format(of file: FileReference) throws(ItemError) -> PictureFormat {
    var inspector = Inspector(policy.formats.formats)
    let inspection = inspector.inspect(
      file.path.bytes[...],
      in: AT_FDCWD,
      follow: true,
      named: true
    )
    let found: String
    switch inspection {
    case .picture(let format, _): return format
    case .off(let format):
      throw ItemError(
        .notAPicture,
        expected: "a picture of a format that is on",
        received: "\(format.shown), which --set '\(InputPolicy.opening(format))' opens"
      )
    case .failed(let error): found = error.received
    case .leftOut(\.raw): found = "camera raw"
    case .leftOut: found = "no file"
    case .gone: found = "nothing"
    }
    throw ItemError(
      .notAPicture,
      expected: "a picture",
      received: found
    )
  }

  func exif(_ tag: String, of origin: Origin) -> String? {
    (rasters[origin.picture] as? OpenedPicture)?.reader.exif(tag)
  }

  func dateTaken(of origin: Origin) -> WallClock? {
    (rasters[origin.picture] as? OpenedPicture)?.header.taken.flatMap(WallClock.init(exif:))
  }

  /// What decoding has told of the unit's own pictures and of the files, and steps while their pixels
  /// were made.
  var notes: [Note] {
    rasters.flatMap { ($0 as? OpenedPicture)?.notes ?? [] } + stepNotes
  }

  /// The same without what decoding has told of the unit's own pictures.
  var notesBesideOwn: [Note] {
    rasters.dropFirst(ownCount).flatMap { ($0 as? OpenedPicture)?.notes ?? [] } + stepNotes
  }

  /// What no output keeps of what stands in the files of the unit's own pictures beside these.
  func companionNotes(_ policy: MetadataPolicy) -> [Note] {
    rasters.prefix(ownCount).flatMap { ($0 as? OpenedPicture)?.companions.notes(policy) ?? [] }
  }

  /// A damaged picture is not to be used.
  var refuseDamage: Bool { policy.damaged == .reject }

  /// The file that a frame comes from.
  func picture(of frame: Frame) -> OpenedPicture {
    guard let picture = rasters[frame.origin.picture] as? OpenedPicture else {
      preconditionFailure("outputs are made of files")
    }
    return picture
  }

  // MARK: Pixels

  func add(_ note: Note) {
    if !stepNotes.contains(note) { stepNotes.append(note) }
  }

  func image(of frame: Frame) throws -> Image {
    try way?.image(of: frame) ?? renderer.image(of: frame)
  }

  private var renderer: Renderer {
    Renderer(limit: SizeLimit(maxPixels: policy.maxPixels), pipes: pipes) { [unowned self] in
      once[$0.picture]?.forOutputs ?? rasters[$0.picture]
    }
  }

  /// What looks are made of.
  private var looker: Renderer {
    Renderer(limit: SizeLimit(maxPixels: policy.maxPixels), pipes: pipes) { [unowned self] in
      once[$0.picture]?.forLooks ?? rasters[$0.picture]
    }
  }

  /// What headers tell of the pixels of all pictures.
  var facts: [RasterFacts] {
    rasters.indices.map { (once[$0]?.forOutputs ?? rasters[$0]).facts }
  }

  /// The way to the pixels of all outputs, whose frames are told in their order, before any is made.
  ///
  /// Whether an output is then written makes no difference to the others. Whoever asks keeps it until the
  /// pixels are made.
  func commonWay(to frames: [Frame]) -> CommonWay? {
    guard frames.count > 1 else { return nil }
    let common = plannedWay(to: frames)
    way = common
    return common
  }

  /// The same for whoever asks what it takes, and makes no pixels.
  func plannedWay(to frames: [Frame]) -> CommonWay {
    CommonWay(
      frames,
      renderer,
      store,
      pictures: facts
    )
  }

  /// Of all pictures, at full size.
  var pixelCount: Int { rasters.reduce(0) { $0 + $1.size.pixelCount } }

  /// What headers tell of the unit's own pictures, and then of files that steps have asked for.
  var accounts: [PictureAccount] {
    rasters.compactMap { ($0 as? OpenedPicture).map(PictureAccount.init) }
  }

  /// How much may be held for several outputs, in bytes.
  var room: Int { pixelBound }

  /// Made anew for each step that asks, so that it depends on the frame, and on what headers tell of the
  /// outputs, alone.
  func reduction(of frame: Frame, to side: Int) throws -> Image {
    try looks?.look { try look(at: frame, side) } ?? look(at: frame, side)
  }

  private func look(at frame: Frame, _ side: Int) throws -> Image {
    if let foresee {
      self.foresee = nil
      // What steps refuse by a header they refuse by pixels, too, and say why.
      if let frames = try? foresee() { planLooks(besides: frames) }
    }
    return try looker.image(of: reduced(frame, to: side)).inMemory()
  }

  private func reduced(_ frame: Frame, to side: Int) -> Frame {
    guard frame.size.longerSide > side else { return frame }
    return frame.geometry { $0.resize(to: frame.size.scaled(longerSide: side)) }
  }

  func expectReduction(of frame: Frame, to side: Int) {
    expectedLooks.expect(reduced(frame, to: side), of: rasters)
  }

  func expectReadyPreview(of frame: Frame) { replaceable.insert(frame.origin.picture) }

  /// A preview that is ready may stand for the picture of a frame.
  func mayBeReplaced(_ frame: Frame) -> Bool { replaceable.contains(frame.origin.picture) }

  /// Pictures that steps will look at are decoded once, as these looks and the outputs' frames need them.
  ///
  /// Not those that have their reductions ready in the file.
  func planLooks(besides frames: [Frame]) {
    var plan = expectedLooks
    for frame in frames { plan.expect(frame, of: rasters) }
    for place in expectedLooks.reductions.keys {
      guard let reduction = plan.reductions[place],
        rasters[place].facts.decoder?.levels.isEmpty ?? true
      else { continue }
      once[place] = DecodedOnce(rasters[place], reduction: reduction, store)
    }
  }

  func readyPreview(
    _ kind: ReadyPreview,
    of frame: Frame,
    atLeast wanted: Size
  ) throws -> PreviewSearch {
    guard let picture = rasters[frame.origin.picture] as? OpenedPicture else {
      return .missing("there is no file")
    }
    return try PreviewFinder(picture: picture, frame: frame, wanted: wanted, policy: policy)
      .search(kind)
  }
}
