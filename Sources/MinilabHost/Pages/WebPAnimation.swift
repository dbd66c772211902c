import Glibc
import MinilabKit
import Vips

/// A WebP animation as its frames (RFC 9649, section 2.7): read, mended and written again.
///
/// libwebp's encoder leaves out a frame that looks like the one before it, gives its time to that one,
/// and makes a still of a film whose frames are all alike; libvips takes any delay of 10 milliseconds
/// or less for 100. So a film is saved with one delay for all frames: how long a frame is shown then
/// tells how many it stands for. Those that were left out are put back as frames that change nothing,
/// and each gets its own delay.
struct WebPAnimation {
  /// The delay with which a film is to be saved, in milliseconds.
  static let tick = 20

  private struct Frame {
    /// Even numbers of pixels.
    var x = 0
    var y = 0
    var width: Int
    var height: Int
    /// How many frames it stands for.
    var count: Int
    /// Bit 0: its rectangle is cleared after it; bit 1: it replaces what is below it.
    var flags: UInt8
    /// Chunks of its pixels.
    var data: [UInt8]
  }

  private typealias Chunk = (name: String, data: ArraySlice<UInt8>)

  private var frames: [Frame] = []
  private var profile: ArraySlice<UInt8>?
  /// EXIF and XMP, in this order.
  private var metadata: [Chunk] = []
  private let size: Size
  private var background: [UInt8] = [255, 255, 255, 255]

  private static let clears: UInt8 = 1
  private static let replaces: UInt8 = 2

  /// What no encoder writes.
  struct Broken: Error {}

  /// Mends a file that was saved with `tick` for all frames.
  ///
  /// - Throws: `Broken` where the file has other frames than were saved.
  static func mend(_ file: Int32, _ timing: AnimationTiming, size: Size) throws {
    let length = Int(try System.status(of: file).st_size)
    let bytes = try System.read(file, at: 0, count: length)
    var animation = try WebPAnimation(bytes, size: size, count: timing.delays.count)
    try animation.putBack()
    try animation.write(to: file, timing)
  }

  // MARK: Reading

  private init(_ bytes: [UInt8], size: Size, count: Int) throws {
    self.size = size
    let head = Head(bytes[...])
    guard head.begins("RIFF"), head.has("WEBP", at: 8) else { throw Broken() }
    var still: [UInt8] = []
    for chunk in try Self.chunks(bytes[12...]) {
      switch chunk.name {
      case "ICCP": profile = chunk.data
      case "EXIF", "XMP ": metadata.append(chunk)
      case "ANIM": background = Array(chunk.data.prefix(4))
      case "ANMF": frames.append(try Self.frame(chunk.data))
      case "VP8 ", "VP8L", "ALPH": still += Self.encoded(chunk.name, chunk.data)
      default: break
      }
    }
    if frames.isEmpty {
      frames = [
        Frame(
          width: size.width,
          height: size.height,
          count: count,
          flags: Self.replaces,
          data: still
        )
      ]
    }
    guard frames.reduce(0, { $0 + $1.count }) == count else { throw Broken() }
  }

  private static func frame(_ data: ArraySlice<UInt8>) throws -> Frame {
    guard data.count > 16 else { throw Broken() }
    func number(_ offset: Int) -> Int {
      let start = data.startIndex + offset
      return Int(data[start]) | Int(data[start + 1]) << 8 | Int(data[start + 2]) << 16
    }
    return Frame(
      x: 2 * number(0),
      y: 2 * number(3),
      width: number(6) + 1,
      height: number(9) + 1,
      count: number(12) / tick,
      flags: data[data.startIndex + 15] & 3,
      data: Array(data.dropFirst(16))
    )
  }

  private static func chunks(_ bytes: ArraySlice<UInt8>) throws -> [Chunk] {
    var chunks: [Chunk] = []
    var rest = bytes
    while rest.count >= 8 {
      let head = Head(rest)
      guard let length = head.little32(at: 4), length <= rest.count - 8 else { throw Broken() }
      let data = rest.dropFirst(8).prefix(length)
      chunks.append((String(decoding: rest.prefix(4), as: UTF8.self), data))
      // A chunk of odd length has a byte behind it that does not count.
      rest = rest.dropFirst(8 + length + length % 2)
    }
    return chunks
  }

  // MARK: Mending

  /// Every frame stands for itself after this.
  private mutating func putBack() throws {
    var whole: [Frame] = []
    for frame in frames {
      var first = frame
      first.count = 1
      guard frame.count > 1 else {
        whole.append(first)
        continue
      }
      // What a frame clears after its time it clears after the last that it stands for.
      first.flags &= ~Self.clears
      whole.append(first)
      let dot = try Self.nothing(Size(width: 1, height: 1))
      let clears = frame.flags & Self.clears != 0
      let repeated = Frame(width: 1, height: 1, count: 1, flags: 0, data: dot)
      whole += Array(repeating: repeated, count: frame.count - (clears ? 2 : 1))
      if clears {
        var last = frame
        (last.count, last.flags) = (1, Self.clears)
        last.data = try Self.nothing(Size(width: frame.width, height: frame.height))
        whole.append(last)
      }
    }
    frames = whole
  }

  /// The chunk of a picture through which everything shows.
  private static func nothing(_ size: Size) throws -> [UInt8] {
    let clear = try Image(pixels: [0, 0, 0, 0], width: 1, height: 1, bands: 4)
      .embed(left: 0, top: 0, width: size.width, height: size.height, extend: "copy")
    let target = try Target()
    try clear.save("webpsave_target", to: target, [.init("lossless", .bool(true))])
    let pixels = try chunks(target.bytes[12...]).first { $0.name == "VP8L" }
    guard let pixels else { throw Broken() }
    return encoded(pixels.name, pixels.data)
  }

  // MARK: Writing

  private func write(to file: Int32, _ timing: AnimationTiming) throws {
    var body: [UInt8] = Array("WEBP".utf8)
    // Whether there is transparency is a hint, and saying so is never wrong.
    var flags: UInt8 = 0x02 | 0x10
    if profile != nil { flags |= 0x20 }
    for chunk in metadata { flags |= chunk.name == "EXIF" ? 0x08 : 0x04 }
    body += Self.encoded(
      "VP8X",
      ([flags, 0, 0, 0] + Self.bytes(size.width - 1) + Self.bytes(size.height - 1))[...]
    )
    if let profile { body += Self.encoded("ICCP", profile) }
    body += Self.encoded("ANIM", (background + Self.bytes(timing.plays).prefix(2))[...])
    for (frame, delay) in zip(frames, timing.delays) {
      let head = [frame.x / 2, frame.y / 2, frame.width - 1, frame.height - 1, delay]
      body += Self.encoded("ANMF", (head.flatMap(Self.bytes) + [frame.flags] + frame.data)[...])
    }
    for chunk in metadata { body += Self.encoded(chunk.name, chunk.data) }
    let whole = Array("RIFF".utf8) + Self.bytes(body.count) + [UInt8(body.count >> 24)] + body
    try System.writeAll(file, at: 0, whole)
    try System.cut(file, to: whole.count)
  }

  private static func encoded(_ name: String, _ data: ArraySlice<UInt8>) -> [UInt8] {
    Array(name.utf8) + bytes(data.count) + [UInt8(data.count >> 24)] + data
      + (data.count % 2 == 0 ? [] : [0])
  }

  /// Three bytes, the lowest first.
  private static func bytes(_ number: Int) -> [UInt8] {
    (0..<3).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
