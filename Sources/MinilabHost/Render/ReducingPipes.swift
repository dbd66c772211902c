import MinilabKit
import Vips

/// Reductions of small pictures, kept for the next picture of the same shape.
///
/// To make libvips' operations and the machine code of their kernels takes as long as the rest of the
/// work on a small picture. So they are made once, and each picture is put where the last one was: the
/// operations read memory that has changed, and have no memory of their own. All is computed by the calling
/// thread, the rows of a decoder among it.
final class ReducingPipes {
  /// The last one used is the last.
  private var pipes: [(key: Key, pipe: ReducingPipe)] = []

  private struct Key: Equatable {
    let reduction: Reduction
    let width: Int
    let height: Int
    let bands: Int
  }

  /// As many as cameras and shops have shapes, upright and on their side.
  private static let mostPipes = 16
  /// Of the pixels of all of them, in bytes.
  private static let mostHeld = 24 << 20

  /// The reduced pixels in memory, with the metadata of the picture; nil where it is not of a kind for
  /// which this is worth its memory.
  ///
  /// `image`: in memory, or to be read from top to bottom, a few rows at a time.
  func reduced(_ image: Image, by reduction: Reduction) throws -> Image? {
    guard image.isSmall, image.format == .uchar, !image.hasAlpha, !reduction.isExact
    else { return nil }
    let key = Key(
      reduction: reduction,
      width: image.width,
      height: image.height,
      bands: image.bands
    )
    let pipe: ReducingPipe
    if let place = pipes.firstIndex(where: { $0.key == key }) {
      pipe = pipes.remove(at: place).pipe
    } else {
      pipe = try ReducingPipe(reduction, like: image)
    }
    pipes.append((key, pipe))
    makeRoom()
    return try pipe.reduced(image)
  }

  private func makeRoom() {
    var held = pipes.reduce(0) { $0 + $1.pipe.byteCount }
    while pipes.count > Self.mostPipes || (held > Self.mostHeld && pipes.count > 1) {
      held -= pipes.removeFirst().pipe.byteCount
    }
  }
}

/// A chain of operations between pictures in memory, whose pixels change.
private final class ReducingPipe {
  private let input: Image
  /// Each is computed from the one before it, into memory.
  private let stages: [(from: Image, memory: Image)]
  private let end: Image

  init(_ reduction: Reduction, like image: Image) throws {
    input = try image.blank(width: image.width, height: image.height)
    var stages: [(from: Image, memory: Image)] = []
    func stage(_ image: Image) throws -> Image {
      let memory = try image.blank(width: image.width, height: image.height)
      stages.append((image, memory))
      return memory
    }
    // Each kernel's rows are made from its first one on, as libvips does, and cut when they are there.
    let columns = try stage(reduction.columns(of: input))
    let reduced: Image
    if reduction.isTransposed(columns) {
      let rows = try stage(reduction.rows(of: columns))
      reduced = try reduction.cut(reduction.upright(rows))
    } else {
      reduced = try reduction.cut(
        columns.reduced(horizontally: reduction.horizontal.factor)
      )
    }
    end = try reduced.turned(reduction.orientation, inMemory: true)
    self.stages = stages
  }

  var byteCount: Int { stages.reduce(input.byteCount) { $0 + $1.memory.byteCount } }

  func reduced(_ image: Image) throws -> Image {
    if image.isInMemory { input.takePixels(of: image) } else { try image.pull(into: input) }
    for stage in stages { try stage.from.pull(into: stage.memory) }
    let result = try image.blank(width: end.width, height: end.height)
    try end.pull(into: result)
    return result
  }
}
