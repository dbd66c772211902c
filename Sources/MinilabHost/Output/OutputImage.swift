import MinilabKit
import PictureMetadata
import Vips

/// A rendered picture made ready for one output: color, transparency, depth, metadata; with a note
/// for each loss.
struct OutputImage {
  private(set) var image: Image
  private(set) var notes: [Note] = []
  private let settings: OutputSettings
  private let encoder: any PictureEncoder
  private let color: OutputColor
  /// What is written beside the pixels.
  private var metadata = MetadataBlocks()

  /// `source`: what the input says of itself.
  init(
    _ rendered: Image,
    for settings: OutputSettings,
    _ encoder: any PictureEncoder,
    metadata source: MetadataBlocks = MetadataBlocks()
  ) throws {
    image = rendered
    self.settings = settings
    self.encoder = encoder
    color = OutputColor(settings, type(of: encoder).format)
    // There is no transparency among inks.
    if settings.color.isCMYK { try flatten(holdsAlpha: false) }
    try convertColor()
    try flatten(holdsAlpha: type(of: encoder).holdsAlpha)
    try reduceDepth()
    try describe(rendered, by: source)
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

  /// Takes over the metadata that the output is to have, made true of its pixels.
  private mutating func describe(_ rendered: Image, by source: MetadataBlocks) throws {
    let described = try resolved(image)
    notes += color.embed(in: described).map { [$0] } ?? []
    let format = type(of: encoder).format
    for name in described.fieldNames
    where MetadataField.isPersonal(name)
      && !(format == .png && MetadataField.isText(name, keptBy: settings.metadata))
    {
      described.remove(name)
    }
    image = described
    var losses: [MetadataLoss] = []
    metadata = source.edited(settings.metadata, truth(of: rendered), losses: &losses)
    notes += losses.map(\.note)
    let lost = metadata.limit(to: MetadataContainer.kinds(of: format))
    if !lost.isEmpty { notes.append(.dropped(lost, format)) }
    if metadata.exif == nil, let resolution = settings.resolution, settings.metadata != .none,
      format == .webp
    {
      metadata.exif = MetadataBlocks(resolution: resolution).exif
    }
    if MetadataContainer.isWrittenByVips(.xmp, format), let xmp = metadata.xmp {
      image.set("xmp-data", blob: xmp)
    }
  }

  /// Of one frame where the picture is of several below each other.
  private var shown: Size {
    Size(width: image.width, height: image.int("page-height") ?? image.height)
  }

  private func truth(of rendered: Image) -> MetadataTruth {
    var truth = MetadataTruth()
    truth.orientation = 1
    truth.width = shown.width
    truth.height = shown.height
    truth.resolution = settings.resolution
    let profile = image.blob("icc-profile-data")
    if rendered.blob("icc-profile-data") != profile {
      truth.colorSpace = profile.map { ICCProfile($0).isSRGB } ?? true ? 1 : 65_535
    }
    return truth
  }

  /// A copy that names the wanted resolution.
  private func resolved(_ image: Image) throws -> Image {
    guard let perInch = settings.resolution else { return try image.copy() }
    let perMillimeter = perInch / 25.4
    return try image.copy([
      .init("xres", .double(perMillimeter)), .init("yres", .double(perMillimeter)),
    ])
  }

  /// In pixels per inch; nil where none is known, which libvips has as a pixel a millimeter, or wanted.
  private var density: Double? {
    if let wanted = settings.resolution { return wanted }
    let perMillimeter = image.resolution.x
    return settings.metadata == .none || perMillimeter == 1 ? nil : perMillimeter * 25.4
  }

  /// Computes the pixels and writes the file.
  ///
  /// `isStrip`: the picture is of frames below each other, too many to hold, and its pixels do not
  /// fail.
  ///
  /// - Returns: notes on metadata that the file could not hold as it was.
  func save(to file: TemporaryFile, isStrip: Bool = false) throws -> [Note] {
    var arguments = encoder.arguments
    // `strip` would take the color profile and the resolution, too.
    if settings.metadata == .none, settings.resolution == nil, !image.has("icc-profile-data") {
      arguments.append(.init("strip", .bool(true)))
    }
    let format = type(of: encoder).format
    // Where pixels fail, libvips 8.14's saver of WebP keeps their pipeline for ever. It holds the
    // whole picture anyway: so the pixels are made before it begins.
    let pixels = try format == .webp && !isStrip ? image.inMemory() : image
    try pixels.save(
      type(of: encoder).saver,
      to: Target(descriptor: file.descriptor),
      arguments
    )
    return try MetadataContainer(file, format, shown)
      .put(metadata, settings.metadata, isEncoded: true, density: density)
  }
}
