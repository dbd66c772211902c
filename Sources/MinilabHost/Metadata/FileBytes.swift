import Glibc

/// The bytes of an open file, read and replaced in place.
///
/// A picture can be larger than memory is free: what stands behind a change moves in pieces.
struct FileBytes {
  let descriptor: Int32

  private static let piece = 1 << 20

  var count: Int {
    get throws(SystemError) { Int(try System.status(of: descriptor).st_size) }
  }

  /// Fewer where the file ends before.
  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let more = try System.attempt(.read) { limit in
        bytes.withUnsafeMutableBytes {
          pread(
            descriptor,
            $0.baseAddress.map { $0 + got },
            min(limit, count - got),
            off_t(offset + got)
          )
        }
      }
      if more == 0 { break }
      got += more
    }
    return Array(bytes.prefix(got))
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      done += try System.attempt(.write) { limit in
        bytes.withUnsafeBytes {
          pwrite(
            descriptor,
            $0.baseAddress.map { $0 + done },
            min(limit, bytes.count - done),
            off_t(offset + done)
          )
        }
      }
    }
  }

  func truncate(to length: Int) throws(SystemError) {
    try System.attempt(.write) { _ in ftruncate(descriptor, off_t(length)) }
  }

  /// Leaves nothing, for a writer that begins where the descriptor stands.
  func empty() throws(SystemError) {
    try truncate(to: 0)
    try System.attempt(.write) { _ in lseek(descriptor, 0, SEEK_SET) }
  }

  /// Writes what stands in a range once more, before it.
  func move(_ range: Range<Int>, to place: Int) throws(SystemError) {
    var start = range.lowerBound
    while start < range.upperBound {
      let length = min(Self.piece, range.upperBound - start)
      try write(read(at: start, count: length), at: start - range.lowerBound + place)
      start += length
    }
  }

  /// Puts other bytes in place of a range; what stands behind it moves.
  func replace(_ range: Range<Int>, with bytes: [UInt8]) throws(SystemError) {
    let end = try count
    let distance = bytes.count - range.count
    if distance > 0 {
      // From the end, so that nothing is overwritten before it has moved.
      var rest = end
      while rest > range.upperBound {
        let start = max(range.upperBound, rest - Self.piece)
        try write(read(at: start, count: rest - start), at: start + distance)
        rest = start
      }
    } else if distance < 0 {
      try move(range.upperBound..<end, to: range.upperBound + distance)
      try truncate(to: end + distance)
    }
    try write(bytes, at: range.lowerBound)
  }
}

/// The bytes of a file for one who takes small steps.
struct ReadAhead {
  private let file: FileBytes
  private var start = 0
  private var bytes: [UInt8] = []

  private static let portion = 1 << 14

  init(_ file: FileBytes) {
    self.file = file
  }

  /// Fewer where the file ends before.
  mutating func read(at offset: Int, count: Int) throws(SystemError) -> ArraySlice<UInt8> {
    if offset < start || offset + count > start + bytes.count {
      bytes = try file.read(at: offset, count: max(count, Self.portion))
      start = offset
    }
    return bytes[(offset - start)...].prefix(count)
  }
}
