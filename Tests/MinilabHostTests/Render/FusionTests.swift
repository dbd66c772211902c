import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Profiles at random, carried out twice: with all geometry fused, and each step at once on full
/// pixels.
///
/// Sizes and notes must be the same; pixels must be those of the composed map.
@Suite("Fused steps give what each step alone would", .vips)
struct FusionTests {
  @Test("500 profiles: the same sizes and notes", arguments: 0..<10)
  func sizes(_ group: Int) throws {
    for seed in (group * 50)..<(group * 50 + 50) {
      var dice = Dice(UInt32(seed))
      let steps = Self.steps(&dice, aligned: false)
      let picture = NaivePicture.synthetic(dice.next(1...90), dice.next(1...70))
      let tag = dice.next(1...8)
      let fused = try Self.fused(steps, picture, tag)
      let unfused = try Self.unfused(steps, picture, tag)
      let told = "\(seed): \(picture.size) orientation \(tag)\n\(steps.joined(separator: "\n"))"
      #expect(fused.error == unfused.error, "\(told)")
      #expect(fused.frame?.size == unfused.frame?.size, "\(told)")
      #expect(fused.frame?.notes == unfused.frame?.notes, "\(told)")
      #expect(fused.frame?.isSkipped == unfused.frame?.isSkipped, "\(told)")
      #expect(fused.frame?.cropBounds == unfused.frame?.cropBounds, "\(told)")
      guard let frame = fused.frame else { continue }
      let made = try #require(fused.image)
      #expect(made.width == frame.size.width && made.height == frame.size.height, "\(told)")
      let last = try #require(unfused.image)
      #expect(last.width == made.width && last.height == made.height, "\(told)")
      // Far off in place or in light would show on the whole.
      let fusedMean = try made.average()
      let unfusedMean = try last.average()
      #expect(abs(fusedMean - unfusedMean) < 6 || made.width * made.height < 64, "\(told)")
    }
  }

  @Test("fused pixels are those of the composed map", arguments: 0..<24)
  func pixels(_ seed: Int) throws {
    var dice = Dice(UInt32(7_000 + seed))
    let steps = Self.steps(&dice, aligned: true)
    let picture = NaivePicture.synthetic(dice.next(60...150), dice.next(50...120), detail: 24)
    let tag = dice.next(1...8)
    let fused = try Self.fused(steps, picture, tag)
    guard let frame = fused.frame, let image = fused.image else { return }
    guard frame.stages.count == 1, case .geometry(let geometry)? = frame.stages.first else {
      Issue.record("geometry was not fused: \(steps)")
      return
    }
    let wanted = NaiveResampler.aligned(
      try NaivePicture(picture.image()),
      geometry.map,
      geometry.size
    )
    .clipped()
    let difference = try NaivePicture(image).meanDifference(from: wanted)
    #expect(difference < 1.5, "\(steps.joined(separator: "\n"))")
  }

  @Test("a canvas around the picture joins the steps beside it", arguments: 0..<30)
  func padded(_ seed: Int) throws {
    var dice = Dice(UInt32(8_000 + seed))
    let picture = NaivePicture.synthetic(dice.next(60...150), dice.next(50...120), detail: 24)
    let tag = dice.next(1...8)
    let steps = [
      "op = \"resize\"\nwidth = \"\(dice.next(50...100))%\"\nid = \"before\"",
      "op = \"pad\"\nborder = \"\(dice.next(1...40))%\"\nbackground = \"white\"",
      "op = \"resize\"\nwidth = \"\(dice.next(30...100))%\"\nid = \"after\"",
    ]
    let fused = try Self.fused(steps, picture, tag)
    let unfused = try Self.unfused(steps, picture, tag)
    #expect(fused.frame?.size == unfused.frame?.size)
    guard let stages = fused.frame?.stages, stages.count == 1,
      case .geometry(let geometry)? = stages.first, let image = fused.image,
      let backdrop = geometry.backdrops.first
    else {
      Issue.record("geometry was not fused")
      return
    }
    let full = try NaivePicture(picture.image())
    let wanted = NaiveResampler.aligned(full, geometry.map, geometry.size).clipped()
      .framed(by: NaiveFrame(backdrop.map, backdrop.seen, [255, 255, 255]))
    #expect(try NaivePicture(image).meanDifference(from: wanted) < 1)
  }

  // MARK: Both ways

  private struct Outcome {
    var frame: Frame?
    var image: Image?
    var error: ItemError?
  }

  private static func frame(_ picture: NaivePicture, _ tag: Int) -> Frame {
    Frame(Origin(format: .png, size: picture.size, orientation: Orientation(tag: tag)))
  }

