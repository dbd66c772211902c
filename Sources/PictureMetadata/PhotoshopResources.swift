/// The image resources that Photoshop keeps in a JPEG's APP13: a list of numbered blocks, of which one
/// holds the IPTC data sets (Adobe Photoshop File Formats Specification, "Image Resource Section").
struct PhotoshopResources {
  private(set) var resources: [Resource] = []

  struct Resource {
    let number: Int
    /// The signature, number and name, as they were.
    let head: [UInt8]
    var data: [UInt8]
  }

  static let iptc = 1028
  /// Marks a picture as protected, and says where to read more.
  private static let rights: Set<Int> = [1034, 1035]
  /// Thumbnails.
  private static let thumbnails: Set<Int> = [1033, 1036]

  /// What of it is about the pixels as they were, or a copy of another block: layers, guides, slices,
  /// EXIF, XMP, a digest of the IPTC, clipping paths.
  private static func isStale(_ number: Int) -> Bool {
    [1005, 1024, 1026, 1032, 1050, 1058, 1059, 1060, 1061, 1069, 1072, 1080].contains(number)
      || thumbnails.contains(number) || (2000...2999).contains(number)
  }

  /// Also of a bare list of data sets, as TIFF has it.
  ///
  /// Blocks behind one that does not fit are left out. Nil where there is none.
  init?(_ bytes: [UInt8]) {
    if bytes.first == 0x1c {
      resources = [Self.resource(Self.iptc, bytes)]
      return
    }
    let prefix = Array("Photoshop 3.0\0".utf8)
    var offset = bytes.starts(with: prefix) ? prefix.count : 0
    while let signature = bytes.slice(at: offset, count: 4),
      ["8BIM", "MeSa", "AgHg", "PHUT", "DCSR"].contains(String(decoding: signature, as: UTF8.self)),
      let number = bytes.number(at: offset + 4, count: 2, .big),
      let nameLength = bytes.number(at: offset + 6, count: 1, .big)
    {
      // A name with its length, and data, are filled up to whole pairs.
      let sizeOffset = offset + 6 + (nameLength + 2) / 2 * 2
      guard let size = bytes.number(at: sizeOffset, count: 4, .big),
        let data = bytes.slice(at: sizeOffset + 4, count: size)
      else { break }
      let head = Array(bytes[offset..<sizeOffset])
      resources.append(Resource(number: number, head: head, data: Array(data)))
      offset = sizeOffset + 4 + size + size % 2
    }
    if resources.isEmpty { return nil }
  }

  private static func resource(_ number: Int, _ data: [UInt8]) -> Resource {
    let head = Array("8BIM".utf8) + ByteOrder.big.bytes(number, count: 2) + [0, 0]
    return Resource(number: number, head: head, data: data)
  }

  var hasThumbnail: Bool { resources.contains { Self.thumbnails.contains($0.number) } }

  /// All data sets, one list after another; nil where there are none.
  var iptc: [UInt8]? {
    let lists = resources.filter { $0.number == Self.iptc }
    return lists.isEmpty ? nil : lists.flatMap(\.data)
  }

  /// Puts other data sets in place of the ones that are there; none where that is nil or empty.
  mutating func replaceIPTC(_ data: [UInt8]?) {
    guard let first = resources.firstIndex(where: { $0.number == Self.iptc }) else { return }
    let head = resources[first].head
    resources.removeAll { $0.number == Self.iptc }
    guard let data, !data.isEmpty else { return }
    let place = min(first, resources.count)
    resources.insert(Resource(number: Self.iptc, head: head, data: data), at: place)
  }

  /// Leaves out what is not true of other pixels.
  mutating func removeStale() { resources.removeAll { Self.isStale($0.number) } }

  /// Leaves out all but the data sets and, where they are wanted, the marks of rights.
  mutating func keepIPTC(andRights: Bool) {
    resources.removeAll {
      $0.number != Self.iptc && !(andRights && Self.rights.contains($0.number))
    }
  }

  /// Without the "Photoshop 3.0" that a JPEG has before it; nil where nothing is left.
  var bytes: [UInt8]? {
    if resources.isEmpty { return nil }
    var bytes: [UInt8] = []
    for resource in resources {
      bytes += resource.head
      bytes += ByteOrder.big.bytes(resource.data.count, count: 4)
      bytes += resource.data
      if resource.data.count % 2 == 1 { bytes.append(0) }
    }
    return bytes
  }
}
