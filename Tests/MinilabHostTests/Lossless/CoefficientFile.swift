import CoefficientFiles
import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

/// A JPEG made of coefficients that show nothing.
struct CoefficientFile: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private var spec = CoefficientSpec()

  /// `sampling`: factors across and down of each component.
  private init(
    _ name: String,
    _ colors: CoefficientColors,
    _ sampling: [(across: UInt8, down: UInt8)],
    progressive: Bool = false,
    arithmetic: Bool = false,
    restart: UInt32 = 0
  ) {
    testDescription = name
    spec.colors = colors
    withUnsafeMutableBytes(of: &spec.across) {
      for (at, part) in sampling.enumerated() { $0[at] = part.across }
    }
    withUnsafeMutableBytes(of: &spec.down) {
      for (at, part) in sampling.enumerated() { $0[at] = part.down }
    }
    spec.is_progressive = progressive
    spec.is_arithmetic = arithmetic
    spec.restart_interval = restart
    unit = Size(
      width: sampling.count == 1 ? 8 : 8 * Int(sampling.map(\.across).max() ?? 1),
      height: sampling.count == 1 ? 8 : 8 * Int(sampling.map(\.down).max() ?? 1)
    )
  }

  /// An MCU, in pixels.
  let unit: Size

  var isCMYK: Bool { spec.colors == COEFFICIENT_CMYK || spec.colors == COEFFICIENT_YCCK }
  var isProgressive: Bool { spec.is_progressive }

  static let fine: [(across: UInt8, down: UInt8)] = [(1, 1), (1, 1), (1, 1)]
  static let coarse: [(across: UInt8, down: UInt8)] = [(2, 2), (1, 1), (1, 1)]

  static let kinds: [CoefficientFile] = [
    CoefficientFile("4:4:4", COEFFICIENT_YCC, fine),
    CoefficientFile("4:2:0", COEFFICIENT_YCC, coarse),
    CoefficientFile("4:2:2", COEFFICIENT_YCC, [(2, 1), (1, 1), (1, 1)]),
    CoefficientFile("4:4:0", COEFFICIENT_YCC, [(1, 2), (1, 1), (1, 1)]),
    CoefficientFile("4:1:1", COEFFICIENT_YCC, [(4, 1), (1, 1), (1, 1)]),
    CoefficientFile("4:1:0", COEFFICIENT_YCC, [(4, 2), (1, 1), (1, 1)]),
    CoefficientFile("4:4:4 by large factors", COEFFICIENT_YCC, [(1, 2), (1, 2), (1, 2)]),
    CoefficientFile("each its own", COEFFICIENT_YCC, [(2, 2), (2, 1), (1, 2)]),
    CoefficientFile("gray", COEFFICIENT_GRAY, [(1, 1)]),
    CoefficientFile("gray by large factors", COEFFICIENT_GRAY, [(2, 2)]),
    CoefficientFile("RGB", COEFFICIENT_RGB, fine),
    CoefficientFile("CMYK", COEFFICIENT_CMYK, fine + [(1, 1)]),
    CoefficientFile("YCCK", COEFFICIENT_YCCK, coarse + [(2, 2)]),
    CoefficientFile("progressive 4:2:0", COEFFICIENT_YCC, coarse, progressive: true),
    CoefficientFile("progressive gray", COEFFICIENT_GRAY, [(1, 1)], progressive: true),
    CoefficientFile("arithmetic", COEFFICIENT_YCC, coarse, arithmetic: true),
    CoefficientFile("with restarts", COEFFICIENT_YCC, coarse, restart: 3),
  ]

  /// The kind that most cameras write.
  static let camera = CoefficientFile("4:2:0", COEFFICIENT_YCC, coarse)

  /// `tag`: its orientation.
  func bytes(_ width: Int, _ height: Int, seed: Int = 1, tag: Int? = nil) throws -> [UInt8] {
    var spec = spec
    spec.width = UInt32(width)
    spec.height = UInt32(height)
    spec.seed = UInt32(seed)
    var length = 0
    let written = try #require(coefficient_write(&spec, &length), "\(testDescription)")
    defer { free(written) }
    let bytes = Array(UnsafeBufferPointer(start: written, count: length))
    return tag.map { inserting(0xe1, exifBlock(orientation: $0), into: bytes) } ?? bytes
  }
}

/// What a JPEG says of its components, and all of their coefficients.
///
/// - Throws: where libjpeg would warn of it.
func coefficients(_ bytes: [UInt8]) throws -> [Int32] {
  var count = 0
  let read = try #require(coefficient_read(bytes, bytes.count, &count))
  defer { free(read) }
  return Array(UnsafeBufferPointer(start: read, count: count))
}

/// The reference.
enum JPEGTran {
  static let path = Path("/usr/bin/jpegtran")

  /// The words with which it turns a picture as a tag wants it.
  static func turn(_ tag: Int) -> [String] {
    let words: [[String]] = [
      [], ["-flip", "horizontal"], ["-rotate", "180"], ["-flip", "vertical"], ["-transpose"],
      ["-rotate", "90"], ["-transverse"], ["-rotate", "270"],
    ]
    return words[tag - 1]
  }

  /// Nil where it refuses.
  static func run(_ words: [String], _ bytes: [UInt8], copying: String = "none") throws -> [UInt8]?
  {
    let folder = try ScratchFolder()
    let input = try folder.write(bytes, to: "in.jpg")
    let all = ["-copy", copying, "-optimize"] + words
    let result = try Program(path).run(all.map { Path($0) } + [input])
    return result.status == 0 ? result.output : nil
  }

  static func crop(_ rectangle: PixelRectangle) -> [String] {
    ["-crop", "\(rectangle.width)x\(rectangle.height)+\(rectangle.x)+\(rectangle.y)"]
  }
}

extension Trait where Self == ConditionTrait {
  /// jpegtran judges.
  static var jpegtran: Self {
    .enabled(if: JPEGTran.path.isReadableFile, "jpegtran is not installed")
  }
}