  private static func fused(
    _ steps: [String],
    _ picture: NaivePicture,
    _ tag: Int
  ) throws -> Outcome {
    let raster = ShrinkingRaster(picture)
    do {
      let start = frame(picture, tag)
      guard let frame = try StepRunner(source: .nothing).run(decoded(steps), on: start) else {
        return Outcome()
      }
      return try Outcome(frame: frame, image: Renderer(raster: raster).image(of: frame))
    } catch let error as ItemError {
      return Outcome(error: error)
    }
  }

  private static func unfused(
    _ steps: [String],
    _ picture: NaivePicture,
    _ tag: Int
  ) throws -> Outcome {
    do {
      var frame = frame(picture, tag)
      let raster = ShrinkingRaster(picture, reductions: [1])
      var image = try Renderer(raster: raster).image(of: frame).inMemory()
      for step in try decoded(steps) where !frame.isSkipped {
        let replaced = frame.replaced(by: image)
        frame = try StepRunner(source: .nothing).run([step], on: replaced) ?? replaced
        image = try Renderer(raster: raster).image(of: frame).inMemory()
      }
      return Outcome(frame: frame, image: image)
    } catch let error as ItemError {
      return Outcome(error: error)
    }
  }

  static func decoded(_ steps: [String]) throws -> [Step] {
    let text = "profile = 1\n" + steps.map { "[[step]]\n\($0)\n" }.joined() + "[[output]]\n"
    let node = try TOMLReader.read(Array(text.utf8), from: Path("random.toml"))
    return try Profile(resolved: node, operations: .builtin).steps
  }

  // MARK: Chance

  /// One to five steps that only edit geometry.
  static func steps(_ dice: inout Dice, aligned: Bool) -> [String] {
    (0..<dice.next(1...5)).map { index in step(&dice, aligned) + "\nid = \"s\(index)\"" }
  }

  private static func step(_ dice: inout Dice, _ aligned: Bool) -> String {
    switch dice.next(0...10) {
    case 0:
      let mode = dice.pick([
        "auto", "rotate-90", "rotate-180", "rotate-270", "flip-horizontal", "flip-vertical",
        "transpose", "transverse",
      ])
      return "op = \"orient\"\nmode = \"\(mode)\""
    case 1:
      let numbers = (0..<4).map { _ in dice.next(0...100) }
      return """
        op = "crop"
        rect = ["\(numbers[0] / 2)%", "\(numbers[1] / 2)%", "\(numbers[2] + 3)%", "\(numbers[3] + 3)%"]
        clamp = "\(dice.pick(["cut", "move"]))"
        """
    case 2:
      let gravity = dice.pick(["center", "north-west", "south", "east", "south-east"])
      return
        "op = \"crop\"\naspect = \"\(dice.next(1...9)):\(dice.next(1...9))\"\ngravity = \"\(gravity)\""
    case 3:
      return
        "op = \"crop\"\nsize = [\(dice.next(1...80)), \(dice.next(1...80))]\nfocus = [\"1/3\", \"70%\"]"
    case 4:
      return "op = \"thumbnail-preview\"\nmax-side = \(dice.next(1...70))"
    case 5:
      return """
        op = "resize"
        width = \(dice.next(1...90))
        height = \(dice.next(1...90))
        fit = "\(dice.pick(["contain", "cover", "stretch"]))"
        enlarge = \(dice.pick(["true", "false"]))
        """
    case 7:
      let numbers = (0..<4).map { _ in dice.next(0...60) }
      return """
        op = "crop"
        view = [90, 70]
        frame = [\(numbers[0]), \(numbers[1] / 2), \(numbers[2] + 1), \(numbers[3] + 1)]
        fit = "\(dice.pick(["contain", "cover", "stretch"]))"
        min-size = \(dice.next(0...30))
        """
    case 8:
      let angle = aligned ? dice.next(-2...2) * 90 : dice.next(-180...180)
      return """
        op = "crop"
        frame-size = [\(dice.next(1...50)), \(dice.next(1...50))]
        zoom = \(0.3 + 2 * dice.fraction())
        pan = [\(dice.next(-9...9)), \(dice.next(-9...9))]
        angle = \(angle)
        check-bounds = \(aligned ? "true" : dice.pick(["true", "false"]))
        background = "white"
        """
    case 9 where !aligned:
      return "op = \"rotate\"\nangle = \(dice.next(-180...180))\nbackground = \"white\""
    case 6:
      return "op = \"resize\"\nwidth = \"\(dice.next(5...100))%\""
    default:
      return "op = \"rotate\"\nangle = \(dice.pick([90, 180, 270, -90, 450]))"
    }
  }
}
