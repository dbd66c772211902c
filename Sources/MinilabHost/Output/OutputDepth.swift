import MinilabKit
import Vips

/// Samples of 8 or 16 bit made into those of the wanted depth, as a saver takes them.
///
/// Nothing is dithered here: each sample becomes the nearest of its new levels.
struct OutputDepth {
  let encoder: any PictureEncoder

  private var format: PictureFormat { type(of: encoder).format }

  /// The picture as it is written, and the note of what it has lost.
  ///
  /// Throws `ItemError` where the format has no such depth for these colors.
  func adjusted(_ image: Image) throws -> (image: Image, note: Note?) {
    let bits = image.format == .ushort ? 16 : 8
    let wanted = encoder.depth(from: bits)
    switch wanted {
    case bits: return (image, nil)
    case 16: return (try image.raised(), nil)
    case 9..<16:
      let deep = try bits == 16 ? image : image.raised()
      return (try deep.leveled(wanted), Self.note(from: bits, to: wanted, format))
    default:
      let shallow = try bits == 16 ? image.lowered() : image
      if wanted == 8 { return (shallow, Self.note(from: bits, to: wanted, format)) }
      return try lowered(shallow, from: bits, to: wanted)
    }
  }

  /// What is told of a depth that is less than it was.
  static func note(from bits: Int, to wanted: Int, _ format: PictureFormat) -> Note? {
    guard wanted < bits else { return nil }
    return Note(.depthReduced, "\(bits) bit became \(wanted) bit, rounded, for \(format.shown)")
  }

  /// Fewer than 8 bits.
  private func lowered(
    _ image: Image,
    from bits: Int,
    to wanted: Int
  ) throws -> (image: Image, note: Note?) {
    if encoder.makesPalette(of: image) {
      let note = Note(
        .depthReduced,
        "\(bits) bit became a palette of \(wanted) bit for \(format.shown)"
      )
      return (image, note)
    }
    guard image.bands == 1 else {
      throw ItemError(
        .unsupported,
        expected: "gray without transparency for \(format.shown) of \(wanted) bit",
        received: image.isGray ? "gray with transparency" : "colors"
      )
    }
    let levels = try image.levels(wanted, of: 255, as: .uchar)
    let note = Self.note(from: bits, to: wanted, format)
    switch encoder.lowDepth {
    case .levels: return (levels, note)
    case .grayAlone:
      let step = Double(1 << (8 - wanted))
      let high = try levels.call(
        "linear",
        [.init("a", .doubles([step])), .init("b", .doubles([0])), .init("uchar", .bool(true))]
      )
      return (high, note)
    }
  }
}

extension Image {
  /// 8 bit as 16 bit: 255 becomes 65535.
  fileprivate func raised() throws -> Image {
    try call("linear", [.init("a", .doubles([257])), .init("b", .doubles([0]))])
      .cast(.ushort).copy(interpretation: meaning(gray: .gray16, colors: .rgb16))
  }

  /// 16 bit as 8 bit, rounded; inks stay inks.
  fileprivate func lowered() throws -> Image {
    try reducedTo8Bit().copy(interpretation: meaning(gray: .gray, colors: .srgb))
  }

  /// What the numbers mean when they have another depth.
  private func meaning(gray: Interpretation, colors: Interpretation) -> Interpretation {
    if interpretation == .cmyk { return .cmyk }
    return isGray ? gray : colors
  }

  /// 16 bit with the nearest of fewer levels in its high bits, which is all that a saver then takes.
  fileprivate func leveled(_ bits: Int) throws -> Image {
    try levels(bits, of: 65_535, as: .ushort)
      .call(
        "linear",
        [.init("a", .doubles([Double(1 << (16 - bits))])), .init("b", .doubles([0]))]
      )
      .cast(.ushort).copy(interpretation: meaning(gray: .gray16, colors: .rgb16))
  }

  /// The number of the nearest of 2^bits levels.
  fileprivate func levels(_ bits: Int, of white: Double, as format: PixelFormat) throws -> Image {
    let scale = Double(1 << bits - 1) / white
    return try call("linear", [.init("a", .doubles([scale])), .init("b", .doubles([0.5]))])
      .cast(format).copy(interpretation: interpretation)
  }
}
