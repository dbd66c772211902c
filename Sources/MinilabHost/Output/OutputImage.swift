import MinilabKit
import PictureMetadata
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
  /// Rows of the input have become columns.
  private let isTurned: Bool
  private let color: OutputColor
  /// What is written beside the pixels.
  private var metadata = MetadataBlocks()
  /// The picture is of frames below each other, too many to hold, and its pixels do not fail.
  private var isStrip: Bool
  /// The rendered pixels are there already, and few.
  private let isSmall: Bool

  /// Makes a rendered picture ready.
  ///
  /// `source`: what the input says of itself. `isTurned`: its rows have become columns. `isStrip`: the picture
  /// is of frames below each other.
  init(
    _ rendered: Image,
    for settings: OutputSettings,
    _ encoder: any PictureEncoder,
    metadata source: MetadataBlocks = MetadataBlocks(),
    isTurned: Bool = false,
    isStrip: Bool = false
  ) throws {
    image = rendered
    self.settings = settings
    self.encoder = encoder
    self.isTurned = isTurned
    self.isStrip = isStrip
    isSmall = rendered.isSmallAndInMemory
    color = OutputColor(settings, type(of: encoder).format)
    // There is no transparency among inks.
    if settings.color.isCMYK { try flatten(holdsAlpha: false) }
    try convertColor()
    try flatten(holdsAlpha: type(of: encoder).holdsAlpha)
    try adjustDepth()
    changesPixels = image !== rendered
    if !isStrip { try noteHardAlpha() }
    try describe(rendered, by: source)
  }

  private mutating func convertColor() throws {
    let (converted, note) = try color.convert(image)
    image = converted
    notes += note.map { [$0] } ?? []
  }

  private mutating func flatten(holdsAlpha: Bool) throws {
    guard image.hasAlpha, !holdsAlpha else { return }
    if try isOpaque() {
      image = try image.extractBands(0, count: image.bands - 1)
      return
    }
    if image.isGray, !settings.background.isNeutral, image.has("icc-profile-data") {
      // A gray profile says nothing of a background with a hue.
      image = try image.toSRGB(depth: image.format == .ushort ? 16 : 8)
    }
    image = try image.flattened(on: settings.background)
    notes.append(Self.flattened(type(of: encoder).format, on: settings.background))
  }

  /// Nothing is seen through the picture, so nothing is lost with its transparency.
  ///
  /// Only a picture that can be held is looked at before it is written.
  private mutating func isOpaque() throws -> Bool {
    guard !isStrip, image.width * image.height <= Self.mostHeld else { return false }
    image = try image.inMemory()
    let alpha = try image.extractBands(image.bands - 1, count: 1)
    // The mean of whole numbers is the greatest of them only where all are.
    return try alpha.average() == (image.format == .ushort ? 65_535 : 255)
  }

  /// In pixels.
  private static let mostHeld = 1 << 25

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
    notes.append(Self.hardAlpha)
  }

  static let hardAlpha = Note(
    .alphaReduced,
    "GIF holds no half transparency; each pixel has all of it or none"
  )

  private mutating func adjustDepth() throws {
    let (adjusted, note) = try OutputDepth(encoder: encoder).adjusted(image)
    image = adjusted
    if let note { notes.append(note) }
  }

  /// Takes over the metadata that the output is to have, made true of its pixels.
  private mutating func describe(_ rendered: Image, by source: MetadataBlocks) throws {
    let described = try resolved(image)
    notes += color.embed(in: described).map { [$0] } ?? []
    let format = type(of: encoder).format
    let texts = MetadataField.texts(of: described, keptBy: settings.metadata)
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
    var lost = metadata.limit(to: MetadataContainer.kinds(of: format))
    if !texts.isEmpty, format != .png { lost.append("texts (\(texts.joined(separator: ", ")))") }
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
    truth.swapsResolution = isTurned
    let profile = image.blob("icc-profile-data")
    if rendered.blob("icc-profile-data") != profile {
      truth.colorSpace = profile.map { ICCProfile($0).isSRGB } ?? true ? 1 : 65_535
    }
    return truth
  }

  /// A copy that names the wanted resolution, or that of the picture as it is turned.
  private func resolved(_ image: Image) throws -> Image {
    var (across, down) = image.resolution
    if isTurned { swap(&across, &down) }
    if let perInch = settings.resolution { (across, down) = (perInch / 25.4, perInch / 25.4) }
    return try image.copy([.init("xres", .double(across)), .init("yres", .double(down))])
  }

  /// Nil where none is known, which libvips has as a pixel a millimeter, or wanted.
  private var density: PixelDensity? {
    if let wanted = settings.resolution { return PixelDensity(across: wanted, down: wanted) }
    let (across, down) = image.resolution
    if settings.metadata == .none || (across == 1 && down == 1) { return nil }
    return PixelDensity(across: across * 25.4, down: down * 25.4)
  }

  /// The same with its pixels computed, so that it may be written more than once.
  func withPixelsInMemory() throws -> Self {
    var held = self
    held.image = try image.inMemory()
    held.isStrip = false
    return held
  }

  /// Writes the file anew.
  ///
  /// - Returns: notes on metadata that the file could not hold as it was.
  func write(_ encoder: any PictureEncoder, to file: TemporaryFile) throws -> [Note] {
    do { try file.empty() } catch { throw OutputWriter.failure(error, writing: file.path) }
    if isSmall, let bytes = try (encoder as? JPEGEncoder)?.encodedInMemory(image) {
      do {
        try System.writeAll(file.descriptor, bytes)
      } catch {
        throw OutputWriter.failure(error, writing: file.path)
      }
    } else {
      try save(with: encoder, to: file)
    }
    return try MetadataContainer(file, type(of: encoder).format, shown)
      .put(metadata, settings.metadata, isEncoded: true, density: density)
  }

  /// Has libvips write the file.
  private func save(with encoder: any PictureEncoder, to file: TemporaryFile) throws {
    var arguments = encoder.arguments(for: image)
    // `strip` would take the color profile and the resolution, too.
    if settings.metadata == .none, settings.resolution == nil, !image.has("icc-profile-data") {
      arguments.append(.init("strip", .bool(true)))
    }
    // Where pixels fail, libvips 8.14's saver of WebP keeps their pipeline for ever. It holds the
    // whole picture anyway: so the pixels are made before it begins.
    let pixels =
      try type(of: encoder).format == .webp && !isStrip ? image.inMemory() : image
    try pixels.save(type(of: encoder).saver, to: Target(descriptor: file.descriptor), arguments)
  }
}
