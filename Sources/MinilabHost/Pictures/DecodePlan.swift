import MinilabKit

/// By how much decoders reduce a unit's pictures, told by frames before any pixel is made.
struct DecodePlan {
  /// By the places of pictures among the unit's.
  private(set) var reductions: [Int: Int] = [:]

  /// Somebody will ask for the pixels of a frame.
  mutating func expect(_ frame: Frame, of rasters: [any Raster]) {
    switch frame.base {
    case .pixels: break
    case .made(let making): for part in making.frames { expect(part, of: rasters) }
    case .origin:
      guard case .geometry(let geometry)? = frame.stages.first else { return }
      let place = frame.origin.picture
      let own = ResampleWay(geometry, reductions: rasters[place].reductions).reduction
      reductions[place] = min(own, reductions[place] ?? own)
    }
  }
}
