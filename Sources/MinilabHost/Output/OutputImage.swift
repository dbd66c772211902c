import MinilabKit
import Vips

/// A rendered picture made ready for one output: color, transparency, depth, metadata; with a note
/// for each loss.
struct OutputImage {
  private(set) var image: Image
  private(set) var notes: [Note] = []
  /// Colors, transparency or depth are not the rendered picture's.
  private(set) var changesPixels = false
  let settings: OutputSettings
  let encoder: any PictureEncoder
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
    try adjustDepth()
    changesPixels = image !== rendered
    try noteHardAlpha()
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
    notes.append(Self.flattened(type(of: encoder).format, on: settings.background))
  }

  static func flattened(_ format: PictureFormat, on background: Color) -> Note {
    Note(
      .alphaFlattened,
      "\(format.shown) holds no transparency; \(background.literal) shows through"
    )
  }

  /// GIF's transparency is all or nothing; libvips draws the line at the middle.
  private mutating func noteHardAlpha() throws {
    guard image.hasAlpha, type(of: encoder).format == .gif else { return }
    // Looked at before they are written, by a saver that would hold them all anyway.
    image = try image.inMemory()
    let alpha = try image.extractBands(image.bands - 1, count: 1)
    let rest = try alpha.call(
      "linear",
      [.init("a", .doubles([-1])), .init("b", .doubles([255]))]
    )
    let between = try alpha.call("multiply", [.init("right", .image(rest))], input: "left")
    guard try between.average() > 0 else { return }
    notes.append(
      Note(.alphaReduced, "GIF holds no half transparency; each pixel has all of it or none")
    )
  }

  private mutating func adjustDepth() throws {
    let (adjusted, note) = try OutputDepth(encoder: encoder).adjusted(image)
    image = adjusted
    if let note { notes.append(note) }
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

  /// The same with its pixels computed, so that it may be written more than once.
  func withPixelsInMemory() throws -> Self {
    var held = self
    held.image = try image.inMemory()
    return held
  }

  /// Writes the file anew.
  func write(_ encoder: any PictureEncoder, to file: TemporaryFile) throws {
    do { try file.empty() } catch { throw OutputWriter.failure(error, writing: file.path) }
    var arguments = encoder.arguments(for: image)
    // `strip` would take the color profile and the resolution, too.
    if settings.metadata == .none, settings.resolution == nil, !image.has("icc-profile-data") {
      arguments.append(.init("strip", .bool(true)))
    }
    let isWebP = type(of: encoder).format == .webp
    // Where pixels fail, libvips 8.14's saver of WebP keeps their pipeline for ever. It holds the
    // whole picture anyway: so the pixels are made before it begins.
    let pixels = try isWebP ? image.inMemory() : image
    try pixels.save(type(of: encoder).saver, to: Target(descriptor: file.descriptor), arguments)
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
