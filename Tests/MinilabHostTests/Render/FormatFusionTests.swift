import Glibc
import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Profiles at random on files of all kinds: their pixels against the composed map, evaluated once on the
/// full decode.
@Suite("Fused steps on files give the composed map's pixels", .vips)
struct FormatFusionTests {
  private struct Kind {
    let format: PictureFormat
    var arguments: [Argument] = []
    /// The decoder makes smaller pictures itself, or the file holds some.
    var reduces = false
  }

  private static let kinds = [
    Kind(format: .jpeg, arguments: [.init("Q", .int(95))], reduces: true),
    Kind(
      format: .jpeg,
      arguments: [
        .init("Q", .int(90)), .init("interlace", .bool(true)),
        .init("subsample-mode", .enumeration("on")),
      ],
      reduces: true
    ),
    Kind(format: .webp, arguments: [.init("Q", .int(95))], reduces: true),
    Kind(format: .png), Kind(format: .png, arguments: [.init("interlace", .bool(true))]),
    Kind(format: .tiff), Kind(format: .gif),
    Kind(
      format: .tiff,
      arguments: [
        .init("pyramid", .bool(true)), .init("tile", .bool(true)), .init("tile-width", .int(16)),
        .init("tile-height", .int(16)),
      ],
      reduces: true
    ),
    Kind(format: .svg, reduces: true), Kind(format: .pdf, reduces: true),
  ]

  /// Gathered over all groups: the median is of all of them.
  private struct Outcome {
    var similarities: [Double] = []
    var compared = 0
  }

  @Test("500 profiles and pictures, odd sizes and sides of one pixel among them")
  func pixels() throws {
    let folder = try ScratchFolder()
    var outcome = Outcome()
    for seed in 0..<500 { try compare(seed, folder, &outcome) }
    #expect(outcome.compared > 350)
    let sorted = outcome.similarities.sorted()
    #expect(sorted.count > 30)
    #expect((sorted.first ?? 0) >= 0.95)
    #expect(sorted[sorted.count / 2] >= 0.985)
  }

  /// Squares and bars of colors that are alike: x and y of the left upper corner, width, height, in tenths.
  private static let boxes = [
    (0, 0, 10, 10, (150, 160, 170)), (1, 1, 4, 3, (180, 150, 140)), (3, 6, 6, 3, (130, 170, 150)),
    (7, 0, 2, 8, (160, 140, 180)), (0, 8, 10, 1, (140, 130, 160)),
  ]

