/// What is wrong with path data.
public struct SVGPathError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Bytes before the fault.
  public let offset: Int
  public let expected: String
  public let received: String

  public var description: String {
    "expected \(expected) at byte \(offset), found \(received)"
  }
}

extension Outline {
  /// Reads SVG's path data: all commands of SVG 1.1, section 8.3, with the numbers of SVG 2, 9.3.9.
  ///
  /// - Throws: `SVGPathError` at the first byte that cannot stand where it does.
  public init(svgPath text: String) throws(SVGPathError) {
    var parser = SVGPathParser(text)
    self = try parser.parse()
  }
}

/// Carries out path data as it is read.
private struct SVGPathParser {
  private var scanner: SVGPathScanner
  private var outline = Outline()
  private var current = Point(x: 0, y: 0)
  private var start = Point(x: 0, y: 0)
  /// The last control point of a cubic curve, where one comes directly before.
  private var cubic: Point?
  /// The same of a quadratic one.
  private var quadratic: Point?

  init(_ text: String) {
    scanner = SVGPathScanner(text)
  }

  mutating func parse() throws(SVGPathError) -> Outline {
    scanner.skipSpace()
    while let command = scanner.next {
      guard let letter = Command(rawValue: command | 0x20) else {
        throw scanner.fault("a command such as M, L, C or Z")
      }
      if outline.isEmpty, letter != .move {
        throw scanner.fault("M or m, with which a path begins")
      }
      scanner.advance()
      try carryOut(letter, isRelative: command & 0x20 != 0)
      scanner.skipSpace()
    }
    return outline
  }

  private enum Command: UInt8 {
    case move = 0x6d
    case line = 0x6c
    case horizontal = 0x68
    case vertical = 0x76
    case cubic = 0x63
    case smoothCubic = 0x73
    case quadratic = 0x71
    case smoothQuadratic = 0x74
    case arc = 0x61
    case close = 0x7a
  }

  /// One command with all its repeated parameters.
  private mutating func carryOut(
    _ command: Command,
    isRelative: Bool
  ) throws(SVGPathError) {
    if command == .close {
      outline.close()
      current = start
      cubic = nil
      quadratic = nil
      return
    }
    var command = command
    repeat {
      let origin = isRelative ? current : Point(x: 0, y: 0)
      try once(command, origin)
      // A move with more than one pair goes on in lines.
      if command == .move { command = .line }
    } while scanner.skipToNumber()
  }

  private mutating func once(_ command: Command, _ origin: Point) throws(SVGPathError) {
    let before = current
    let lastCubic = cubic
    let lastQuadratic = quadratic
    cubic = nil
    quadratic = nil
    switch command {
    case .move:
      current = try point(origin)
      start = current
      outline.move(to: current)
    case .line:
      current = try point(origin)
      outline.line(to: current)
    case .horizontal:
      current.x = try origin.x + scanner.number()
      outline.line(to: current)
    case .vertical:
      current.y = try origin.y + scanner.number()
      outline.line(to: current)
    case .cubic, .smoothCubic:
      let first = try command == .cubic ? point(origin) : mirrored(lastCubic)
      let second = try point(origin)
      current = try point(origin)
      cubic = second
      outline.curve(first, second, to: current)
    case .quadratic, .smoothQuadratic:
      let control = try command == .quadratic ? point(origin) : mirrored(lastQuadratic)
      current = try point(origin)
      quadratic = control
      outline.quadratic(control, to: current)
    case .arc:
      let radii = try Point(x: scanner.number(), y: scanner.number())
      let turned = try scanner.number()
      let isLarge = try scanner.flag()
      let isClockwise = try scanner.flag()
      current = try point(origin)
      outline.arc(
        from: before,
        radii: radii,
        turned: turned,
        isLarge: isLarge,
        isClockwise: isClockwise,
        to: current
      )
    case .close: break
    }
  }

  private mutating func point(_ origin: Point) throws(SVGPathError) -> Point {
    try origin + Point(x: scanner.number(), y: scanner.number())
  }

  /// The control point with which a curve goes on smoothly: without one before, the point itself.
  private func mirrored(_ control: Point?) -> Point { current + (current - (control ?? current)) }
}

/// Reads path data byte by byte.
private struct SVGPathScanner {
  private let bytes: [UInt8]
  private var position = 0
  /// A comma may stand here: between two parameters, but not before the first.
  private var mayHaveComma = false

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Goes past a command.
  mutating func advance() {
    position += 1
    mayHaveComma = false
  }

  mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0a, 0x0c, 0x0d].contains(byte) { position += 1 }
  }

  /// White space, with a comma in it where one may stand.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  private mutating func skipSeparator() -> Bool {
    skipSpace()
    guard mayHaveComma, next == UInt8(ascii: ",") else { return false }
    mayHaveComma = false
    position += 1
    skipSpace()
    return true
  }

  /// Goes to the next set of parameters; false where there is none.
  ///
  /// Behind a comma there must be one: whoever asks for it then finds that there is none.
  mutating func skipToNumber() -> Bool {
    if skipSeparator() { return true }
    guard let byte = next else { return false }
    return isDigit(byte) || byte == UInt8(ascii: ".") || isSign(byte)
  }

  /// A number behind what divides it from the one before.
  mutating func number() throws(SVGPathError) -> Double {
    skipSeparator()
    mayHaveComma = true
    let start = position
    if let byte = next, isSign(byte) { position += 1 }
    let whole = skipDigits()
    var fraction = 0
    if next == UInt8(ascii: ".") {
      position += 1
      fraction = skipDigits()
    }
    guard whole + fraction > 0 else { throw fault("a number") }
    skipExponent()
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    // Larger numbers than this are no place of any picture, and sums of them must stay finite.
    guard let number = Double(text.hasSuffix(".") ? text + "0" : text), abs(number) <= 1e9 else {
      position = start
      throw fault("a number of at most 1e9", received: text)
    }
    return number
  }

  /// A single 0 or 1, which may stand directly before the next number.
  mutating func flag() throws(SVGPathError) -> Bool {
    skipSeparator()
    mayHaveComma = true
    guard let byte = next, byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else {
      throw fault("a flag, 0 or 1")
    }
    position += 1
    return byte == UInt8(ascii: "1")
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = next, isDigit(byte) { position += 1 }
    return position - start
  }

  /// An `e` without digits behind it is none.
  private mutating func skipExponent() {
    guard let byte = next, byte | 0x20 == UInt8(ascii: "e") else { return }
    let start = position
    position += 1
    if let sign = next, isSign(sign) { position += 1 }
    if skipDigits() == 0 { position = start }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private func isSign(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
  }

  /// That something else was expected here.
  func fault(_ expected: String, received: String? = nil) -> SVGPathError {
    let rest = String(decoding: bytes[position...].prefix(8), as: UTF8.self)
    return SVGPathError(
      offset: position,
      expected: expected,
      received: received ?? rest.first.map { "\"\($0)\"" } ?? "its end"
    )
  }
}
