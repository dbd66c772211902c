/// What the segments of a JPEG say of its picture, as far as reading and repairing one takes.
struct JPEGHeader {
  struct Component {
    let identifier: UInt8
    /// Samples in a group, across and down: 1 to 4.
    let across: Int
    let down: Int
    /// The number of its quantization table.
    let quantization: Int
  }

  struct ScanComponent {
    /// Index in `components`.
    let component: Int
    let dc: HuffmanTable.Place
    let ac: HuffmanTable.Place
  }

  struct Scan {
    /// Where its segment begins.
    let start: Int
    let components: [ScanComponent]
    /// The coded picture data.
    let data: Range<Int>
    /// The standard tables that it takes for granted.
    let missing: [HuffmanTable.Place]
    /// All tables it is coded with.
    let tables: [HuffmanTable.Place: HuffmanTable]
    /// Groups of blocks from one restart to the next; 0 where there are none.
    let restartInterval: Int
  }

  private(set) var width = 0
  private(set) var height = 0
  private(set) var components: [Component] = []
  private(set) var isProgressive = false
  private(set) var scans: [Scan] = []
  /// Of the segments with Huffman tables.
  private(set) var tableSegments: [Range<Int>] = []
  /// The first factor of each quantization table: that of a block's mean, times 8.
  private(set) var meanFactors: [Int: Int] = [:]
  /// Behind the end marker.
  private(set) var end = 0

  private var tables: [HuffmanTable.Place: HuffmanTable] = [:]
  private var restartInterval = 0

  init(_ bytes: [UInt8]) throws(FrameError) {
    var segments = try JPEGSegments(bytes)
    while let segment = try segments.next() {
      let parameters = bytes[segment.parameters]
      switch segment.marker {
      case JPEGSegments.Marker.huffman:
        tableSegments.append(segment.range)
        tables.merge(try HuffmanTable.tables(in: parameters)) { $1 }
      case JPEGSegments.Marker.quantization: try readQuantization(parameters)
      case JPEGSegments.Marker.restartInterval:
        guard parameters.count == 2 else { throw .damaged("the restart interval") }
        restartInterval = Self.word(parameters, 0)
      case JPEGSegments.Marker.scan: try readScan(segment, parameters)
      case JPEGSegments.Marker.extensions, JPEGSegments.Marker.arithmetic:
        throw .unsupported("a JPEG with arithmetic coding or extensions")
      case JPEGSegments.Marker.frames: try readFrame(segment.marker, parameters)
      default: break
      }
      end = segment.range.upperBound
    }
    if scans.isEmpty { throw .noJPEG }
  }

  private static func word(_ bytes: ArraySlice<UInt8>, _ place: Int) -> Int {
    Int(bytes[bytes.startIndex + place]) << 8 | Int(bytes[bytes.startIndex + place + 1])
  }

  private mutating func readFrame(
    _ marker: UInt8,
    _ parameters: ArraySlice<UInt8>
  ) throws(FrameError) {
    guard (0xC0...0xC2).contains(marker) else {
      throw .unsupported("a JPEG that is lossless, hierarchical or of arithmetic coding")
    }
    guard components.isEmpty else { throw .damaged("a second frame header") }
    let bytes = Array(parameters)
    guard bytes.count >= 6, bytes.count == 6 + 3 * Int(bytes[5]), (1...4).contains(bytes[5]) else {
      throw .damaged("the frame header")
    }
    guard bytes[0] == 8 else { throw .unsupported("a JPEG of more than 8 bits") }
    height = Self.word(parameters, 1)
    width = Self.word(parameters, 3)
    guard height > 0 else { throw .unsupported("a JPEG that tells its height last") }
    guard width > 0 else { throw .damaged("the frame header") }
    isProgressive = marker == 0xC2
    for start in stride(from: 6, to: bytes.count, by: 3) {
      let component = Component(
        identifier: bytes[start],
        across: Int(bytes[start + 1] >> 4),
        down: Int(bytes[start + 1] & 15),
        quantization: Int(bytes[start + 2])
      )
      let isKnown = components.contains { $0.identifier == component.identifier }
      guard (1...4).contains(component.across), (1...4).contains(component.down), !isKnown,
        component.quantization < 4
      else { throw .damaged("the frame header") }
      components.append(component)
    }
  }

  private mutating func readQuantization(_ parameters: ArraySlice<UInt8>) throws(FrameError) {
    var rest = parameters
    while let first = rest.first {
      let isDeep = first >> 4 == 1
      let count = isDeep ? 129 : 65
      guard first & 0xEC == 0, rest.count >= count else { throw .damaged("a quantization table") }
      let bytes = Array(rest.prefix(3))
      meanFactors[Int(first & 3)] = isDeep ? Int(bytes[1]) << 8 | Int(bytes[2]) : Int(bytes[1])
      rest = rest.dropFirst(count)
    }
  }

  private mutating func readScan(
    _ segment: JPEGSegments.Segment,
    _ parameters: ArraySlice<UInt8>
  ) throws(FrameError) {
    let bytes = Array(parameters)
    guard !components.isEmpty, let count = bytes.first.map(Int.init), (1...4).contains(count),
      bytes.count == 4 + 2 * count
    else { throw .damaged("a scan header") }
    var members: [ScanComponent] = []
    for start in stride(from: 1, through: 2 * count - 1, by: 2) {
      let index = components.firstIndex { $0.identifier == bytes[start] }
      let dc = Int(bytes[start + 1] >> 4)
      let ac = Int(bytes[start + 1] & 15)
      guard let index, dc < 4, ac < 4 else { throw .damaged("a scan header") }
      guard meanFactors[components[index].quantization] != nil else {
        throw .damaged("a quantization table is missing")
      }
      members.append(
        ScanComponent(
          component: index,
          dc: .init(isAC: false, number: dc),
          ac: .init(isAC: true, number: ac)
        )
      )
    }
    scans.append(
      Scan(
        start: segment.range.lowerBound,
        components: members,
        data: segment.data,
        missing: try addMissingTables(of: members),
        tables: tables,
        restartInterval: restartInterval
      )
    )
  }

  /// Decoders agree on the standard tables for what is not there, in the two places those are made
  /// for.
  private mutating func addMissingTables(
    of members: [ScanComponent]
  ) throws(FrameError) -> [HuffmanTable.Place] {
    // The scans of a progressive JPEG have tables made for them alone.
    if isProgressive { return [] }
    let needed = Set(members.flatMap { [$0.dc, $0.ac] })
    let missing = HuffmanTable.standardPlaces.filter { needed.contains($0) && tables[$0] == nil }
    for place in missing { tables[place] = HuffmanTable.standard[place] }
    guard needed.allSatisfy({ tables[$0] != nil }) else {
      throw .damaged("a Huffman table is missing")
    }
    return missing
  }
}
