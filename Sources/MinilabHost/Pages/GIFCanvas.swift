import MinilabKit

/// The canvas of a GIF where no frame covers it: transparent, as browsers show it.
///
/// libvips gives no alpha where no frame names a transparent color, and what is uncovered is black then;
/// and what a frame leaves that names none, and is to be cleared, it gives the file's background color,
/// which nobody shows any more. So it is handed a file in which such frames name a color that none of
/// their pixels has.
struct GIFCanvas {
  private struct Frame {
    /// Of its picture's first byte.
    let start: Int
    let box: PixelRectangle
    /// Where its graphic control is, if it has one (GIF89a, 23).
    let control: Int?
    let isTransparent: Bool
    let disposal: UInt8
    /// Of the codes of its pixels.
    let codeSize: UInt8
    let parts: Range<Int>
  }

  private static let clears: UInt8 = 2
  private static let restores: UInt8 = 3

  private let frames: [Frame]
  private let isCutOff: Bool
  private let canvas: PixelRectangle

  /// The file as it is handed to libvips; nil where it can be handed over as it is.
  ///
  /// It may have one frame more than there are, at its end.
  ///
  /// `size`: of the canvas, as libvips has it: with a size that no frame fills it deals in its own way.
  static func mended(_ data: PictureData, _ size: Size) throws -> [UInt8]? {
    let canvas = try GIFCanvas(data, size)
    let (cleared, needsAny) = canvas.wanted
    guard !cleared.isEmpty || needsAny else { return nil }
    let bytes = try data.bytes ?? data.read(at: 0, count: data.status.size)
    var named: [Int: UInt8] = [:]
    for index in cleared { named[index] = canvas.unused(index, in: bytes) }
    if needsAny, named.isEmpty {
      for index in canvas.frames.indices {
        guard let color = canvas.unused(index, in: bytes) else { continue }
        named[index] = color
        break
      }
    }
    return canvas.naming(named, in: needsAny && named.isEmpty ? canvas.extended(bytes) : bytes)
  }

  // MARK: Reading

  private init(_ data: PictureData, _ size: Size) throws {
    var control: (start: Int, bytes: [UInt8])?
    var frames: [Frame] = []
    isCutOff = try GIFBlocks.walk(data) { block in
      if block.label == 0xf9 {
        control = (block.start, try data.read(at: block.start, count: 8))
      }
      guard block.label == nil else { return }
      let head = Head(try data.read(at: block.start, count: 10)[...])
      guard let x = head.little16(at: 1), let y = head.little16(at: 3),
        let width = head.little16(at: 5), let height = head.little16(at: 7),
        let codeSize = try data.read(at: block.parts.lowerBound - 1, count: 1).first
      else { return }
      let flags = control.map { Head($0.bytes[...]).byte(3) ?? 0 } ?? 0
      frames.append(
        Frame(
          start: block.start,
          box: PixelRectangle(x: x, y: y, width: width, height: height),
          control: control?.start,
          isTransparent: flags & 1 != 0,
          disposal: flags >> 2 & 7,
          codeSize: codeSize,
          parts: block.parts
        )
      )
      control = nil
    }
    self.frames = frames
    canvas = PixelRectangle(size)
  }

  // MARK: What is wanted

  /// Frames that must name a transparent color, by their numbers, and whether any must, as none does.
  private var wanted: (cleared: [Int], any: Bool) {
    guard let first = frames.first else { return ([], false) }
    let cleared = frames.indices.dropLast().filter { index in
      let frame = frames[index]
      return frame.disposal == Self.clears && !frame.isTransparent
        && !covers(frames[index + 1], frame.box)
    }
    let isBare =
      !covers(first, canvas)
      || first.disposal == Self.restores && frames.count > 1 && !covers(frames[1], canvas)
    return (cleared, isBare && !frames.contains(where: \.isTransparent))
  }

  private func covers(_ frame: Frame, _ area: PixelRectangle) -> Bool {
    !frame.isTransparent && frame.box.x <= area.x && frame.box.y <= area.y
      && frame.box.x + frame.box.width >= min(area.x + area.width, canvas.width)
      && frame.box.y + frame.box.height >= min(area.y + area.height, canvas.height)
  }

  // MARK: A color that no pixel has

  /// Nil where the frame's pixels have all 256.
  private func unused(_ index: Int, in bytes: [UInt8]) -> UInt8? {
    let frame = frames[index]
    guard frame.codeSize >= 8 else { return 255 }
    guard frame.codeSize == 8 else { return nil }
    let used = Self.colors(of: bytes, frame.parts)
    return (0...255).last { !used[$0] }.map { UInt8($0) }
  }

  /// Which of 256 colors pixels have.
  ///
  /// Whatever a table of LZW learns is made of codes that were read before; so every color that there
  /// is stands there as a code of its own at least once, and the table need only be counted.
  private static func colors(of bytes: [UInt8], _ parts: Range<Int>) -> [Bool] {
    let (clear, last) = (256, 257)
    var used = [Bool](repeating: false, count: 256)
    var (bits, count, size, next) = (0, 0, 9, 257)
    var part = parts.lowerBound
    while part < parts.upperBound, bytes[part] > 0 {
      let behind = part + 1 + Int(bytes[part])
      for byte in bytes[(part + 1)..<min(behind, parts.upperBound)] {
        bits |= Int(byte) << count
        count += 8
        guard count >= size else { continue }
        let code = bits & (1 << size - 1)
        bits >>= size
        count -= size
        if code == last { return used }
        if code == clear {
          (size, next) = (9, 257)
          continue
        }
        if code < clear { used[code] = true }
        // The first code after a clearing teaches nothing.
        next = min(next + 1, 4096)
        if next == 1 << size, size < 12 { size += 1 }
      }
      part = behind
    }
    return used
  }

  // MARK: Writing

  /// With a transparent pixel behind the last frame, for a file in whose frames every color is taken.
  private func extended(_ bytes: [UInt8]) -> [UInt8] {
    guard !isCutOff, let end = frames.last?.parts.upperBound else { return bytes }
    let control: [UInt8] = [0x21, 0xf9, 4, 1, 0, 0, 0, 0]
    let picture: [UInt8] = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
    return bytes[..<end] + control + picture + bytes[end...]
  }

  private func naming(_ colors: [Int: UInt8], in bytes: [UInt8]) -> [UInt8] {
    var mended = bytes
    // From the end, so that what is put in moves nothing that is still to come.
    for (index, color) in colors.sorted(by: { $0.key > $1.key }) {
      let frame = frames[index]
      if let control = frame.control {
        mended[control + 3] |= 1
        mended[control + 6] = color
      } else {
        mended.insert(contentsOf: [0x21, 0xf9, 4, 1, 0, 0, color, 0], at: frame.start)
      }
    }
    return mended
  }
}
