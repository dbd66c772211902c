import MinilabKit
import Vips

/// A raster on the way to the outputs of a unit — the decoded picture, or what pixel work has made —
/// and what is made of it for them.
///
/// Pictures that several outputs need, or that several are made of, are made once and held. Which ones
/// these are is a function of the geometries and of the raster's header: where there is no room to hold
/// them they are made again, and are the same.
final class WayPoint {
  /// Made anew each time where it is a pipeline of pixels.
  private let source: () throws -> any Raster
  /// Of the raster.
  let facts: RasterFacts
  /// Tells what making the raster takes, at a reduction.
  let tellSource: (_ reduction: Int, inout WayTally) -> Void
  private let store: PixelStore
  private let pipes: ReducingPipes?
  /// What outputs ask of this raster, each geometry once, in their order.
  private var wanted: [(geometry: Geometry, uses: Int)] = []
  /// How often the raster's own pixels are needed as they are.
  private(set) var plainUses = 0
  private var next: [Step] = []
  private(set) lazy var bases = makeBases()
  private var shared: SharedRaster?

  /// Pixel work that was done to a picture made here.
  private struct Step {
    let geometry: Geometry?
    let work: WorkIdentity
    let point: WayPoint
  }

  init(
    _ store: PixelStore,
    _ pipes: ReducingPipes?,
    _ facts: RasterFacts,
    tellSource: @escaping (_ reduction: Int, inout WayTally) -> Void,
    source: @escaping () throws -> any Raster
  ) {
    self.source = source
    self.facts = facts
    self.tellSource = tellSource
    self.store = store
    self.pipes = pipes
  }

  // MARK: Before pixels are made

  /// Puts down that somebody needs a picture; nil is the raster's own.
  func expect(_ geometry: Geometry?) {
    guard let geometry else {
      plainUses += 1
      return
    }
    if let place = wanted.firstIndex(where: { $0.geometry == geometry }) {
      wanted[place].uses += 1
    } else {
      wanted.append((geometry, 1))
    }
  }

  /// What work makes of a picture made here; nil where nobody has expected it.
  func point(after geometry: Geometry?, _ work: PixelWork) -> WayPoint? {
    next.first { $0.geometry == geometry && $0.work == work.identity }?.point
  }

  /// The same, from now on expected.
  ///
  /// `run`: does the work.
  func expectPoint(
    after geometry: Geometry?,
    _ work: PixelWork,
    _ run: @escaping (Image) throws -> Image
  ) -> WayPoint {
    if let point = point(after: geometry, work) { return point }
    expect(geometry)
    let entering = geometry?.size ?? facts.size
    var left = entering
    if case .known(let size) = work.size { left = size }
    let point = WayPoint(
      store,
      pipes,
      facts.changed(by: work.alpha, size: left),
      tellSource: { [unowned self] _, tally in tell(work, after: geometry, &tally) },
      source: { [unowned self] in ImageRaster(image: try run(image(of: geometry))) }
    )
    next.append(Step(geometry: geometry, work: work.identity, point: point))
    return point
  }

  func expects(_ geometry: Geometry?) -> Bool {
    guard let geometry else { return plainUses > 0 }
    return wanted.contains { $0.geometry == geometry }
  }

  // MARK: Pixels

  /// A picture that was expected.
  func image(of geometry: Geometry?) throws -> Image {
    guard let geometry else { return try raster().pixels(reduction: 1).image }
    guard let base = sharedBase(of: geometry) else { return try resampled(geometry, raster()) }
    let image = try base.image(store) { try resampled($0, raster()) }
    return try resampled(base.rest(of: geometry), ImageRaster(image: image))
  }

  /// What a picture is made of, where others are made of it, too.
  func sharedBase(of geometry: Geometry) -> WayBase? {
    bases.first { $0.serves(geometry) && $0.uses > 1 }
  }

  private func resampled(_ geometry: Geometry, _ raster: any Raster) throws -> Image {
    try Resample(geometry: geometry, raster: raster, pipes: pipes).image()
  }

  private func raster() throws -> any Raster {
    if let shared { return shared }
    let raster = try source()
    // What steps have looked at is shared already.
    if raster.facts.once != nil { return raster }
    guard let reduction = sharedReduction(raster.reductions) else { return raster }
    // The first time it need not be made again.
    var first: (any Raster)? = raster
    let made = SharedRaster(
      { [source] in
        defer { first = nil }
        return try first ?? source()
      },
      facts: raster.facts,
      reduction: reduction,
      store
    )
    shared = made
    return made
  }

  /// By how much the decoder reduces the raster for all that is made of it; nil where only one picture is.
  func sharedReduction(_ reductions: [Int]) -> Int? {
    guard bases.count + plainUses > 1 else { return nil }
    if plainUses > 0 { return 1 }
    return bases.map { ResampleWay($0.geometry, reductions: reductions).reduction }.min()
  }

  /// The finest picture is a base, and so is the finest of those that cannot be made of it, and so on.
  private func makeBases() -> [WayBase] {
    var grids: [(grid: CommonGrid, members: [Int])] = []
    var alone: [Int] = []
    let candidates = wanted.indices.map { ($0, CommonGrid(of: wanted[$0].geometry)) }
    let finestFirst = candidates.sorted { left, right in
      let fineness = (left.1?.coarseness ?? .infinity, right.1?.coarseness ?? .infinity)
      return fineness.0 == fineness.1 ? left.0 < right.0 : fineness.0 < fineness.1
    }
    for (index, own) in finestFirst {
      let geometry = wanted[index].geometry
      if let place = grids.indices.first(where: { grids[$0].grid.add(geometry) }) {
        grids[place].members.append(index)
      } else if let own {
        grids.append((own, [index]))
      } else {
        alone.append(index)
      }
    }
    return grids.map { grid, members in
      WayBase(grid: grid, of: members.map { wanted[$0] })
    } + alone.map { WayBase(grid: nil, of: [wanted[$0]]) }
  }
}

/// A picture that others are made of.
final class WayBase {
  let geometry: Geometry
  let uses: Int
  private let members: [Geometry]
  private var held: Image?

  /// `grid`: nil where the only member is the base.
  init(grid: CommonGrid?, of members: [(geometry: Geometry, uses: Int)]) {
    geometry = grid?.geometry ?? members[0].geometry
    uses = members.reduce(0) { $0 + $1.uses }
    self.members = members.map(\.geometry)
  }

  func serves(_ wanted: Geometry) -> Bool { members.contains(wanted) }

  /// What is left to be done to the base.
  func rest(of wanted: Geometry) -> Geometry {
    wanted == geometry ? Geometry(source: geometry.size) : wanted.on(geometry)
  }

  func image(_ store: PixelStore, _ make: (Geometry) throws -> Image) throws -> Image {
    if let held { return held }
    let made = try make(geometry)
    held = try store.hold(made)
    return held ?? made
  }
}
