import MinilabKit

// What pixels will take, told by the same decisions by which they are made.

extension WayPoint {
  /// Tells what a picture takes that was expected.
  ///
  /// - Returns: what is known of it.
  func tell(_ geometry: Geometry?, _ tally: inout WayTally) -> RasterFacts {
    guard let geometry else { return tellRaster(reduction: 1, &tally).facts }
    guard let base = sharedBase(of: geometry) else { return resample(geometry, &tally) }
    let held: RasterFacts
    if tally.isHeld(by: base) {
      held = facts.resized(to: base.geometry.size)
      tally.add(WayStep(kind: .reuse, to: Dimensions(held.size)))
    } else {
      let before = tally.own
      held = resample(base.geometry, &tally)
      tally.hold(held, by: base, since: before)
    }
    let rest = base.rest(of: geometry)
    if rest.isIdentity { return held }
    let grid = PixelGrid(width: held.size.width, height: held.size.height)
    return tally.resample(rest, ResampleWay(rest, reductions: [1]), held, grid)
  }

  /// Tells what pixel work takes on a picture made here.
  func tell(_ work: PixelWork, after geometry: Geometry?, _ tally: inout WayTally) {
    let entering = tell(geometry, &tally)
    var size = entering.size
    if case .known(let known) = work.size { size = known }
    let isHeld = work.access == .random
    var step = WayStep(kind: .work, to: Dimensions(size))
    step.step = work.step
    step.isWhole = isHeld
    step.bytes = isHeld ? entering.byteCount(entering.size) : 0
    let cost = (isHeld ? 3 : 1.5) * entering.size.megapixels
    tally.add(step, cost: cost, lettingGo: isHeld ? step.bytes : nil)
  }

  private func resample(_ geometry: Geometry, _ tally: inout WayTally) -> RasterFacts {
    let reductions = sharedReduction(facts.reductions).map { [$0] } ?? facts.reductions
    let way = ResampleWay(geometry, reductions: reductions)
    let (decoded, grid) = tellRaster(reduction: way.reduction, &tally)
    return tally.resample(geometry, way, decoded, grid)
  }

  private func tellRaster(
    reduction: Int,
    _ tally: inout WayTally
  ) -> (facts: RasterFacts, grid: PixelGrid) {
    let shared = sharedReduction(facts.reductions)
    let grid = facts.grid(reduction: shared ?? reduction)
    let decoded = facts.resized(to: grid.size)
    if tally.isHeld(by: self) {
      tally.add(WayStep(kind: .reuse, to: Dimensions(grid.size)))
    } else {
      let before = tally.own
      tellSource(shared ?? reduction, &tally)
      if shared != nil, facts.once == nil { tally.hold(decoded, by: self, since: before) }
    }
    return (decoded, grid)
  }
}

extension WayTally {
  /// A picture is decoded.
  mutating func decode(_ facts: RasterFacts, picture: Int, reduction: Int) {
    guard let decoder = facts.decoder else { return }
    if let once = facts.once, once.reduction == reduction, isHeld(by: once) {
      add(WayStep(kind: .reuse, to: Dimensions(facts.grid(reduction: reduction).size)))
      return
    }
    decoded(picture)
    var step = WayStep(kind: .decode, to: Dimensions(facts.grid(reduction: reduction).size))
    step.from = Dimensions(facts.size)
    step.loader = decoder.loader
    step.shrink = reduction
    step.isWhole = decoder.isWhole
    step.bytes = decoder.held(
      facts.size,
      reduction: reduction,
      pixelBytes: facts.bands * facts.sampleSize
    )
    hold(surely: decoder.surelyHeld(facts.size, pixelBytes: facts.bands * facts.sampleSize))
    add(step, cost: decoder.cost(facts.size, reduction: reduction))
  }

  /// Steps look at a picture before outputs are made, which is then held for these if there is room.
  mutating func look(at facts: RasterFacts, picture: Int) {
    guard let once = facts.once else { return }
    let before = own
    decode(facts, picture: picture, reduction: once.reduction)
    let decoded = facts.resized(to: facts.grid(reduction: once.reduction).size)
    hold(decoded, by: once, since: before)
    letGo(to: before)
  }

  /// A step makes a picture of several, from top to bottom: each is at hand while its rows are made.
  ///
  /// `tell`: tells what a picture takes that it is made of.
  mutating func make(
    _ facts: RasterFacts,
    _ making: Making,
    tell: (Frame, inout WayTally) -> RasterFacts
  ) {
    let inner = WayTally(within: self)
    var ways: [WayTally] = []
    var most = 0
    /// Of those that are at hand: where each ends, and what it holds.
    var open: [(end: Int, bytes: Int)] = []
    for part in making.parts.sorted(by: { $0.rows.lowerBound < $1.rows.lowerBound }) {
      var way = inner
      let made = tell(part.frame, &way)
      ways.append(way)
      open.removeAll { $0.end <= part.rows.lowerBound }
      let others = open.reduce(0) { $0 + $1.bytes }
      // Of a stream as much again is free between what is held.
      let held = part.isHeld ? made.byteCount(made.size) : 2 * way.own
      most = max(most, others + max(held, way.peak))
      open.append((part.rows.upperBound, held))
    }
    take(ways)
    var step = WayStep(kind: .make, to: Dimensions(facts.size))
    step.step = making.step
    step.bytes = most + making.held
    add(step, cost: 3 * facts.size.megapixels)
  }

