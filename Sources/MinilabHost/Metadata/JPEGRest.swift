/// What stands behind the end of a JPEG's picture, told by its own bytes.
///
/// Cameras put films, sounds and further pictures there. Writers fill their files up there, or leave
/// a few bytes of whatever was there before: these are nothing.
struct JPEGRest {
  /// Where JPEGs begin.
  private(set) var pictures: [Int] = []
  /// What there is else, in words.
  private(set) var others: Set<String> = []

  /// In bytes: what is shorter is left over, and nobody misses it.
  private static let leastUnknown = 1024
  /// Of pictures that are looked for.
  private static let mostPictures = 64

  /// Looks at a file from an offset on.
  ///
  /// `endOfPicture`: where the JPEG ends that begins at an offset.
  init(
    _ file: FileBytes,
    from start: Int,
    endOfPicture: (Int) throws(SystemError) -> Int?
  ) throws(SystemError) {
    var end = try file.count
    if let trailer = try SamsungTrailer(file, endingAt: end), trailer.start >= start {
      others = trailer.others
      end = trailer.start
    }
    var offset = start
    while offset < end, pictures.count < Self.mostPictures {
      let bytes = try file.read(at: offset, count: min(1 << 16, end - offset))
      guard let first = bytes.first else { return }
      let filling = bytes.prefix { $0 == first }.count
      // A marker may have more of its first byte before it.
      let skipped = first == 0xff ? filling - 1 : Self.fillings.contains(first) ? filling : 0
      let head = bytes.dropFirst(skipped).prefix(64)
      if head.starts(with: [0xff, 0xd8, 0xff]) {
        pictures.append(offset + skipped)
        guard let next = try endOfPicture(offset + skipped) else { return }
        offset = next
      } else if skipped > 0, skipped + 1 >= bytes.count || first != 0xff {
        // A film's length begins with zeros.
        if Self.isFilm(bytes[max(0, skipped - 4)...].prefix(64)) {
          others.insert(Companions.film)
          return
        }
        offset += max(1, skipped)
      } else {
        if Self.isFilm(head) {
          others.insert(Companions.film)
        } else if end - offset >= Self.leastUnknown {
          others.insert("\(end - offset) bytes behind the picture")
        }
        return
      }
    }
  }

  private static let fillings: Set<UInt8> = [0, 0x0a, 0x0d, 0x20]

  /// The first box of ISO's files of films is near (ISO/IEC 14496-12, 4.3).
  private static func isFilm(_ head: ArraySlice<UInt8>) -> Bool {
    String(decoding: head, as: Unicode.ASCII.self).contains("ftyp")
  }

  /// Where the pictures begin that an index does not list.
  ///
  /// `listed`: where those begin that it lists; of an index that is wrong about that their number counts.
  func unlisted(_ listed: Set<Int>) -> ArraySlice<Int> {
    pictures.filter { !listed.contains($0) }.dropFirst(listed.subtracting(pictures).count)
  }
}
