import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// What a file says of its animation, read by hand: an oracle that shares nothing with libvips.
struct Film: Equatable {
  /// In milliseconds.
  var delays: [Int] = []
  /// How often it is shown; 0: for ever.
  var plays = 1

  /// GIF89a: blocks one after the other; the Netscape extension says how often it is shown again.
  init(gif bytes: [UInt8]) throws {
    func short(_ at: Int) -> Int { Int(bytes[at]) | Int(bytes[at + 1]) << 8 }
    func table(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 * (2 << Int(flags & 7)) }
    var at = 13 + table(bytes[10])
    func skip() {
      while bytes[at] != 0 { at += Int(bytes[at]) + 1 }
      at += 1
    }
    var delay = 0
    while bytes[at] != 0x3b {
      switch (bytes[at], bytes[at + 1]) {
      case (0x21, 0xf9): delay = short(at + 4) * 10
      case (0x21, 0xff) where Array(bytes[(at + 3)..<(at + 14)]) == Array("NETSCAPE2.0".utf8):
        let again = short(at + 16)
        plays = again == 0 ? 0 : again + 1
      default: break
      }
      if bytes[at] == 0x21 {
        at += 2
      } else {
        try #require(bytes[at] == 0x2c)
        delays.append(delay)
        delay = 0
        at += 11 + table(bytes[at + 9])
      }
      skip()
    }
  }

  /// RFC 9649: ANIM says how often, each ANMF how long.
  init(webp bytes: [UInt8]) throws {
    func number(_ at: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }
    try #require(number(4, 4) + 8 == bytes.count)
    var at = 12
    var canvas = (width: 0, height: 0)
    while at < bytes.count {
      switch String(decoding: bytes[at..<(at + 4)], as: UTF8.self) {
      case "VP8X": canvas = (number(at + 12, 3) + 1, number(at + 15, 3) + 1)
      case "ANIM": plays = number(at + 12, 2)
      case "ANMF":
        delays.append(number(at + 20, 3))
        // Inside the canvas, as a decoder demands.
        try #require(2 * number(at + 8, 3) + number(at + 14, 3) + 1 <= canvas.width)
        try #require(2 * number(at + 11, 3) + number(at + 17, 3) + 1 <= canvas.height)
      default: break
      }
      at += 8 + number(at + 4, 4)
      at += at % 2
    }
  }

  init(_ bytes: [UInt8]) throws {
    if bytes.starts(with: Array("GIF".utf8)) {
      try self.init(gif: bytes)
    } else {
      try self.init(webp: bytes)
    }
  }

  init(delays: [Int], plays: Int) {
    self.delays = delays
    self.plays = plays
  }
}

/// A GIF written by hand, in four colors: red, green, blue, and what no frame shows.
struct HandmadeGIF {
  struct Frame {
    /// In hundredths of a second.
    var delay: Int
    /// 1 keeps, 2 clears, 3 brings back what was there.
    var disposal = 1
    var transparent: UInt8?
    var box: PixelRectangle
    /// Numbers of colors.
    var pixels: [UInt8]
  }

  static let colors: [[Double]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]

  let size: Size
  var frames: [Frame] = []
  /// How often it is shown again, 0 for ever; nil says nothing.
  var again: Int? = 0