  private static func svg(_ width: Int, _ height: Int) -> String {
    let shapes = boxes.map { x, y, w, h, color in
      """
      <rect x="\(x)" y="\(y)" width="\(w)" height="\(h)" fill="rgb(\(color.0),\(color.1),\(color.2))"/>
      """
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 10 10" \
      preserveAspectRatio="none">\(shapes.joined())</svg>
      """
  }

  /// A point is a pixel.
  private static func pdf(_ width: Int, _ height: Int) -> String {
    let shapes = boxes.map { x, y, w, h, color in
      func share(_ level: Int) -> Double { Double(level) / 255 }
      return
        "\(share(color.0)) \(share(color.1)) \(share(color.2)) rg \(x) \(10 - y - h) \(w) \(h) re f"
    }
    let scale = "\(Double(width) / 10) 0 0 \(Double(height) / 10) 0 0 cm"
    let content = ([scale] + shapes).joined(separator: "\n")
    return """
      %PDF-1.4
      1 0 obj
      << /Type /Catalog /Pages 2 0 R >>
      endobj
      2 0 obj
      << /Type /Pages /Kids [3 0 R] /Count 1 >>
      endobj
      3 0 obj
      << /Type /Page /Parent 2 0 R /MediaBox [0 0 \(width) \(height)] /Contents 4 0 R >>
      endobj
      4 0 obj
      << /Length \(content.utf8.count) >>
      stream
      \(content)
      endstream
      endobj
      trailer
      << /Root 1 0 R >>
      %%EOF
      """
  }

  private func compare(_ seed: Int, _ folder: ScratchFolder, _ outcome: inout Outcome) throws {
    var dice = Dice(UInt32(31_000 + seed))
    let kind = dice.pick(Self.kinds)
    func side() -> Int { dice.next(0...9) == 0 ? 1 : dice.next(2...160) }
    let (width, height) = (side(), side())
    let picture = NaivePicture.synthetic(width, height, detail: 24)
    let orientation = dice.next(1...8)
    let bytes =
      switch kind.format {
      case .svg: Array(Self.svg(width, height).utf8)
      case .pdf: Array(Self.pdf(width, height).utf8)
      default: try picture.encoded(kind.format, orientation: orientation, kind.arguments)
      }
    let path = try folder.write(bytes, to: "in/\(seed)")
    let steps = FusionTests.steps(&dice, aligned: true)
    let opened = try OpenedPicture(path, format: kind.format, policy: InputPolicy())
    let pictures = UnitPictures([opened], policy: InputPolicy(), pipes: ReducingPipes())
    let told = "\(seed): \(kind.format) \(picture.size) \(opened.origin.orientation)\n\(steps)"
    let frame: Frame
    do {
      let runner = StepRunner(source: .headers(pictures))
      guard let made = try runner.run(FusionTests.decoded(steps), on: Frame(opened.origin)) else {
        return
      }
      frame = made
    } catch is ItemError {
      return
    }
    guard frame.stages.count == 1, case .geometry(let geometry)? = frame.stages.first else {
      Issue.record("geometry was not fused: \(told)")
      return
    }
    let made = try NaivePicture(pictures.image(of: frame))
    #expect(made.size == frame.size, "\(told)")
    let again = try OpenedPicture(path, format: kind.format, policy: InputPolicy())
    let full = try NaivePicture(again.pixels(reduction: 1).image)
    guard made.bands == full.bands else {
      Issue.record("\(made.bands) and \(full.bands) bands: \(told)")
      return
    }
    func wanted(_ x: Double, _ y: Double) -> NaivePicture {
      let map = AffineMap.translation(x: x, y: y).then(geometry.map)
      return NaiveResampler.aligned(full, map, geometry.size).clipped()
    }
    let exact = wanted(0, 0)
    let difference = made.meanDifference(from: exact)
    let isLarge = min(width, height, made.width, made.height) >= 32
    outcome.compared += 1
    if kind.reduces {
      if isLarge {
        let similarity = made.similarity(to: exact)
        #expect(similarity >= 0.95, "\(told)")
        outcome.similarities.append(similarity)
      }
    } else {
      #expect(difference < 1, "\(told)")
    }
    // Half a pixel to any side is further off.
    guard isLarge else { return }
    for (x, y) in [(0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5)] as [(Double, Double)] {
      #expect(made.meanDifference(from: wanted(x, y)) > difference, "\(told)")
    }
  }
}

extension NaivePicture {
  /// Structural similarity of the luma (Wang and others 2004, equation 13) in windows of 8 × 8 pixels, each
  /// pixel counting alike.
  func similarity(to other: NaivePicture) -> Double {
    func luma(_ picture: NaivePicture) -> [Double] {
      (0..<(width * height)).map { index in
        let first = index * bands
        guard bands >= 3 else { return picture.samples[first] }
        return 0.299 * picture.samples[first] + 0.587 * picture.samples[first + 1] + 0.114
          * picture.samples[first + 2]
      }
    }
    let (own, others) = (luma(self), luma(other))
    var sum = 0.0
    var count = 0.0
    for top in stride(from: 0, through: height - 8, by: 4) {
      for left in stride(from: 0, through: width - 8, by: 4) {
        var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for y in top..<(top + 8) {
          for x in left..<(left + 8) {
            let (p, q) = (own[y * width + x], others[y * width + x])
            (a, b, aa, bb, ab) = (a + p, b + q, aa + p * p, bb + q * q, ab + p * q)
          }
        }
        let (ma, mb) = (a / 64, b / 64)
        let (va, vb, cov) = (aa / 64 - ma * ma, bb / 64 - mb * mb, ab / 64 - ma * mb)
        sum +=
          (2 * ma * mb + 6.5025) * (2 * cov + 58.5225)
          / ((ma * ma + mb * mb + 6.5025) * (va + vb + 58.5225))
        count += 1
      }
    }
    return count == 0 ? 1 : sum / count
  }
}
