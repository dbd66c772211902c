/// The rows of one frame of the test pattern.
///
/// Rows are alike in stretches, so each is made and converted once: the pattern then costs a camera of full rate nothing.
struct TestPatternRows {
  /// The different rows: red, green, blue.
  private(set) var kinds: [[UInt8]] = []
  /// Of each row, the index of its kind.
  private(set) var kindOfRow: [Int] = []

  private let width: Int
  private let height: Int

  init(_ pattern: TestPattern, number: Int) {
    width = pattern.width
    height = pattern.height
    kindOfRow.reserveCapacity(height)
    let number = TestPattern.wrapped(number)
    add(barRow, until: height * 3 / 8)
    addCode(number)
    addText(number)
    addRamp(number)
  }

  subscript(_ y: Int) -> [UInt8] { kinds[kindOfRow[y]] }

  private mutating func add(_ row: [UInt8], until end: Int) {
    guard kindOfRow.count < end else { return }
    kindOfRow += Array(repeating: kinds.count, count: end - kindOfRow.count)
    kinds.append(row)
  }

  private func row(_ color: (Int) -> [UInt8]) -> [UInt8] {
    var row: [UInt8] = []
    row.reserveCapacity(width * 3)
    for x in 0..<width { row += color(x) }
    return row
  }

  private var barRow: [UInt8] {
    row { TestPattern.bars[$0 * TestPattern.bars.count / width] }
  }

  private mutating func addCode(_ number: Int) {
    let cells = FrameCode.cells(of: number)
    for line in 0..<FrameCode.rows {
      let row = row { x in
        let cell = cells[line * FrameCode.columns + x * FrameCode.columns / width]
        return cell ? Self.white : Self.black
      }
      add(row, until: height * (4 + line) / 8)
    }
  }

  private mutating func addText(_ number: Int) {
    let digits = String(number).utf8.map { Int($0) - 0x30 }
    let padding = Array(repeating: 0, count: Self.digits - digits.count)
    let glyphs = (padding + digits).map { BlockFont.digits[$0] } + [BlockFont.orientationMark]
    let top = height * 5 / 8
    let end = height * 7 / 8
    let columns = glyphs.count * (BlockFont.width + 1)
    let square = max(1, min(width / columns, (end - top) / (BlockFont.height + 2)))
    let left = (width - square * columns + square) / 2
    let first = top + (end - top - square * BlockFont.height) / 2
    add(row { _ in Self.paper }, until: first)
    for line in 0..<BlockFont.height {
      let row = row { x in
        guard x >= left, x < left + square * columns else { return Self.paper }
        let column = (x - left) / square
        let place = column % (BlockFont.width + 1)
        guard place < BlockFont.width else { return Self.paper }
        let isInk = glyphs[column / (BlockFont.width + 1)][line] >> (2 - place) & 1 == 1
        return isInk ? Self.white : Self.paper
      }
      add(row, until: first + square * (line + 1))
    }
    add(row { _ in Self.paper }, until: end)
  }

  /// The block passes in 64 frames.
  private mutating func addRamp(_ number: Int) {
    let block = width / 8
    let left = (width - block) * (number % 64) / 63
    let row = row { x in
      if x >= left, x < left + block { return Self.red }
      return Array(repeating: UInt8(x * 255 / (width - 1)), count: 3)
    }
    add(row, until: height)
  }

  private static let digits = 7
  private static let white: [UInt8] = [255, 255, 255]
  private static let black: [UInt8] = [0, 0, 0]
  private static let red: [UInt8] = [191, 0, 0]
  private static let paper: [UInt8] = [48, 48, 48]
}
