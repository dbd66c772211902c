internal import Glibc

extension Outline {
  /// An arc of an ellipse from where the outline is, in curves that stay within 1e-5 of the radius.
  ///
  /// `radii` are along the ellipse's own axes, of which x is `turned` by so many radians, clockwise
  /// as the viewer sees it. The arc begins at that angle from there, and goes clockwise where `sweep`
  /// is positive.
  mutating func arc(
    center: Point,
    radii: Point,
    turned: Double = 0,
    from angle: Double,
    sweep: Double,
    to end: Point
  ) {
    let count = max(1, Int((abs(sweep) / (.pi / 4) - 1e-9).rounded(.up)))
    let step = sweep / Double(count)
    // The length of control lines with which a curve's middle lies on the circle (L. Maisonobe,
    // "Drawing an elliptical arc using polylines, quadratic or cubic Bézier curves", 2003).
    let handle = 4 / 3 * tan(step / 4)
    func onEllipse(_ x: Double, _ y: Double) -> Point {
      let scaled = Point(x: x * radii.x, y: y * radii.y)
      return center
        + Point(
          x: cos(turned) * scaled.x - sin(turned) * scaled.y,
          y: sin(turned) * scaled.x + cos(turned) * scaled.y
        )
    }
    for index in 0..<count {
      let start = angle + Double(index) * step
      let stop = start + step
      let last = index == count - 1 ? end : onEllipse(cos(stop), sin(stop))
      curve(
        onEllipse(cos(start) - handle * sin(start), sin(start) + handle * cos(start)),
        onEllipse(cos(stop) + handle * sin(stop), sin(stop) - handle * cos(stop)),
        to: last
      )
    }
  }

  /// An arc as SVG's path data says it, by its end (SVG 1.1, appendix F.6).
  ///
  /// Signs of radii do not count; too small ones are scaled up; with one of 0 the arc is a line.
  ///
  /// `turned`: the angle of the ellipse's x axis, in degrees.
  /// `isLarge`: of the two arcs the one of more than half a turn.
  /// `isClockwise`: SVG's sweep flag, as the viewer sees it.
  mutating func arc(
    from start: Point,
    radii: Point,
    turned: Double,
    isLarge: Bool,
    isClockwise: Bool,
    to end: Point
  ) {
    if start == end { return }
    var rx = abs(radii.x)
    var ry = abs(radii.y)
    guard rx > 0, ry > 0 else { return line(to: end) }
    let phi = turned.truncatingRemainder(dividingBy: 360) * .pi / 180
    // F.6.5.1: half the way from end to start, along the ellipse's axes.
    let half = (start - end) * 0.5
    let x = cos(phi) * half.x + sin(phi) * half.y
    let y = -sin(phi) * half.x + cos(phi) * half.y
    // F.6.6.2
    let size = (x / rx) * (x / rx) + (y / ry) * (y / ry)
    if size > 1 {
      rx *= size.squareRoot()
      ry *= size.squareRoot()
    }
    // F.6.5.2, with numerator and denominator divided by (rx · ry)².
    let distance = max(0, 1 / size - 1).squareRoot()
    let side = isLarge == isClockwise ? -distance : distance
    let centerX = side * rx * y / ry
    let centerY = -side * ry * x / rx
    // F.6.5.3
    let middle = start.mixed(with: end, at: 0.5)
    let center =
      middle
      + Point(
        x: cos(phi) * centerX - sin(phi) * centerY,
        y: sin(phi) * centerX + cos(phi) * centerY
      )
    // F.6.5.5 and F.6.5.6
    let angle = atan2((y - centerY) / ry, (x - centerX) / rx)
    let last = atan2((-y - centerY) / ry, (-x - centerX) / rx)
    var sweep = last - angle
    if isClockwise, sweep < 0 { sweep += 2 * .pi }
    if !isClockwise, sweep > 0 { sweep -= 2 * .pi }
    arc(
      center: center,
      radii: Point(x: rx, y: ry),
      turned: phi,
      from: angle,
      sweep: sweep,
      to: end
    )
  }
}
