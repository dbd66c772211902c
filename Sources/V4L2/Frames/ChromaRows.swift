/// Reads row after row of a frame with fewer samples of color than of luma, and makes them as many.
///
/// The color of a pixel is 3/4 of the nearer sample and 1/4 of the next one, along rows and, in
/// NV12, across them, since a sample lies in the middle of the pixels that share it.
final class ChromaRows {
  /// One sample a pixel, of the row that was read last.
  let luma: UnsafeMutablePointer<UInt8>
  /// `ColorDecoder.chromaScale` times the distance from 128, one a pixel.
  let cb: UnsafeMutablePointer<Int16>
  let cr: UnsafeMutablePointer<Int16>

  private let format: PixelFormat
  private let source: UnsafePointer<UInt8>
  private let layout: FrameLayout
  /// Four times the distance from 128, one a pair of pixels, with the outermost repeated on either
  /// side.
  private let pairsOfCb: UnsafeMutablePointer<Int16>
  private let pairsOfCr: UnsafeMutablePointer<Int16>

  /// `source`: good as long as this reader is used.
  init(_ format: PixelFormat, _ source: UnsafePointer<UInt8>, _ layout: FrameLayout) {
    self.format = format
    self.source = source
    self.layout = layout
    let width = layout.pairs * 2
    luma = .allocate(capacity: width)
    cb = .allocate(capacity: width)
    cr = .allocate(capacity: width)
    pairsOfCb = .allocate(capacity: layout.pairs + 2)
    pairsOfCr = .allocate(capacity: layout.pairs + 2)
  }

  deinit {
    luma.deallocate()
    cb.deallocate()
    cr.deallocate()
    pairsOfCb.deallocate()
    pairsOfCr.deallocate()
  }

  func read(_ y: Int) {
    let row = source + y * layout.bytesPerLine
    switch format {
    case .yuyv: readPacked(row, firstLuma: 0, firstChroma: 1)
    case .uyvy: readPacked(row, firstLuma: 1, firstChroma: 0)
    default: readPlanes(row, y)
    }
    spread(pairsOfCb, cb)
    spread(pairsOfCr, cr)
  }

  private func readPacked(_ row: UnsafePointer<UInt8>, firstLuma: Int, firstChroma: Int) {
    for pair in 0..<layout.pairs {
      let group = row + 4 &* pair
      luma[2 &* pair] = group[firstLuma]
      luma[2 &* pair &+ 1] = group[firstLuma &+ 2]
      pairsOfCb[pair &+ 1] = (Int16(group[firstChroma]) &- 128) &* 4
      pairsOfCr[pair &+ 1] = (Int16(group[firstChroma &+ 2]) &- 128) &* 4
    }
  }

  private func readPlanes(_ row: UnsafePointer<UInt8>, _ y: Int) {
    luma.update(from: row, count: layout.width)
    let colors = source + layout.height * layout.bytesPerLine
    let own = y / 2
    // An upper row lies nearer to the color above, a lower one to the color below.
    let next = min(max(y % 2 == 0 ? own - 1 : own + 1, 0), layout.colorRows - 1)
    let near = colors + own * layout.bytesPerLine
    let far = colors + next * layout.bytesPerLine
    for pair in 0..<layout.pairs {
      pairsOfCb[pair &+ 1] = Int16(near[2 &* pair]) &* 3 &+ Int16(far[2 &* pair]) &- 512
      pairsOfCr[pair &+ 1] =
        Int16(near[2 &* pair &+ 1]) &* 3 &+ Int16(far[2 &* pair &+ 1]) &- 512
    }
  }

  private func spread(
    _ pairs: UnsafeMutablePointer<Int16>,
    _ samples: UnsafeMutablePointer<Int16>
  ) {
    let count = layout.pairs
    pairs[0] = pairs[1]
    pairs[count &+ 1] = pairs[count]
    for pair in 0..<count {
      let own = pairs[pair &+ 1] &* 3
      samples[2 &* pair] = own &+ pairs[pair]
      samples[2 &* pair &+ 1] = own &+ pairs[pair &+ 2]
    }
  }
}
