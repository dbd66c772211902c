internal import CVips
internal import CVipsShim

/// Reads the rows of a picture in the order in which whoever holds it asks for them: a way to read
/// several pictures at once, each once from top to bottom, whatever the number of threads.
public struct RowReader: Sendable {
  private let image: Image

  public init(_ image: Image) {
    self.image = image
  }

  /// Hands over consecutive rows: the first byte of each, in their order.
  ///
  /// The pointers are good until `body` returns.
  ///
  /// - Throws: `VipsError` where the pixels cannot be made, and what `body` throws.
  public func rows<Result>(
    from top: Int,
    count: Int,
    _ body: ((Int) -> UnsafeRawPointer) throws -> Result
  ) throws -> Result {
    // A region belongs to the thread that makes it, and the next rows may be another thread's.
    guard let region = vips_region_new(image.pointer) else {
      throw VipsError.taken(by: "vips_region_new")
    }
    defer { cvips_unref(region) }
    var area = VipsRect(
      left: 0,
      top: Int32(top),
      width: Int32(image.width),
      height: Int32(count)
    )
    guard vips_region_prepare(region, &area) == 0 else {
      throw VipsError.taken(by: "vips_region_prepare")
    }
    // Where the samples are: the region may hold more than was asked for.
    let held = region.pointee
    let pixelSize = image.bands * image.format.size
    let first =
      UnsafeRawPointer(held.data) + (top - Int(held.valid.top)) * Int(held.bpl)
      - Int(held.valid.left) * pixelSize
    return try body { first + $0 * Int(held.bpl) }
  }
}

extension PixelFormat {
  /// Bytes of a sample of whole numbers.
  fileprivate var size: Int { self == .ushort ? 2 : 1 }
}