  var bytes: [UInt8] {
    func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
    var file = Array("GIF89a".utf8) + short(size.width) + short(size.height) + [0x81, 0, 0]
    file += Self.colors.flatMap { $0.map { UInt8($0) } }
    if let again {
      file += [0x21, 0xff, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + short(again) + [0]
    }
    for frame in frames {
      let flags = UInt8(frame.disposal << 2) | (frame.transparent == nil ? 0 : 1)
      file += [0x21, 0xf9, 4, flags] + short(frame.delay) + [frame.transparent ?? 0, 0, 0x2c]
      file += short(frame.box.x) + short(frame.box.y)
      file += short(frame.box.width) + short(frame.box.height) + [0, 2]
      let data = Self.packed(frame.pixels)
      for start in stride(from: 0, to: data.count, by: 255) {
        let part = data[start..<min(start + 255, data.count)]
        file += [UInt8(part.count)] + part
      }
      file.append(0)
    }
    return file + [0x3b]
  }

  /// LZW that learns nothing: cleared so often that codes stay three bits long.
  private static func packed(_ pixels: [UInt8]) -> [UInt8] {
    var codes: [UInt8] = []
    for (index, pixel) in pixels.enumerated() { codes += index % 2 == 0 ? [4, pixel] : [pixel] }
    var (bytes, rest, count): ([UInt8], Int, Int) = ([], 0, 0)
    for code in codes + [5] {
      rest |= Int(code) << count
      count += 3
      while count >= 8 {
        bytes.append(UInt8(rest & 255))
        rest >>= 8
        count -= 8
      }
    }
    return bytes + (count > 0 ? [UInt8(rest)] : [])
  }

  /// What a viewer sees of each frame, with alpha.
  var shown: [NaivePicture] {
    var canvas = NaivePicture(width: size.width, height: size.height, bands: 4) { _, _, _ in 0 }
    return frames.map { frame in
      let before = canvas
      for (index, pixel) in frame.pixels.enumerated() where pixel != frame.transparent {
        let x = frame.box.x + index % frame.box.width
        let y = frame.box.y + index / frame.box.width
        for band in 0..<4 { canvas[x, y, band] = band == 3 ? 255 : Self.colors[Int(pixel)][band] }
      }
      let seen = canvas
      if frame.disposal == 3 { canvas = before }
      if frame.disposal == 2 {
        for y in frame.box.y..<(frame.box.y + frame.box.height) {
          for x in frame.box.x..<(frame.box.x + frame.box.width) {
            for band in 0..<4 { canvas[x, y, band] = 0 }
          }
        }
      }
      return seen
    }
  }

  /// A ball of its own place and color in each frame, on the whole canvas.
  static func moving(_ size: Size, delays: [Int], again: Int? = 0) -> HandmadeGIF {
    var film = HandmadeGIF(size: size, again: again)
    film.frames = delays.enumerated().map { number, delay in
      let (left, top) = (2 + 5 * number, 3 + 2 * number)
      let pixels = (0..<(size.width * size.height)).map { index -> UInt8 in
        let (x, y) = (index % size.width, index / size.width)
        return (left..<(left + 8)).contains(x) && (top..<(top + 6)).contains(y)
          ? UInt8(number % 2) : 2
      }
      return Frame(delay: delay, box: PixelRectangle(size), pixels: pixels)
    }
    return film
  }
}

/// One page of a file, decoded by libvips.
func page(_ index: Int, of bytes: [UInt8], _ format: PictureFormat) throws -> NaivePicture {
  let page = index == 0 ? [] : [Argument("page", .int(index))]
  return try NaivePicture(load(Loader.of(format).operation, from: Source(bytes: bytes), page))
}

extension NaivePicture {
  /// With an alpha, which is whole where there was none.
  var withAlpha: NaivePicture {
    if bands == 4 { return self }
    return NaivePicture(width: width, height: height, bands: 4) { x, y, band in
      band == 3 ? 255 : self[x, y, bands == 1 ? 0 : band]
    }
  }

  /// The greatest difference of what shows: colors weigh as much as they can be seen.
  func greatestVisibleDifference(from other: NaivePicture) -> Double {
    let (own, other) = (withAlpha, other.withAlpha)
    guard own.size == other.size else { return .infinity }
    var most = 0.0
    for index in stride(from: 0, to: own.samples.count, by: 4) {
      let (a, b) = (own.samples[index + 3], other.samples[index + 3])
      most = max(most, abs(a - b))
      for band in 0..<3 {
        most = max(most, abs(own.samples[index + band] * a - other.samples[index + band] * b) / 255)
      }
    }
    return most
  }

  /// The mean difference of what shows.
  func meanVisibleDifference(from other: NaivePicture) -> Double {
    func seen(_ picture: NaivePicture) -> NaivePicture {
      let whole = picture.withAlpha
      return NaivePicture(width: width, height: height, bands: 4) { x, y, band in
        band == 3 ? whole[x, y, 3] : whole[x, y, band] * whole[x, y, 3] / 255
      }
    }
    return size == other.size ? seen(self).meanDifference(from: seen(other)) : .infinity
  }
}