  /// The same where nobody has said how it places them: each is taken to fill the picture.
  mutating func make(_ facts: RasterFacts, of pictures: [RasterFacts], step name: String) {
    var step = WayStep(kind: .make, to: Dimensions(facts.size))
    step.step = name
    var cost = 3 * facts.size.megapixels
    for (place, picture) in pictures.enumerated() {
      guard let decoder = picture.decoder else { continue }
      if let once = picture.once, isHeld(by: once) { continue }
      decoded(place)
      let scale = (picture.size.megapixels / facts.size.megapixels).squareRoot()
      let reduction = picture.reductions.last { Double($0) <= scale } ?? 1
      step.bytes += decoder.held(
        picture.size,
        reduction: reduction,
        pixelBytes: picture.bands * picture.sampleSize
      )
      cost += decoder.cost(picture.size, reduction: reduction)
    }
    add(step, cost: cost)
  }

  /// - Returns: what is known of the picture that is made.
  mutating func resample(
    _ geometry: Geometry,
    _ way: ResampleWay,
    _ raster: RasterFacts,
    _ grid: PixelGrid
  ) -> RasterFacts {
    let seen = geometry.seen
    let isBlended = raster.hasAlpha || geometry.isLinear
    let pixelBytes = raster.bands * (isBlended ? 4 : raster.sampleSize)
    let made = raster.byteCount(seen.size)
    var step = WayStep(kind: .cut, from: Dimensions(grid.size), to: Dimensions(seen.size))
    var cost = 0.1 * seen.size.megapixels
    var orientation = Orientation.up
    // What is held when all of it is made; nil where it is made row by row.
    var rest: Int?
    switch way.kind {
    case .cut(let axes):
      orientation = axes.orientation
      if grid.size != Size(width: axes.width, height: axes.height) {
        step.at = [Int(axes.x), Int(axes.y)]
      }
    case .reduce(let axes):
      let reduction = Reduction(axes, of: grid)
      step.tell(.reduce, reduction.horizontal, reduction.vertical)
      orientation = axes.orientation
      let rows = seen.orientedHeight(orientation)
      let columns = rows * reduction.horizontal.window.length * pixelBytes
      if !isBlended, raster.sampleSize == 1, columns <= Reduction.mostHeld {
        step.bytes += columns + made
        rest = made
      } else {
        step.bytes += min(grid.height, reduction.streamed) * grid.width * pixelBytes
      }
      cost = 0.4 * grid.size.megapixels + 1.5 * seen.size.megapixels
    case .stretch(let axes):
      step.kind = .stretch
      step.kernel = "lanczos3, bicubic"
      orientation = axes.orientation
      let margin = 2 * Interpolation.margin
      let held =
        axes.canReduceY
        ? (grid.width + margin) * axes.height : (grid.height + margin) * axes.width
      step.bytes += held * pixelBytes
      rest = step.bytes
      cost = 0.4 * grid.size.megapixels + 6 * seen.size.megapixels
    case .interpolate:
      let plan = Interpolation(seen, of: grid)
      step.kind = .interpolate
      step.kernel = "bicubic"
      step.box = [plan.box.x, plan.box.y]
      step.bytes += plan.needed.width * plan.needed.height * pixelBytes
      rest = step.bytes
      cost = 0.4 * grid.size.megapixels + 6 * seen.size.megapixels
    }
    if orientation != .up {
      step.turn = orientation.rawValue
      if orientation != .upMirrored {
        step.bytes += made
        rest = made
      }
    }
    if isBlended { cost *= 3 }
    if !(step.kind == .cut && step.turn == nil && step.from == step.to) {
      add(step, cost: cost, lettingGo: rest)
    }
    return surrounded(geometry, raster.resized(to: geometry.size))
  }

  /// Puts around a picture what lies around it.
  private mutating func surrounded(_ geometry: Geometry, _ facts: RasterFacts) -> RasterFacts {
    if geometry.backdrops.isEmpty { return facts }
    let backing = Backing(geometry: geometry)
    let isOpaque = geometry.backdrops.allSatisfy(\.color.isOpaque)
    let made = facts.changed(by: isOpaque ? .unchanged : .added, size: geometry.size)
    let shown = backing.shown
    var step = WayStep(
      kind: .surround,
      from: Dimensions(shown.size),
      to: Dimensions(geometry.size)
    )
    if !backing.isFramed { step.bytes = made.byteCount(shown.size) }
    add(
      step,
      cost: (backing.isFramed ? 0.1 : 4) * geometry.size.megapixels,
      lettingGo: backing.isFramed ? nil : step.bytes
    )
    return made
  }
}

extension WayStep {
  fileprivate mutating func tell(
    _ kind: Kind,
    _ horizontal: ReducedAxis,
    _ vertical: ReducedAxis
  ) {
    self.kind = kind
    kernel = "lanczos3"
    box = [horizontal.box, vertical.box]
    factor = [horizontal.factor, vertical.factor]
  }
}

extension Reduction {
  /// Rows of the decoded picture that a kernel holds where it works row by row.
  ///
  /// A band of the result is made at a time.
  fileprivate var streamed: Int { Int((128 + 7) * vertical.factor * Double(vertical.box)) + 64 }
}

extension AxisWindow {
  fileprivate var length: Int { end - start }
}

extension Geometry {
  /// Before the turn.
  fileprivate func orientedHeight(_ orientation: Orientation) -> Int {
    orientation.swapsSides ? size.width : size.height
  }
}

extension Size {
  var pixelCount: Int { width * height }
  var megapixels: Double { Double(width) * Double(height) / 1e6 }
}
