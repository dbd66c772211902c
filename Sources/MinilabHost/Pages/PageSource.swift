import MinilabKit
import Vips

/// The pages of one file, read one after the other: the frames of an animation, or pages of unlike
/// sizes.
///
/// Frames build on each other, so an animation is decoded from its beginning, once, and only the frame
/// that was asked for last is held. Asking for an earlier one begins anew.
final class PageSource {
  /// The file as it was opened: its first page.
  let first: OpenedPicture
  private var strip: Strip?

  /// Frames that libvips hands over as one picture.
  private struct Strip {
    let image: Image
    /// The number of its first frame.
    let start: Int
    let count: Int
    /// The frame that was read last.
    var held: (index: Int, image: Image)?
  }

  /// libvips' own bound of a side (`VIPS_MAX_COORD`), in rows.
  private static let mostRows = 10_000_000

  init(_ first: OpenedPicture) {
    self.first = first
  }

  var count: Int { first.origin.pages }

  /// What the header tells of a page; its pixels are read when they are asked for.
  func page(_ index: Int) throws -> OpenedPicture {
    guard first.isAnimation else { return try first.page(index) }
    let kind = try strip ?? opened(at: index)
    if strip == nil { strip = kind }
    return first.frame(like: kind.image) { [self] in try frame(index) }
  }

  /// Of an animation.
  var timing: AnimationTiming { AnimationTiming(of: first.headerImage, count: count) }

  /// Lets go of all that was read.
  func close() { strip = nil }

  /// - Throws: `ItemError` where all pages together are more than the profile allows.
  func checkTotal(_ policy: InputPolicy) throws {
    var total = 0.0
    if first.isAnimation {
      total = Double(first.size.width) * Double(first.size.height) * Double(count)
    } else {
      var areas: [Int] = []
      for index in 0..<count {
        areas.append(try first.page(index).size.pixelCount)
        total += Double(areas[index])
        if total > Double(policy.maxTotalPixels) { break }
      }
      first.pageAreas = areas
    }
    if total <= Double(policy.maxTotalPixels) { return }
    throw ItemError(
      .tooManyPixels,
      expected: """
        at most \(counted(policy.maxTotalPixels, "pixel")) in all pages \
        \(LimitNames.shown("max-total-pixels"))
        """,
      received: first.isAnimation ? "\(count) frames of \(first.size)" : "more in \(count) pages"
    )
  }

  // MARK: Animations

  private func opened(at index: Int) throws -> Strip {
    let most = max(1, Self.mostRows / first.size.height)
    let start = index / most * most
    let length = min(most, count - start)
    return Strip(
      image: try first.reader.strip(from: start, count: length),
      start: start,
      count: length,
      held: nil
    )
  }

  private func frame(_ index: Int) throws -> Image {
    if let held = strip?.held, held.index == index { return held.image }
    // A strip is read once: what lies above the last frame is gone.
    let isThere = strip.map {
      ($0.start..<($0.start + $0.count)).contains(index) && index > $0.held?.index ?? -1
    }
    if isThere != true { strip = nil }
    var current = try strip ?? opened(at: index)
    strip = current
    let image = try current.image.extractArea(
      left: 0,
      top: (index - current.start) * first.size.height,
      width: first.size.width,
      height: first.size.height
    )
    .inMemory()
    // Nothing later may take one frame for all of them.
    let frame = try image.copy()
    for name in ["page-height", "n-pages", "delay", "loop", "gif-delay", "gif-loop"] {
      frame.remove(name)
    }
    current.held = (index, frame)
    strip = current
    return frame
  }
}
