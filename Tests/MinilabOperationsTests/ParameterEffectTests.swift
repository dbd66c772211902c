import MinilabHost
import MinilabKit
import MinilabOperations
import TestSupport
import Testing
import Vips

/// Each parameter does something: an example that names it gives another result without it, or cannot
/// be without it.
///
/// This looks after parameters to come. That a parameter does the right thing is for the operation's
/// own tests to say.
@Suite(.vips) struct ParameterEffectTests {
  /// Parameters that no example on a picture in memory can show, and where they are shown instead.
  private static let shownElsewhere: [String: String] = [
    "compose.caption-color": "TileTests", "compose.caption-font": "TileTests",
    "compose.caption-size": "TileTests", "compose.fit": "TileTests",
    "compose.layout": "TileTests", "compose.require-inside": "PlacementTests",
    "compose.tile": "TileTests",
    "crop.fit": "CropViewTests", "crop.frame-rect": "CropEditorTests",
    "crop.min-zoom": "CropEditorTests", "crop.max-zoom": "CropEditorTests",
    "crop.clamp": "CropTests", "crop.min-size": "CropTests",
    "crop.lossless": "files: LosslessCropTests", "orient.lossless": "files: LosslessTurnTests",
    "shape-mask.file": "a picture beside the profile: MaskPictureTests",
    "shape-mask.center": "ShapeTests", "shape-mask.angle": "ShapeTests",
    "shape-mask.points": "ShapeTests", "shape-mask.spikes": "ShapeTests",
    "shape-mask.dim-opacity": "ShapeMaskTests",
    "thumbnail-preview.sidecar": "a file beside the picture: ReadyPreviewTests",
  ]

  /// What came of a step, as far as a user can see it.
  private enum Result: Equatable {
    case picture(width: Int, height: Int, bands: Int, samples: [UInt16], notes: [Note])
    case skipped
    case failed(ItemError)
    /// The profile is refused.
    case refused
  }

  /// Sources treat no picture: tests of their own show what their parameters do.
  @Test(arguments: [OperationEntry].builtin.filter { !$0.makesItems }.map(\.name))
  func eachParameterIsShownToDoSomething(name: String) throws {
    let entry = try #require([OperationEntry].builtin.first { $0.name == name })
    let pictures = try [Self.picture(600, 400), Self.picture(90, 60)]
    for parameter in entry.parameters where Self.shownElsewhere["\(name).\(parameter.name)"] == nil
    {
      let isShown = try entry.examples.contains { example in
        guard let without = leaving(parameter.name, outOf: example.toml) else { return false }
        return try pictures.contains {
          try result(entry, example.toml, $0) != result(entry, without, $0)
        }
      }
      #expect(
        isShown,
        """
        \(name).\(parameter.name): no example is another one without it. Add an example that needs \
        it, or say in this test where it is shown
        """
      )
    }
  }

  @Test func whatIsShownElsewhereExists() {
    let names = [OperationEntry].builtin.flatMap { entry in
      entry.parameters.map { "\(entry.name).\($0.name)" }
    }
    #expect(Set(Self.shownElsewhere.keys).subtracting(names).isEmpty)
  }

  /// The lines of a step without those of one key; nil where it has none.
  private func leaving(_ key: String, outOf toml: String) -> String? {
    let lines = toml.split(separator: "\n")
    // Tables of their own, such as `[[step.layer]]`, come last.
    let own = lines.prefix { !$0.hasPrefix("[") }
    let tables = lines.dropFirst(own.count)
    let kept = own.filter { !$0.hasPrefix("\(key) = ") }
    let keptTables = tables.contains("[[step.\(key)]]") ? [] : tables
    let rest = kept + keptTables
    return rest.count == lines.count ? nil : rest.joined(separator: "\n")
  }

  private func result(_ entry: OperationEntry, _ toml: String, _ picture: Image) throws -> Result {
    let file = try TOMLReader.read(Array("[[step]]\n\(toml)".utf8), from: Path("example.toml"))
    let node = try #require(file["step"]?.items?.first)
    var problems: [Problem] = []
    guard let operation = entry.decode(node, key: entry.name, ignoring: [], &problems) else {
      return .refused
    }
    do {
      let trial = try Trial(operation, on: [picture, picture], orientation: .right)
      if trial.frame.isSkipped { return .skipped }
      let image = try trial.image()
      return .picture(
        width: image.width,
        height: image.height,
        bands: image.bands,
        samples: try image.format == .ushort ? image.pixels16() : image.pixels().map(UInt16.init),
        notes: trial.frame.notes
      )
    } catch let error as ItemError {
      return .failed(error)
    }
  }

  /// Stored on its side, flat in its tones, half transparent in one corner, with edges everywhere.
  private static func picture(_ width: Int, _ height: Int) throws -> Image {
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let check = (x / 40 + y / 40) % 2 == 0 ? 0 : 40
        let isCorner = x < width / 10 && y < height / 10
        pixels += [50 + x * 100 / width + check, 60 + y * 90 / height + check, 70 + check].map {
          UInt8($0)
        }
        pixels.append(isCorner ? 90 : 255)
      }
    }
    return try Image(pixels: pixels, width: width, height: height, bands: 4)
  }
}
