/// An item as a source delivers it: a picture file and what is known of it.
public struct SourceItem: Sendable {
  /// What reports call it, and `{stem}` and `{ext}` come from; no two items of a run share one.
  public var name: Path
  public var format: PictureFormat
  /// The whole file, metadata included.
  public var bytes: [UInt8]
  /// When it was taken, on this machine's clock.
  public var taken: WallClock
  public var notes: [Note]
  /// The part of either side, around the middle, that the item shows: less than 1 where a camera's
  /// own zoom does not reach as far as was asked.
  public var middle: Double
  /// The bytes are only a way to get pixels to the steps, so an output is never a copy of them.
  public var isRaw: Bool

  public init(
    name: Path,
    format: PictureFormat,
    bytes: [UInt8],
    taken: WallClock,
    notes: [Note] = [],
    middle: Double = 1,
    isRaw: Bool = false
  ) {
    self.name = name
    self.format = format
    self.bytes = bytes
    self.taken = taken
    self.notes = notes
    self.middle = middle
    self.isRaw = isRaw
  }
}

/// What a source says before it makes anything.
public struct SourceAnnouncement: Sendable, Codable, Equatable {
  /// Items' names begin with it, and `{root}` stands for it.
  public var name: String
  /// Of the items' files.
  public var format: PictureFormat
  /// Width and height of the items in pixels, as they are stored, where that is known.
  public var size: [Int]?
  /// How the items are stored.
  public var orientation: Orientation
  /// What is asked for, a line each: a word for scripts and a text for people.
  public var facts: [Fact]
  public var notes: [Note]

  public struct Fact: Sendable, Codable, Equatable {
    public var name: String
    public var text: String

    public init(_ name: String, _ text: String) {
      self.name = name
      self.text = text
    }
  }

  public init(
    name: String,
    format: PictureFormat,
    size: Size? = nil,
    orientation: Orientation = .up,
    facts: [Fact] = [],
    notes: [Note] = []
  ) {
    self.name = name
    self.format = format
    self.size = size.map { [$0.width, $0.height] }
    self.orientation = orientation
    self.facts = facts
    self.notes = notes
  }

  /// The name of an item: the source's, the date and time, and its place in the run.
  ///
  /// - Parameters:
  ///   - taken: when.
  ///   - index: from 1.
  ///   - count: how many there will be: names sort as items come.
  /// - Returns: a file name with the format's extension.
  public func itemName(taken: WallClock, index: Int, of count: Int) -> Path {
    let number = String(index)
    let zeros = String(repeating: "0", count: max(0, max(4, "\(count)".count) - number.count))
    let date = String(decoding: taken.written(as: "%Y%m%d-%H%M%S"), as: UTF8.self)
    return Path("\(name)-\(date)-\(zeros)\(number).\(format.fileExtension)")
  }
}
