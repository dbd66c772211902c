/// What phones of Samsung put at the end of a file: blocks with names, and a directory of them between
/// `SEFH` and `SEFT`, as ExifTool documents it.
struct SamsungTrailer {
  /// Of its first block.
  let start: Int
  /// What it holds beside a few values, in words.
  private(set) var others: Set<String> = []

  private static let mostBlocks = 256
  /// In bytes: blocks of values are shorter.
  private static let leastUnknown = 4096

  /// Nil where the file does not end in one.
  init?(_ file: FileBytes, endingAt end: Int) throws(SystemError) {
    func number(_ bytes: ArraySlice<UInt8>) -> Int {
      bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard end >= 20 else { return nil }
    let tail = try file.read(at: end - 8, count: 8)
    let directory = end - 8 - number(tail.prefix(4))
    guard tail.suffix(4).elementsEqual("SEFT".utf8), directory >= 0 else { return nil }
    let head = try file.read(at: directory, count: 12)
    guard head.count == 12, head.starts(with: "SEFH".utf8) else { return nil }
    let count = min(number(head[8...]), Self.mostBlocks)
    let entries = try file.read(at: directory + 12, count: 12 * count)
    var start = directory
    for place in stride(from: 0, to: entries.count - 11, by: 12) {
      let back = number(entries[(place + 4)..<(place + 8)])
      guard back <= directory else { return nil }
      start = min(start, directory - back)
      // Two numbers of its kind, the length of its name, its name.
      let block = try file.read(at: directory - back, count: 8 + 64)
      guard block.count >= 8 else { return nil }
      let name = String(
        decoding: block[8...].prefix(number(block[4..<8])),
        as: Unicode.ASCII.self
      )
      let size = number(entries[(place + 8)..<(place + 12)])
      if let what = Self.meaning(of: name, size) { others.insert(what) }
    }
    self.start = start
  }

  private static func meaning(of name: String, _ size: Int) -> String? {
    func says(_ words: String...) -> Bool { words.contains { name.contains($0) } }
    if says("MotionPhoto_Data", "Video") { return Companions.film }
    if says("Depth") { return Companions.depth }
    if says("SoundShot") { return "a sound" }
    if size < leastUnknown { return nil }
    return says("DualShot", "FocusShot")
      ? Companions.pictures(1) : "\(size) bytes named \"\(name)\""
  }
}
