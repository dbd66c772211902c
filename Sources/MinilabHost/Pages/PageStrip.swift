import Glibc
import MinilabKit
import Vips

/// All pages of an output below each other, as libvips' savers of animations take them.
///
/// Frames are made as the saver comes to them, and only those it may still ask for are held.
///
/// Sendable because everything that changes is read and written under the mutex only.
final class PageStrip: @unchecked Sendable {
  /// Of one frame.
  let size: Size
  let count: Int
  private let pages: PageMaker
  /// What every frame is like.
  private let first: Image
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Rows of frames that were made last, by number.
  private var held: [Int: [UInt8]] = [:]
  private var failed: (any Error)?
  private var softens = false

  /// libvips' own bound of a side (`VIPS_MAX_COORD`), in rows.
  private static let mostRows = 10_000_000
  /// Rows that several threads of a saver may be at once.
  private static let heldRows = 4096

  /// How many frames are held of those that were made last.
  ///
  /// `height`: of one.
  static func heldFrames(_ height: Int) -> Int { max(1, heldRows / height) + 1 }

  /// Makes the first frame, which tells what the others are like.
  ///
  /// - Throws: `ItemError` where there are more rows than fit.
  init(_ pages: PageMaker) throws {
    guard let first = try pages.pixels(of: 0)?.image else {
      preconditionFailure("an output whose first frame is left out is not made")
    }
    self.pages = pages
    count = pages.count
    size = Size(width: first.width, height: first.height)
    self.first = try pages.isAnimation ? first : first.asPlainFrame()
    pthread_mutex_init(mutex, nil)
    if size.height * count > Self.mostRows {
      throw ItemError(
        .formatLimit,
        expected: "an animation of at most \(Self.mostRows) rows in all its frames",
        received: "\(count) frames of \(size)"
      )
    }
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// What has kept a frame from being made: its rows and all below are black.
  ///
  /// To be asked when the picture has been read: a saver that is told of a failure keeps the pipeline
  /// for ever.
  var failure: (any Error)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return failed
  }

  /// A frame that has been read is half transparent somewhere.
  var hasHalfAlpha: Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return softens
  }

  /// The strip with all that a saver must know of its frames.
  ///
  /// `delay`: of each frame, in milliseconds.
  func image(delays: [Int], plays: Int) throws -> Image {
    let generated = try Image.generated(
      width: size.width,
      height: size.height * count,
      bands: first.bands,
      format: first.format
    ) { [self] area in fill(area) }
    let strip = try generated.copy([
      .init("xres", .double(first.resolution.x)), .init("yres", .double(first.resolution.y)),
    ])
    // The first frame speaks for all.
    if let profile = first.blob("icc-profile-data") { strip.set("icc-profile-data", blob: profile) }
    if let orientation = first.int("orientation") { strip.set("orientation", int: orientation) }
    strip.set("page-height", int: size.height)
    strip.set("n-pages", int: count)
    strip.set("delay", ints: delays)
    strip.set("loop", int: plays)
    return strip
  }

  private func fill(_ area: Image.Area) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let pixelSize = first.bands * (first.format == .ushort ? 2 : 1)
    let rowSize = size.width * pixelSize
    for row in 0..<area.height {
      let target = area.row(row)
      let (index, inside) = (area.top + row).quotientAndRemainder(dividingBy: size.height)
      guard let rows = rows(of: index) else {
        target.initializeMemory(as: UInt8.self, repeating: 0)
        continue
      }
      let start = inside * rowSize + area.left * pixelSize
      rows.withUnsafeBytes {
        target.copyMemory(from: .init(rebasing: $0[start..<(start + target.count)]))
      }
    }
  }

  /// Nil where the frame, or one before it, could not be made.
  private func rows(of index: Int) -> [UInt8]? {
    if let rows = held[index] { return rows }
    if failed != nil { return nil }
    do {
      // In their order, for whoever asks for an earlier one next.
      let last = held.keys.max() ?? -1
      for next in (last < index ? last + 1 : index)...index {
        held[next] = try made(next)
        held = held.filter { $0.key > next - Self.heldFrames(size.height) }
      }
    } catch {
      failed = error
      held = [:]
      pages.close()
    }
    return held[index]
  }

  private func made(_ index: Int) throws -> [UInt8] {
    guard var image = index == 0 ? first : try pages.pixels(of: index)?.image else {
      throw unlike("one that a step has left out")
    }
    if !pages.isAnimation, index > 0 { image = try image.asPlainFrame() }
    guard image.width == size.width, image.height == size.height else {
      let own = Size(width: image.width, height: image.height)
      throw unlike("page \(index + 1) of \(own), and the first of \(size)")
    }
    guard image.bands == first.bands, image.format == first.format else {
      throw unlike("page \(index + 1) with other channels than the first")
    }
    let bytes = try image.bytes()
    if image.hasAlpha, image.format == .uchar, !softens {
      softens = stride(from: image.bands - 1, to: bytes.count, by: image.bands)
        .contains { (1..<255).contains(bytes[$0]) }
    }
    return bytes
  }

  private func unlike(_ received: String) -> ItemError { .unlikePages(received) }
}

extension ItemError {
  /// An animation was to be made of pages that are no frames of one.
  static func unlikePages(_ received: String) -> ItemError {
    ItemError(
      .formatLimit,
      expected: "an animation whose frames are of one size and kind",
      received: received
    )
  }
}

extension Image {
  /// Pages that are no film may differ in kind: all become sRGB with transparency, 8 bit.
  fileprivate func asPlainFrame() throws -> Image {
    // PNG holds whatever the conversion gives.
    var image = try OutputColor(OutputSettings(), .png).convert(self).image.copy()
    image.remove("icc-profile-data")
    if image.isGray || image.format != .uchar { image = try image.colourspace(.srgb) }
    return try image.addingAlpha(!image.hasAlpha).inMemory()
  }

  fileprivate func bytes() throws -> [UInt8] {
    format == .uchar
      ? try pixels() : try pixels16().withUnsafeBytes { Array($0) }
  }
}
