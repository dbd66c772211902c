internal import CVips
internal import CVipsShim
import Synchronization

extension Image {
  /// A part of a picture that is to be filled with samples, row by row.
  public struct Area {
    public let left: Int
    public let top: Int
    public let width: Int
    public let height: Int
    private let pixels: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    private let stride: Int
    /// Bytes of a row that belong to the area.
    private let length: Int

    fileprivate init(
      left: Int,
      top: Int,
      width: Int,
      height: Int,
      pixels: UnsafeMutableRawPointer,
      stride: Int,
      pixelSize: Int
    ) {
      self.left = left
      self.top = top
      self.width = width
      self.height = height
      self.pixels = pixels
      self.stride = stride
      length = width * pixelSize
    }

    /// The bytes of a row, counted from the top of the area.
    public func row(_ index: Int) -> UnsafeMutableRawBufferPointer {
      precondition((0..<height).contains(index), "a row of the area")
      return UnsafeMutableRawBufferPointer(start: pixels + index * stride, count: length)
    }
  }

  /// A picture whose pixels are made when they are asked for, and kept nowhere.
  ///
  /// - Parameters:
  ///   - width: In pixels.
  ///   - height: In pixels.
  ///   - bands: Samples of a pixel.
  ///   - format: Samples of 8 or 16 bit.
  ///   - fill: Fills an area; the areas come nearly in the order of their rows, from several threads
  ///     at once. What it throws is the cause of the error that whoever asked for the pixels gets.
  /// - Returns: The picture, of which nothing is made yet.
  /// - Throws: `VipsError` where there is no memory.
  public static func generated(
    width: Int,
    height: Int,
    bands: Int,
    format: PixelFormat,
    fill: @escaping @Sendable (Area) throws -> Void
  ) throws(VipsError) -> Image {
    precondition(format == .uchar || format == .ushort, "samples of 8 or 16 bit")
    let isDeep = format == .ushort
    let generator = Generator(pixelSize: bands * (isDeep ? 2 : 1), fill: fill)
    let pointer = cvips_generated(
      Int32(width),
      Int32(height),
      Int32(bands),
      isDeep ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR,
      Interpretation(isGray: bands < 3, isDeep: isDeep).vips,
      { context, left, top, width, height, pixels, stride in
        Unmanaged<Generator>.fromOpaque(context).takeUnretainedValue()
          .fill(Int(left), Int(top), Int(width), Int(height), pixels, stride)
      },
      { Unmanaged<Generator>.fromOpaque($0).release() },
      Unmanaged.passRetained(generator).toOpaque()
    )
    guard let pointer else { throw VipsError.taken(by: "vips_image_generate") }
    return Image(adopting: pointer)
  }
}

/// What libvips calls back; no Swift error crosses its frames.
private final class Generator: Sendable {
  private let pixelSize: Int
  private let body: @Sendable (Image.Area) throws -> Void

  init(pixelSize: Int, fill: @escaping @Sendable (Image.Area) throws -> Void) {
    self.pixelSize = pixelSize
    body = fill
  }

  func fill(
    _ left: Int,
    _ top: Int,
    _ width: Int,
    _ height: Int,
    _ pixels: UnsafeMutableRawPointer,
    _ stride: Int
  ) -> Bool {
    do {
      try body(
        Image.Area(
          left: left,
          top: top,
          width: width,
          height: height,
          pixels: pixels,
          stride: stride,
          pixelSize: pixelSize
        )
      )
      return true
    } catch {
      FailureCause.keep(error)
      return false
    }
  }
}

/// Why a picture of ours gave no pixels, until the failure comes back from libvips, which only knows
/// that it failed.
enum FailureCause {
  private static let first = Mutex<(any Error)?>(nil)

  /// The first is the cause of the others.
  static func keep(_ error: any Error) {
    let cause = (error as? VipsError)?.cause ?? error
    first.withLock { if $0 == nil { $0 = cause } }
  }

  static func take() -> (any Error)? {
    first.withLock { first in
      defer { first = nil }
      return first
    }
  }
}
