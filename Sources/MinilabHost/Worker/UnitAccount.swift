import MinilabKit

/// What will be done to make the outputs of a unit, told by the same frames, jobs and way that make them.
struct UnitAccount: Codable, Equatable {
  var estimate: Estimate
  /// What is held for certain, in bytes.
  var least = 0
  /// Those the unit is made of, in its order, and files that its steps name.
  var pictures: [PictureAccount] = []
  /// In the order of the profile; those that steps leave out are not among them.
  var outputs: [OutputAccount] = []
  /// How often the unit's pictures are decoded, by their places.
  var decodes: [Int] = []
}

/// How one output will be made.
struct OutputAccount: Codable, Equatable {
  enum Way: String, Codable {
    case encode
    /// The file's bytes.
    case copy
    /// A JPEG's blocks are moved.
    case lossless
    /// Each page goes the way of the largest.
    case pages
    case sheet
  }

  var name: String
  /// Among all outputs of the unit, those that steps leave out included.
  var place = 0
  var format: PictureFormat
  var way: Way
  var steps: [WayStep]
}

extension UnitAccount {
  /// Rows in libvips' pipelines, buffers of files, and what the heap loses.
  private static let base = 6 << 20

  /// - Parameters:
  ///   - jobs: Of all outputs, in their order.
  ///   - pictures: The unit's.
  ///   - threads: Outputs are encoded side by side where there are several.
  ///   - isWanted: Whether the output at a place is made.
  init(
    _ jobs: [OutputJob],
    _ pictures: UnitPictures,
    threads: Int = 1,
    isWanted: (Int) -> Bool = { _ in true }
  ) {
    let way = pictures.plannedWay(to: jobs.filter(\.usesFramePixels).map(\.frame))
    self.pictures = pictures.accounts
    var tally = WayTally(room: pictures.room)
    for (place, facts) in pictures.facts.enumerated() { tally.look(at: facts, picture: place) }
    for (place, job) in jobs.enumerated() where isWanted(place) {
      outputs.append(OutputAccount(job, way, &tally))
    }
    let most = tally.decodes.keys.max() ?? -1
    decodes = (0..<(most + 1)).map { tally.decodes[$0] ?? 0 }
    let aside = threads > 1 ? tally.largest(min(threads, outputs.count - 1)) : 0
    estimate = Estimate(memory: Self.base + tally.peak + aside, cost: tally.cost)
    least = tally.least
  }

  /// Of a unit whose steps only pixels could tell: decoded in full and held, worked on, and encoded.
  init(unplanned opened: [OpenedPicture], outputs count: Int) {
    var tally = WayTally(room: 0)
    for picture in opened {
      let facts = picture.facts
      tally.decode(facts, picture: picture.origin.picture, reduction: 1)
      var work = WayStep(kind: .work, to: Dimensions(facts.size))
      work.bytes = facts.byteCount(facts.size)
      tally.add(work, cost: 4 * Double(count) * facts.size.megapixels)
    }
    estimate = Estimate(memory: Self.base + tally.peak, cost: tally.cost)
    least = tally.least
  }

  /// With another part of the unit, which is made after this one.
  mutating func add(_ part: UnitAccount) {
    estimate.memory = max(estimate.memory, part.estimate.memory)
    estimate.cost += part.estimate.cost
    least = max(least, part.least)
    pictures += part.pictures
    outputs += part.outputs
    decodes += part.decodes
  }
}

extension OutputAccount {
  fileprivate init(_ job: OutputJob, _ way: CommonWay, _ tally: inout WayTally) {
    name = job.output.name
    format = job.format
    let facts = job.picture.facts
    let place = job.frame.origin.picture
    if job.isCopy {
      self.way = .copy
      // It is decoded to see whether it is whole.
      tally.decode(facts, picture: place, reduction: 1)
    } else if job.isMoved {
      self.way = .lossless
      let size = job.frame.size
      var step = WayStep(kind: .cut, from: Dimensions(facts.size), to: Dimensions(size))
      step.bytes = facts.decoder?.heldCoded(facts.size) ?? 0
      tally.hold(surely: step.bytes)
      tally.add(step, cost: facts.size.megapixels)
    } else if let pages = job.pages {
      self.way = .pages
      tally.encode(pages, job)
    } else if job.output.isSheet {
      self.way = .sheet
      tally.decode(facts, picture: place, reduction: 1)
      var step = WayStep(kind: .make, to: Dimensions(facts.size))
      step.bytes = facts.byteCount(facts.size)
      tally.add(step, cost: 8 * facts.size.megapixels)
    } else {
      self.way = .encode
      tally.encode(job, way.tell(job.frame, &tally))
    }
    steps = tally.end()
  }
}

extension WayTally {
  fileprivate mutating func encode(_ job: OutputJob, _ facts: RasterFacts) {
    let cost = EncoderCost(job, facts)
    var step = WayStep(kind: .encode, to: Dimensions(facts.size))
    step.quality = job.encoder.searched?.known
    step.isLossless = (job.encoder as? WebPEncoder)?.isLossless
    step.bytes = cost.picture + cost.held
    if cost.picture > 0 { holdPicture(cost.picture) }
    add(step, cost: cost.time)
    if job.canBeEncodedAside(facts) { setAside(facts.byteCount(facts.size)) }
  }

  /// Pages are made one after the other, each on the way of the largest.
  fileprivate mutating func encode(_ pages: PageMaker, _ job: OutputJob) {
    let before = cost
    let facts = tell(pages, job)
    let encoder = EncoderCost(job, facts)
    var step = WayStep(kind: .encode, to: Dimensions(facts.size), count: pages.count)
    step.bytes = encoder.held
    add(step, cost: encoder.time)
    repeatCost(since: before, times: pages.timesLargest)
  }

  /// - Returns: what is known of the page that is made.
  private mutating func tell(_ pages: PageMaker, _ job: OutputJob) -> RasterFacts {
    let source = job.picture.facts
    guard let page = try? pages.largest() else {
      decode(source, picture: job.frame.origin.picture, reduction: 1)
      return job.frame.knownSize.map(source.resized) ?? source
    }
    let made = page.tell(&self)
    let held = pages.heldSource + pages.held(made, animated: job.format.isAnimated)
    add(WayStep(kind: .hold, to: Dimensions(made.size), bytes: held))
    return made
  }
}
