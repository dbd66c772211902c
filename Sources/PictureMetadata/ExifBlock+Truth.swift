/// What is true of the file that metadata goes to; nil where what the metadata says may stay.
public struct MetadataTruth: Sendable, Equatable {
  /// As an EXIF tag has it.
  public var orientation: Int?
  /// In pixels, as stored.
  public var width: Int?
  public var height: Int?
  /// In pixels per inch.
  public var resolution: Double?
  /// Rows have become columns: what was the resolution along one side is that along the other.
  public var swapsResolution = false
  /// As an EXIF tag has it: 1 is sRGB, 65535 is any other.
  public var colorSpace: Int?
  /// Pixels have been encoded anew: what else of the file was about them is no longer true.
  public var isEncoded = true

  public init() {}
}

extension ExifBlock {
  /// The bytes of the block, true in what they say of the picture's pixels where they say something
  /// of them.
  func stating(_ truth: MetadataTruth) -> [UInt8] {
    var block = self
    block.state(truth)
    return block.bytes
  }

  private mutating func state(_ truth: MetadataTruth) {
    if truth.swapsResolution, truth.resolution == nil { swapResolution() }
    for directory in directories {
      for entry in directory.entries {
        switch (directory.kind, entry.tag) {
        case (.picture, ExifNumber.orientation): set(entry, truth.orientation)
        case (.picture, ExifNumber.imageWidth), (.exposure, ExifNumber.pixelXDimension),
          (.interoperability, ExifNumber.relatedImageWidth):
          set(entry, truth.width)
        case (.picture, ExifNumber.imageLength), (.exposure, ExifNumber.pixelYDimension),
          (.interoperability, ExifNumber.relatedImageLength):
          set(entry, truth.height)
        case (.picture, ExifNumber.xResolution), (.picture, ExifNumber.yResolution):
          setRational(entry, truth.resolution)
        case (.picture, ExifNumber.resolutionUnit):
          // 2 is an inch.
          set(entry, truth.resolution.map { _ in 2 })
        case (.exposure, ExifNumber.colorSpace): set(entry, truth.colorSpace)
        default: break
        }
      }
    }
  }

  /// Exchanges the two fractions of a picture that says both.
  private mutating func swapResolution() {
    let entries = directories.filter { $0.kind == .picture }.flatMap(\.entries)
    let values = [ExifNumber.xResolution, ExifNumber.yResolution].compactMap { tag in
      entries.first { $0.tag == tag && $0.type == 5 }?.value
    }
    guard values.count == 2, values.allSatisfy({ $0.count == 8 }), !values[0].overlaps(values[1])
    else { return }
    let (across, down) = (Array(bytes[values[0]]), Array(bytes[values[1]]))
    bytes.replaceSubrange(values[0], with: down)
    bytes.replaceSubrange(values[1], with: across)
  }

  /// Writes one whole number into the entry itself.
  private mutating func set(_ entry: Entry, _ number: Int?) {
    guard let number, self.number(entry) != number else { return }
    let isLong = number > 0xffff || entry.type == 4
    let value = order.bytes(number, count: isLong ? 4 : 2)
    let fields =
      order.bytes(isLong ? 4 : 3, count: 2) + order.bytes(1, count: 4) + value
      + [UInt8](repeating: 0, count: 4 - value.count)
    bytes.replaceSubrange((entry.offset + 2)..<(entry.offset + 12), with: fields)
  }

  /// Writes a fraction of thousandths where there is room for a fraction.
  private mutating func setRational(_ entry: Entry, _ number: Double?) {
    guard let number, let value = entry.value, entry.type == 5, value.count == 8 else { return }
    let isWhole = number == number.rounded()
    let top = Int((number * (isWhole ? 1 : 1000)).rounded())
    bytes.replaceSubrange(
      value,
      with: order.bytes(top, count: 4) + order.bytes(isWhole ? 1 : 1000, count: 4)
    )
  }
}
