import MinilabKit
import Vips

/// A rendered picture made ready for one output: color, transparency, depth, metadata; with a note
/// for each loss.
struct OutputImage {
  private(set) var image: Image
  private(set) var notes: [Note] = []
  private let settings: OutputSettings
  private let encoder: any PictureEncoder

  init(_ rendered: Image, for settings: OutputSettings, _ encoder: any PictureEncoder) throws {
    image = rendered
    self.settings = settings
    self.encoder = encoder
    try convertColor()
    try flatten()
    try reduceDepth()
    try edit(rendered)
  }

  /// The picture's numbers mean something else than the output's are to mean.
  static func needsColorConversion(_ image: Image, _ policy: ColorPolicy) -> Bool {
    guard policy == .srgb else { return false }
    switch image.interpretation {
    case .cmyk, .lab, .xyz, .scrgb: return true
    case .gray, .gray16, .srgb, .rgb16, .other: break
    }
    return image.blob("icc-profile-data").map { !ICCProfile($0).isSRGB } ?? false
  }

  private mutating func convertColor() throws {
    guard Self.needsColorConversion(image, settings.color),
      let profile = image.blob("icc-profile-data")
    else { return }
    let wasGray = image.isGray
    let depth = image.format == .ushort ? 16 : 8
    var converted = try image.toSRGB(depth: depth)
    if wasGray {
      converted = try converted.colourspace(depth == 16 ? .gray16 : .gray)
    }
    let untagged = try converted.copy()
    untagged.remove("icc-profile-data")
    image = untagged
    let name = ICCProfile(profile).description
    let source = name.isEmpty ? "the embedded profile" : "\"\(name)\""
    notes.append(
      Note(.colorConverted, "colors were converted from \(source) to \(wasGray ? "gray" : "sRGB")")
    )
  }

  private mutating func flatten() throws {
    guard image.hasAlpha, !type(of: encoder).holdsAlpha else { return }
    image = try image.flattened(on: settings.background)
    let format = type(of: encoder).format.shown
    notes.append(
      Note(
        .alphaFlattened,
        "\(format) holds no transparency; \(settings.background.literal) shows through"
      )
    )
  }

  private mutating func reduceDepth() throws {
    guard image.format == .ushort, encoder.depth < 16 else { return }
    let gray = image.isGray
    // 65535 is 257 × 255; libvips' cast to 8 bit cuts the fraction, half a level rounds it.
    image =
      try image
      .call(
        "linear",
        [
          .init("a", .doubles([1.0 / 257])), .init("b", .doubles([0.5])),
          .init("uchar", .bool(true)),
        ]
      )
      .copy(interpretation: gray ? .gray : .srgb)
    let format = type(of: encoder).format.shown
    notes.append(Note(.depthReduced, "16 bit became 8 bit, rounded, for \(format)"))
  }

  /// Makes the metadata true of upright pixels, or leaves it out.
  private mutating func edit(_ rendered: Image) throws {
    let edited = try resolved(image)
    if settings.metadata == .none {
      for name in edited.fieldNames where Metadata.isPersonal(name) { edited.remove(name) }
      dropNeedlessProfile(edited)
    } else {
      notes += Metadata.makeUpright(edited)
      noteDropped()
      // libvips would write the first quarter of it.
      if type(of: encoder).format == .tiff { edited.remove("iptc-data") }
    }
    image = edited
  }

  /// A copy that names the wanted resolution.
  private func resolved(_ image: Image) throws -> Image {
    guard let perInch = settings.resolution else { return try image.copy() }
    let perMillimeter = perInch / 25.4
    return try image.copy([
      .init("xres", .double(perMillimeter)), .init("yres", .double(perMillimeter)),
    ])
  }

  /// sRGB is what a picture without a profile is taken for.
  private func dropNeedlessProfile(_ image: Image) {
    guard let profile = image.blob("icc-profile-data"), ICCProfile(profile).isSRGB else { return }
    image.remove("icc-profile-data")
  }

  /// Computes the pixels and writes the file.
  func save(to file: TemporaryFile) throws {
    var arguments = encoder.arguments
    // `strip` would take the color profile and the resolution, too.
    if settings.metadata == .none, settings.resolution == nil, !image.has("icc-profile-data") {
      arguments.append(.init("strip", .bool(true)))
    }
    let isWebP = type(of: encoder).format == .webp
    // Where pixels fail, libvips 8.14's saver of WebP keeps their pipeline for ever. It holds the
    // whole picture anyway: so the pixels are made before it begins.
    let pixels = try isWebP ? image.inMemory() : image
    try pixels.save(
      type(of: encoder).saver,
      to: Target(descriptor: file.descriptor),
      arguments
    )
    if settings.metadata == .none, isWebP {
      try WebPChunks.dropMetadata(file.descriptor)
    }
  }

  private mutating func noteDropped() {
    let format = type(of: encoder).format
    // Of what libvips 8.14 can write.
    let carried =
      switch format {
      case .jpeg: ["EXIF", "XMP", "IPTC"]
      case .tiff: ["XMP"]
      case .gif, .jxl: [] as [String]
      default: ["EXIF", "XMP"]
      }
    let lost = [("exif-data", "EXIF"), ("xmp-data", "XMP"), ("iptc-data", "IPTC")]
      .filter { image.has($0.0) && !carried.contains($0.1) }.map(\.1)
    guard !lost.isEmpty else { return }
    notes.append(
      Note(
        .metadataDropped,
        "\(lost.joined(separator: " and ")) could not be written to \(format.shown)"
      )
    )
  }
}
