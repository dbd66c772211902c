import MinilabKit
import Vips

/// A rendered picture made ready for one output: color, transparency, depth, metadata; with a note
/// for each loss.
struct OutputImage {
  private(set) var image: Image
  private(set) var notes: [Note] = []
  private let settings: OutputSettings
  private let encoder: any PictureEncoder
  private let color: OutputColor

  init(_ rendered: Image, for settings: OutputSettings, _ encoder: any PictureEncoder) throws {
    image = rendered
    self.settings = settings
    self.encoder = encoder
    color = OutputColor(settings, type(of: encoder).format)
    // There is no transparency among inks.
    if settings.color.isCMYK { try flatten(holdsAlpha: false) }
    try convertColor()
    try flatten(holdsAlpha: type(of: encoder).holdsAlpha)
    try reduceDepth()
    try edit(rendered)
  }

  private mutating func convertColor() throws {
    let (converted, note) = try color.convert(image)
    image = converted
    notes += note.map { [$0] } ?? []
  }

  private mutating func flatten(holdsAlpha: Bool) throws {
    guard image.hasAlpha, !holdsAlpha else { return }
    if image.isGray, !settings.background.isNeutral, image.has("icc-profile-data") {
      // A gray profile says nothing of a background with a hue.
      image = try image.toSRGB(depth: image.format == .ushort ? 16 : 8)
    }
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
    image = try image.reducedTo8Bit()
    let format = type(of: encoder).format.shown
    notes.append(Note(.depthReduced, "16 bit became 8 bit, rounded, for \(format)"))
  }

  /// Makes the metadata true of upright pixels, or leaves it out.
  private mutating func edit(_ rendered: Image) throws {
    let edited = try resolved(image)
    notes += color.embed(in: edited).map { [$0] } ?? []
    if settings.metadata == .none {
      for name in edited.fieldNames where Metadata.isPersonal(name) { edited.remove(name) }
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

  /// Computes the pixels and writes the file.
  ///
  /// `isStrip`: the picture is of frames below each other, too many to hold, and its pixels do not
  /// fail.
  func save(to file: TemporaryFile, isStrip: Bool = false) throws {
    var arguments = encoder.arguments
    // `strip` would take the color profile and the resolution, too.
    if settings.metadata == .none, settings.resolution == nil, !image.has("icc-profile-data") {
      arguments.append(.init("strip", .bool(true)))
    }
    let isWebP = type(of: encoder).format == .webp
    // Where pixels fail, libvips 8.14's saver of WebP keeps their pipeline for ever. It holds the
    // whole picture anyway: so the pixels are made before it begins.
    let pixels = try isWebP && !isStrip ? image.inMemory() : image
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
