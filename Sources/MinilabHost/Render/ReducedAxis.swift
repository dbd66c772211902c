/// How one axis is reduced: by a whole-number box, then by a kernel over a window.
struct ReducedAxis: Equatable {
  let box: Int
  /// What is left for the kernel.
  let factor: Double
  /// In boxes.
  let window: AxisWindow

  /// `length`: samples of the decoded picture; `covered`: full-resolution pixels that each of them
  /// covers; `shift`: where the decoded picture has the full resolution's edge.
  init(
    offset: Double,
    factor: Double,
    count: Int,
    length: Int,
    covered: Double,
    shift: Double = 0
  ) {
    let left = snapped(factor / covered)
    // A box leaves 2 to 4 for the kernel, as libvips' own `resize` does with a gap of 2.
    box = max(1, Int(left / 2))
    self.factor = left / Double(box)
    window = AxisWindow(
      offset: (offset / covered + shift) / Double(box),
      factor: self.factor,
      count: count,
      length: length.isMultiple(of: box) ? length / box : nil
    )
  }
}
