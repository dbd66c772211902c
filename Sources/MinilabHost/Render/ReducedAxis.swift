/// How one axis is reduced: by a whole-number box, then by a kernel over a window.
struct ReducedAxis: Equatable {
  let box: Int
  /// What is left for the kernel.
  let factor: Double
  /// In boxes.
  let window: AxisWindow

  /// `length`: samples of the decoded picture; `covered`: full-resolution pixels that each of them
  /// covers; `shift`: where the decoded picture has the full resolution's edge; `gap`: the least factor
  /// that a box leaves for the kernel, at most twice as much as is left.
  init(
    offset: Double,
    factor: Double,
    count: Int,
    length: Int,
    covered: Double,
    shift: Double = 0,
    gap: Double = 2
  ) {
    let left = snapped(factor / covered)
    // A gap of 2 is that of libvips' own `resize`.
    box = max(1, Int(left / gap))
    self.factor = left / Double(box)
    window = AxisWindow(
      offset: (offset / covered + shift) / Double(box),
      factor: self.factor,
      count: count,
      length: length.isMultiple(of: box) ? length / box : nil
    )
  }
}
