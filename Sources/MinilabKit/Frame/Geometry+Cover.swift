extension Geometry {
  /// Fills a size, and cuts off what sticks out, the same on both sides.
  ///
  /// What is reduced is cut first, in its own pixels, which are the finer ones: cut after it, the middle
  /// would be off by up to half a pixel of the result.
  public mutating func cover(_ wanted: Size, linear: Bool = false) {
    let scale = max(
      Double(wanted.width) / Double(size.width),
      Double(wanted.height) / Double(size.height)
    )
    if scale < 1 {
      let covered = wanted.scaled(1 / scale, 1 / scale)
      crop(
        toMiddle: Size(
          width: min(size.width, covered.width),
          height: min(size.height, covered.height)
        )
      )
    } else {
      let covering = size.scaled(scale, scale)
      let full = Size(
        width: max(covering.width, wanted.width),
        height: max(covering.height, wanted.height)
      )
      if full != size { resize(to: full, linear: linear) }
      crop(toMiddle: wanted)
    }
    if wanted != size { resize(to: wanted, linear: linear) }
  }
}
