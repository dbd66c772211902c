import Glibc
import MinilabKit

/// Puts TIFF files behind each other, so that one file has the pages of all, each of its own size and
/// kind.
///
/// libvips writes no more than one size into a file. All places in a TIFF file are counted from its
/// beginning: each page is copied behind those before it, and what it says of places is moved along.
struct TIFFJoin {
  private let file: Int32
  /// Where the file says that the next directory is.
  private var link: Int

  /// Tags whose values are places: of strips, of tiles, and of JPEG data as TIFF 6.0 has it.
  private static let places: Set<Int> = [273, 324, 513]
  /// Tags whose values are places of directories: smaller copies, EXIF, GPS, interoperability.
  private static let directories: Set<Int> = [330, 34_665, 34_853, 40_965]

  /// `file`: a whole TIFF file, open for reading and writing.
  init(_ file: Int32) throws {
    self.file = file
    let structure = try Self.structure(file)
    link = structure.firstLink
    // A chain can be a ring.
    var seen: Set<Int> = []
    while case let next = try structure.number(at: link, structure.width), next != 0 {
      guard seen.insert(next).inserted else { throw TIFFStructure.Broken() }
      link = try structure.directory(at: next).link
    }
  }

  private static func structure(_ file: Int32) throws -> TIFFStructure {
    try TIFFStructure { try System.read(file, at: $0, count: $1) }
  }

  /// Adds all pages of another file, written in the same way.
  ///
  /// - Throws: `ItemError` where the file becomes larger than its kind can be, `SystemError` where it
  ///   cannot be written.
  mutating func append(_ page: Int32) throws {
    let structure = try Self.structure(page)
    let length = Int(try System.status(of: page).st_size)
    let base = (Int(try System.status(of: file).st_size) + 15) / 16 * 16
    if !structure.isBig, base + length > Int(UInt32.max) {
      throw ItemError(
        .formatLimit,
        expected: "a TIFF file of less than 4 GiB in all its pages",
        received: "more"
      )
    }
    try copy(page, length, to: base)
    var mover = Mover(file: file, structure: structure, base: base)
    let first = try structure.number(at: structure.firstLink, structure.width)
    try mover.write([first + base], at: link, size: structure.width)
    var next = first
    var seen: Set<Int> = []
    while next != 0 {
      guard seen.insert(next).inserted else { throw TIFFStructure.Broken() }
      let directory = try structure.directory(at: next)
      try mover.move(directory)
      link = directory.link + base
      next = directory.next
      if next != 0 { try mover.write([next + base], at: link, size: structure.width) }
    }
  }

  private func copy(_ page: Int32, _ length: Int, to base: Int) throws {
    var offset = 0
    while offset < length {
      let bytes = try System.read(page, at: offset, count: min(1 << 20, length - offset))
      if bytes.isEmpty { throw TIFFStructure.Broken() }
      try System.writeAll(file, at: base + offset, bytes)
      offset += bytes.count
    }
  }

  /// Makes what a copied page says of places true of the copy.
  private struct Mover {
    let file: Int32
    /// Of the page where it was copied from.
    let structure: TIFFStructure
    let base: Int
    private var moved: Set<Int> = []

    init(file: Int32, structure: TIFFStructure, base: Int) {
      (self.file, self.structure, self.base) = (file, structure, base)
    }

    mutating func move(_ directory: TIFFStructure.Directory) throws {
      for entry in directory.entries {
        if let pointer = entry.pointer {
          try write([entry.place + base], at: pointer + base, size: structure.width)
        }
        let leads = TIFFJoin.directories.contains(entry.tag)
        guard leads || TIFFJoin.places.contains(entry.tag) else { continue }
        guard entry.size >= 4 else { throw TIFFStructure.Broken() }
        let values = try structure.values(of: entry)
        try write(values.map { $0 + base }, at: entry.place + base, size: entry.size)
        for place in values where leads && moved.insert(place).inserted {
          try move(structure.directory(at: place))
        }
      }
    }

    func write(_ numbers: [Int], at offset: Int, size: Int) throws {
      try System.writeAll(file, at: offset, numbers.flatMap { structure.bytes(of: $0, size) })
    }
  }
}
