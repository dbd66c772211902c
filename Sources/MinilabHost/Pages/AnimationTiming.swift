import MinilabKit
import Vips

/// How long each frame of an animation is shown, and how often all of them.
struct AnimationTiming: Equatable {
  /// In milliseconds, one for each frame.
  var delays: [Int]
  /// How often all frames are shown; 0: for ever.
  var plays: Int

  /// What pages without a time are shown for, in milliseconds: the pace that libvips gives them.
  static let usualDelay = 100

  /// `image`: of the file, as libvips has opened it; `count`: its frames.
  init(of image: Image, count: Int) {
    let known = image.ints("delay") ?? []
    delays = (0..<count).map { $0 < known.count ? max(0, known[$0]) : Self.usualDelay }
    plays = max(0, image.int("loop") ?? 0)
  }

  /// The nearest that a format can hold.
  ///
  /// GIF counts hundredths of a second: where they must be rounded, the sum of all delays is, so that a
  /// film neither gains nor loses time.
  func held(by format: PictureFormat) -> AnimationTiming {
    var timing = self
    if format == .gif {
      var (total, told) = (0, 0)
      timing.delays = delays.map { delay in
        total += delay
        let hundredths = min(max(0, (total + 5) / 10 - told), 65_535)
        told += hundredths
        return hundredths * 10
      }
      // What is stored is how often it begins again.
      timing.plays = min(plays, 65_536)
    } else {
      timing.delays = delays.map { min($0, 1 << 24 - 1) }
      timing.plays = min(plays, 65_535)
    }
    return timing
  }
}
