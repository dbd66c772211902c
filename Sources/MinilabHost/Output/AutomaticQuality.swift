import MinilabKit
import Vips

/// The lowest quality at which a picture looks the same: `quality = "auto"`.
///
/// The measure is the mean structural similarity (SSIM) of Wang, Bovik, Sheikh and Simoncelli, "Image
/// quality assessment: from error visibility to structural similarity" (IEEE Transactions on Image
/// Processing 13, 2004), of luma at full size, with the paper's window and constants. What it costs
/// is bounded: a large picture is judged by tiles of it, spread evenly.
struct AutomaticQuality {
  /// The similarity that is enough; 1 is the picture itself.
  static let enough = 0.985
  /// Below this a codec may move flat colors, to which the measure is nearly blind.
  static let lowest = 40

  private let encoder: any PictureEncoder
  private let background: Color
  private let sample: Image
  private let similarity: Similarity

  /// Takes the sample.
  ///
  /// `image`: as it will be encoded, in memory. `background`: shows where it is transparent.
  init(of image: Image, _ encoder: any PictureEncoder, on background: Color) throws {
    self.encoder = encoder
    self.background = background
    sample = try Self.sample(of: image)
    similarity = try Similarity(to: Self.luma(sample, on: background))
  }

  static func text(_ quality: Int) -> String {
    "quality \(quality) is the lowest from \(lowest) to \(Quality.best) "
      + "with a structural similarity of \(enough)"
  }

  func lowest() throws -> Int {
    var low = Self.lowest
    var high = Quality.best
    while low < high {
      let middle = (low + high) / 2
      if try similarity(at: middle) >= Self.enough { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Of the sample to what is left of it after encoding.
  func similarity(at quality: Int) throws -> Double {
    let target = try Target()
    let encoder = encoder.with(quality: quality)
    try sample.save(
      type(of: encoder).saver,
      to: target,
      encoder.arguments(for: sample) + [.init("strip", .bool(true))]
    )
    let decoded = try load(
      Loader.of(type(of: encoder).format).operation,
      from: Source(bytes: target.bytes)
    )
    return try similarity.mean(of: Self.luma(decoded, on: background))
  }

  // MARK: The sample

  /// In pixels; whole blocks of every codec.
  private static let tile = 128
  private static let mostTiles = 32

  /// The picture without its metadata, or tiles of one that is larger than those.
  private static func sample(of image: Image) throws -> Image {
    let bare = try image.copy()
    for name in bare.fieldNames { bare.remove(name) }
    let (width, height) = (image.width, image.height)
    guard width * height > mostTiles * tile * tile else { return try bare.inMemory() }
    let size = (x: min(tile, width), y: min(tile, height))
    let wide = (Double(mostTiles * width) / Double(height)).squareRoot().rounded()
    let columns = min(max(1, Int(wide), mostTiles * size.y / height), mostTiles, width / size.x)
    let rows = min(mostTiles / columns, height / size.y)
    var tiles: [Image] = []
    for row in 0..<rows {
      for column in 0..<columns {
        tiles.append(
          try bare.extractArea(
            left: start(column, of: columns, width - size.x),
            top: start(row, of: rows, height - size.y),
            width: size.x,
            height: size.y
          )
        )
      }
    }
    let joined = try OperationCall("arrayjoin")
    try joined.set("in", .images(tiles))
    try joined.set("across", .int(columns))
    return try joined.run().image.inMemory()
  }

  /// Where a tile begins, on the blocks of the picture; a single one is in the middle.
  private static func start(_ index: Int, of count: Int, _ room: Int) -> Int {
    let place = count == 1 ? room / 2 : room * index / (count - 1)
    return place / 16 * 16
  }

  // MARK: Luma

  /// One band of floating-point numbers from 0 to 255 (ITU-R BT.601).
  private static func luma(_ picture: Image, on background: Color) throws -> Image {
    var image = picture
    if image.hasAlpha { image = try image.flattened(on: background) }
    let scale = image.format == .ushort ? 1.0 / 257 : 1
    guard image.bands >= 3 else {
      return try image.extractBands(0, count: 1)
        .call("linear", [.init("a", .doubles([scale])), .init("b", .doubles([0]))])
    }
    // Inks darken: black everything, the others what is their complement.
    let shares = image.interpretation == .cmyk ? [0.15, 0.29, 0.06, 0.5] : [0.299, 0.587, 0.114]
    let weights = try Image(matrix: [shares.map { $0 * scale }])
    return try image.extractBands(0, count: shares.count).cast(.float)
      .call("recomb", [.init("m", .image(weights))])
  }
}
