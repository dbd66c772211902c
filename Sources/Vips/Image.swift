internal import CVips
internal import CVipsShim

/// A picture in libvips: a pipeline whose pixels are computed when they are asked for.
///
/// Holds one reference.
///
/// A picture is immutable but for its metadata, and that is only changed on a fresh `copy()`
/// before anyone else has it; so it may cross threads.
public final class Image: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<VipsImage>

  /// Takes over a reference that the caller holds.
  init(adopting pointer: UnsafeMutablePointer<VipsImage>) {
    self.pointer = pointer
  }

  deinit { cvips_unref(pointer) }

  /// In pixels.
  public var width: Int { Int(pointer.pointee.Xsize) }
  /// In pixels; of a picture with its pages below each other, all of them.
  public var height: Int { Int(pointer.pointee.Ysize) }
  /// In pixels per millimeter.
  public var resolution: (x: Double, y: Double) { (pointer.pointee.Xres, pointer.pointee.Yres) }
  public var bands: Int { Int(pointer.pointee.Bands) }
  public var hasAlpha: Bool { vips_image_hasalpha(pointer) != 0 }
  /// How the pixels' numbers are stored.
  public var format: PixelFormat { PixelFormat(pointer.pointee.BandFmt) }
  /// It says itself what its numbers mean, so that libvips need not guess: a guess counts for some of
  /// its operations and not for others.
  public func says(_ interpretation: Interpretation) -> Bool {
    vips_image_get_interpretation(pointer) == interpretation.vips
  }

  /// What the pixels' numbers mean.
  public var interpretation: Interpretation {
    Interpretation(vips_image_guess_interpretation(pointer))
  }

  /// A picture of interleaved 8-bit samples, copied.
  public convenience init(
    pixels: [UInt8],
    width: Int,
    height: Int,
    bands: Int,
    interpretation: Interpretation? = nil
  ) throws(VipsError) {
    try self.init(
      copying: pixels,
      count: width * height * bands,
      width,
      height,
      bands,
      VIPS_FORMAT_UCHAR,
      interpretation ?? Interpretation(isGray: bands < 3, isDeep: false)
    )
  }

  /// A picture of interleaved 16-bit samples, copied.
  public convenience init(
    pixels16 pixels: [UInt16],
    width: Int,
    height: Int,
    bands: Int
  ) throws(VipsError) {
    try self.init(
      copying: pixels,
      count: width * height * bands,
      width,
      height,
      bands,
      VIPS_FORMAT_USHORT,
      Interpretation(isGray: bands < 3, isDeep: true)
    )
  }

  /// A matrix, as operations such as `recomb` take it; rows of equal length.
  public convenience init(matrix rows: [[Double]]) throws(VipsError) {
    let width = rows.first?.count ?? 0
    precondition(width > 0 && rows.allSatisfy { $0.count == width }, "rows of equal length")
    let numbers = rows.flatMap(\.self)
    let pointer = vips_image_new_matrix_from_array(
      Int32(width),
      Int32(rows.count),
      numbers,
      Int32(numbers.count)
    )
    guard let pointer else { throw VipsError.taken(by: "vips_image_new_matrix_from_array") }
    self.init(adopting: pointer)
  }

  private convenience init<Sample>(
    copying samples: [Sample],
    count: Int,
    _ width: Int,
    _ height: Int,
    _ bands: Int,
    _ format: VipsBandFormat,
    _ interpretation: Interpretation
  ) throws(VipsError) {
    precondition(samples.count == count, "width × height × bands samples")
    let pointer = samples.withUnsafeBytes {
      vips_image_new_from_memory_copy(
        $0.baseAddress,
        $0.count,
        Int32(width),
        Int32(height),
        Int32(bands),
        format
      )
    }
    guard let pointer else { throw VipsError.taken(by: "vips_image_new_from_memory_copy") }
    pointer.pointee.Type = interpretation.vips
    self.init(adopting: pointer)
  }

  /// All samples, interleaved, row by row, of an 8-bit picture.
  public func pixels() throws(VipsError) -> [UInt8] { try samples(as: UInt8.self, .uchar) }

  /// All samples, interleaved, row by row, of a 16-bit picture.
  public func pixels16() throws(VipsError) -> [UInt16] { try samples(as: UInt16.self, .ushort) }

  private func samples<Sample>(
    as type: Sample.Type,
    _ wanted: PixelFormat
  ) throws(VipsError) -> [Sample] {
    guard format == wanted else {
      throw VipsError(operation: "pixels", text: "the picture has \(format) samples")
    }
    var length = 0
    guard let memory = vips_image_write_to_memory(pointer, &length) else {
      throw VipsError.taken(by: "vips_image_write_to_memory")
    }
    defer { g_free(memory) }
    return Array(
      UnsafeBufferPointer(
        start: memory.assumingMemoryBound(to: type),
        count: length / MemoryLayout<Sample>.stride
      )
    )
  }

  /// The picture with its pixels computed and held in memory.
  public func inMemory() throws(VipsError) -> Image {
    guard let copy = vips_image_copy_memory(pointer) else {
      throw VipsError.taken(by: "vips_image_copy_memory")
    }
    return Image(adopting: copy)
  }

  /// The picture with its pixels computed and held in a temporary file, in the folder that `TMPDIR`
  /// names, for as long as somebody has the picture.
  public func onDisk() throws(VipsError) -> Image {
    guard let file = vips_image_new_temp_file("%s.v") else {
      throw VipsError.taken(by: "vips_image_new_temp_file")
    }
    let image = Image(adopting: file)
    guard vips_image_write(pointer, file) == 0 else {
      throw VipsError.taken(by: "vips_image_write")
    }
    return image
  }

  /// Computes the pixels into a picture in memory of the same shape, in the calling thread alone: for
  /// small pictures, to which threads cost more than they are worth.
  ///
  /// `memory` is one that nobody else reads now.
  public func pull(into memory: Image) throws(VipsError) {
    precondition(
      width == memory.width && height == memory.height && bands == memory.bands
        && format == memory.format && memory.isInMemory,
      "a picture in memory of the same shape"
    )
    guard cvips_pull(pointer, memory.pointer) == 0 else {
      throw VipsError.taken(by: "vips_region_prepare_to")
    }
  }

  /// Overwrites the pixels with those of another picture of the same shape, both in memory.
  public func takePixels(of other: Image) {
    precondition(
      width == other.width && height == other.height && bands == other.bands
        && format == other.format,
      "a picture of the same shape"
    )
    guard let own = pointer.pointee.data, let pixels = other.pointer.pointee.data else {
      preconditionFailure("pictures in memory")
    }
    own.update(from: pixels, count: byteCount)
  }

  /// Hands out all samples of a picture in memory, row by row.
  public func withPixels<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard let own = pointer.pointee.data else { preconditionFailure("a picture in memory") }
    return body(UnsafeRawBufferPointer(start: own, count: byteCount))
  }

  /// A picture in memory with this one's metadata and kind of pixels, which are to be filled in.
  public func blank(width: Int, height: Int) throws(VipsError) -> Image {
    guard let memory = cvips_memory_like(pointer, Int32(width), Int32(height)) else {
      throw VipsError.taken(by: "vips_image_write_prepare")
    }
    return Image(adopting: memory)
  }

  /// The pixels are in memory already.
  public var isInMemory: Bool { pointer.pointee.data != nil }

  /// The same, filled by somebody who may turn out not to know the pixels: then nil.
  ///
  /// `fill`: is handed all of them, row by row, of 8 bit each; true where it has filled them.
  public func filled(
    width: Int,
    height: Int,
    by fill: (UnsafeMutableRawBufferPointer) -> Bool
  ) throws(VipsError) -> Image? {
    let image = try blank(width: width, height: height)
    let pixels = UnsafeMutableRawBufferPointer(
      start: image.pointer.pointee.data,
      count: image.byteCount
    )
    return fill(pixels) ? image : nil
  }

  /// How much memory all pixels take.
  public var byteCount: Int {
    width * height * bands * Int(vips_format_sizeof(pointer.pointee.BandFmt))
  }

  /// The pixels are packed: Radiance's colors with a common exponent, or Lab in four bytes.
  public var isCoded: Bool { pointer.pointee.Coding != VIPS_CODING_NONE }

  /// The picture with its pixels unpacked.
  public func uncoded() throws(VipsError) -> Image {
    guard isCoded else { return self }
    var decoded: UnsafeMutablePointer<VipsImage>?
    guard vips_image_decode(pointer, &decoded) == 0, let decoded else {
      throw VipsError.taken(by: "vips_image_decode")
    }
    return Image(adopting: decoded)
  }

  /// Where this picture was cut out of another by `extract_area`, `smartcrop` or `crop`.
  public var cutLeft: Int { -Int(pointer.pointee.Xoffset) }
  public var cutTop: Int { -Int(pointer.pointee.Yoffset) }

  /// Stops the pipeline as soon as it can, from any thread; the pixels then fail.
  public func kill() { vips_image_set_kill(pointer, 1) }
}
