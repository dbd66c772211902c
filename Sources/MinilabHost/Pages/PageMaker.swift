import MinilabKit
import PictureMetadata
import Vips

/// Makes the pages of one output, one after the other: each page of the input is taken through the
/// steps as if it were a picture of its own.
///
/// Of an animation, what a step must look at pixels for is decided on the first frame, for all.
final class PageMaker {
  private let profile: Profile
  /// The output's place in the profile.
  private let place: Int
  private let source: PageSource
  private let looks: Looks?
  /// What was stated while pages were made.
  private(set) var notes = Notes()

  /// `first`: the input as it was opened.
  init(_ profile: Profile, output place: Int, of first: OpenedPicture) {
    self.profile = profile
    self.place = place
    source = PageSource(first)
    looks = first.isAnimation ? Looks() : nil
  }

  /// Pages of the input.
  var count: Int { source.count }
  var isAnimation: Bool { source.first.isAnimation }

  /// Of an animation.
  var timing: AnimationTiming { source.timing }

  /// A page on its way; nil where a header cannot tell what a step would be handed.
  struct Page {
    let frame: Frame
    let picture: OpenedPicture
    fileprivate let pictures: UnitPictures

    /// Tells what the page's pixels take.
    ///
    /// - Returns: what is known of them.
    func tell(_ tally: inout WayTally) -> RasterFacts {
      pictures.plannedWay(to: [frame]).tell(frame, &tally)
    }

    /// Nothing about the page changes.
    func isUntouched(_ color: OutputColor) -> Bool {
      !frame.isTouched && !color.changes(picture.headerImage)
    }
  }

  /// `readsPixels`: where a step needs them.
  func page(_ index: Int, readsPixels: Bool) throws -> Page? {
    let picture = try source.page(index)
    let pictures = UnitPictures([picture], policy: profile.input, looks: readsPixels ? looks : nil)
    looks?.begin()
    let runner = StepRunner(
      source: readsPixels ? .pixels(pictures) : .headers(pictures),
      limit: picture.sizeLimit
    )
    guard let shared = try runner.run(profile.steps, on: [Frame(picture.origin)]) else {
      return nil
    }
    var frames: [String: Frame] = [:]
    for output in needed {
      frames[output.name] = try runner.run(output.steps, on: shared, outputs: frames)?.first
    }
    let output = profile.outputs[place]
    guard let frame = try runner.run(output.steps, on: shared, outputs: frames)?.first else {
      return nil
    }
    return Page(frame: frame, picture: picture, pictures: pictures)
  }

  /// Steps leave out all of the pages.
  func isLeftOut() throws -> Bool {
    for index in 0..<(isAnimation ? 1 : count)
    where try page(index, readsPixels: true)?.frame.isSkipped != true { return false }
    return true
  }

  /// The outputs above whose pictures the steps of this one use, in their order.
  private var needed: [Output] {
    var names = Set(profile.outputs[place].steps.flatMap(\.operation.neededOutputs))
    let above = profile.outputs[..<place]
    for output in above.reversed() where names.contains(output.name) {
      names.formUnion(output.steps.flatMap(\.operation.neededOutputs))
    }
    return above.filter { names.contains($0.name) }
  }

  /// The pixels of a page, held in memory, and what the file says of it; nil for one that a step has
  /// left out.
  func pixels(of index: Int) throws -> (image: Image, metadata: MetadataBlocks)? {
    guard let page = try page(index, readsPixels: true) else {
      preconditionFailure("with pixels at hand every step can be taken")
    }
    if page.frame.isSkipped { return nil }
    let image = try page.pictures.image(of: page.frame).inMemory()
    notes.add(page.frame.notes)
    notes.add(page.pictures.notes)
    return (image, page.picture.metadata())
  }

  // MARK: What it takes

  /// The page that takes most, as they are made one after the other; nil where only pixels tell how it is made.
  ///
  /// Of frames, which are all alike, the first.
  func largest() throws -> Page? {
    try page(isAnimation ? 0 : source.first.largestPage, readsPixels: false)
  }

  /// How many such pages have as many pixels as all pages have.
  var timesLargest: Double {
    if isAnimation { return Double(count) }
    let areas = source.first.pageAreas
    return Double(areas.reduce(0, +)) / Double(max(1, areas.max() ?? 1))
  }

  /// What is held of the input beside the frame in work, in bytes.
  var heldSource: Int {
    guard isAnimation else { return 0 }
    // Measured (docs/decisions/0024-cost-and-memory.md): decoders build frames on others, and read the file in one
    // piece, which the system keeps for each that has it open.
    let (frames, files) = source.first.origin.format == .gif ? (7, 3) : (21, 1)
    let facts = source.first.facts
    return frames * facts.byteCount(facts.size) + files * source.first.status.size
  }

  /// What is held of pages that were made, in bytes, while the output is written.
  ///
  /// `page`: one of them. `animated`: they are to be frames of a film.
  func held(_ page: RasterFacts, animated: Bool) -> Int {
    let bytes = page.byteCount(page.size)
    // Frames that may be asked for again, and as much that was made, or is free, between them.
    return animated ? 3 * bytes * PageStrip.heldFrames(page.size.height) : bytes
  }

  /// Lets go of what was read of the input.
  func close() { source.close() }
}
