import CJpeg
import Glibc
import MinilabKit

/// Moves the coded blocks of a JPEG into another file: Swift's side of `CJpeg`.
struct BlockMove {
  enum Outcome {
    case whole
    /// Something beside the picture was odd.
    case warned
    /// Something was filled in for what could not be read.
    case filledIn
    /// There is nothing to be read, or the decoder has given up.
    case unreadable
    /// No damage, but such blocks cannot be moved so.
    case impossible
  }

  private var move: CJpegMove

  /// `size`: of the picture as it is stored.
  init(_ move: PixelMove, of size: Size) {
    self.move = CJpegMove(
      stored_width: UInt32(size.width),
      stored_height: UInt32(size.height),
      x: UInt32(move.rectangle.x),
      y: UInt32(move.rectangle.y),
      width: UInt32(move.rectangle.width),
      height: UInt32(move.rectangle.height),
      mirrors_x: move.mirrorsX,
      mirrors_y: move.mirrorsY,
      swaps: move.orientation.swapsSides
    )
  }

  /// Reads one file from its start, and writes the other one where it is empty.
  ///
  /// `head`: the segments that the new file has before its tables.
  ///
  /// - Throws: `SystemError`, also where there is not enough memory.
  func run(from input: Int32, to output: Int32, head: [UInt8]) throws(SystemError) -> Outcome {
    let ends = Ends(input: input, output: output)
    let length = try System.status(of: input).st_size
    let outcome = head.withUnsafeBufferPointer { head in
      var files = CJpegFiles(
        context: Unmanaged.passUnretained(ends).toOpaque(),
        read: { Ends.of($0).read(into: $1, count: $2) },
        write: { Ends.of($0).write($1, count: $2) },
        length: UInt64(max(0, length)),
        segments: head.baseAddress,
        segments_length: head.count
      )
      var move = move
      // Nothing else holds it while C does.
      return withExtendedLifetime(ends) { cjpeg_move(&move, &files) }
    }
    if let error = ends.error { throw error }
    switch outcome {
    case CJPEG_MOVED: return .whole
    case CJPEG_MOVED_WARNED: return .warned
    case CJPEG_MOVED_DAMAGED: return .filledIn
    case CJPEG_NOT_READ: return .unreadable
    case CJPEG_NO_MEMORY: throw SystemError(call: .read, number: ENOMEM)
    default: return .impossible
    }
  }
}

/// The two files, and the first call that has failed: no error crosses C.
private final class Ends {
  private let input: Int32
  private let output: FileBytes
  private var readCount = 0
  private var writtenCount = 0
  private(set) var error: SystemError?

  init(input: Int32, output: Int32) {
    self.input = input
    self.output = FileBytes(descriptor: output)
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> Ends {
    guard let context else { preconditionFailure("given with the callbacks") }
    return Unmanaged<Ends>.fromOpaque(context).takeUnretainedValue()
  }

  func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
    do throws(SystemError) {
      let got = try System.attempt(.read) {
        pread(input, buffer, min($0, count), off_t(readCount))
      }
      readCount += got
      return got
    } catch {
      self.error = self.error ?? error
      return 0
    }
  }

  func write(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    do throws(SystemError) {
      try output.write(Array(UnsafeBufferPointer(start: bytes, count: count)), at: writtenCount)
      writtenCount += count
      return true
    } catch {
      self.error = self.error ?? error
      return false
    }
  }
}
