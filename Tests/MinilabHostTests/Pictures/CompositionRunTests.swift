import MinilabKit
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Compositions in a worker", .vips)
struct CompositionRunTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test func anOutputAboveIsALayerBelow() throws {
    let bench = try Workbench(
      """
      [[output]]
      name = "small"
      format = "png"
        [[output.step]]
        op = "thumbnail-preview"
        max-side = 10
      [[output]]
      name = "card"
      format = "png"
        [[output.step]]
        op = "compose"
        canvas = [20, 20]
        background = "black"
          [[output.step.layer]]
          source = "output:small"
          gravity = "north-west"
      """
    )
    let outcome = try bench.process(NaivePicture.synthetic(40, 20).encoded(.png), named: "a.png")
    let small = try outcome.image(0)
    let card = try outcome.image(1)
    #expect(try card.extractArea(left: 0, top: 0, width: 10, height: 5).pixels() == small.pixels())
    #expect(try card.samples(x: 10, y: 0) == [0, 0, 0])
  }

  /// What covers the canvas is opaque: nothing is flattened, and nothing said.
  @Test func aWatermarkedJPEGSaysNothingOfTransparency() throws {
    let mark = try folder.write(NaivePicture.synthetic(30, 20, bands: 4).encoded(.png), to: "m.png")
    let bench = try Workbench(
      """
      [[step]]
      op = "compose"
      [[step.layer]]
      source = "frame"
      [[step.layer]]
      source = "\(mark.shown)"
      gravity = "south-east"
      offset = [-5, -5]
      opacity = 0.5
      [[output]]
      name = "jpg"
      format = "jpeg"
      """
    )
    let bytes = try jpeg(NaivePicture.synthetic(90, 60), exif: exifBlock(orientation: 6))
    let outcome = try bench.process(bytes, named: "a.jpg")
    #expect(outcome.noteCodes.isEmpty)
    let image = try outcome.image()
    #expect([image.width, image.height, image.bands] == [60, 90, 3])
  }

  @Test func aDamagedLayerIsNamedAndNotThePicture() throws {
    let whole = try NaivePicture.synthetic(200, 200).encoded(.png)
    let mark = try folder.write(Array(whole.prefix(whole.count / 2)), to: "m.png")
    let bench = try Workbench(
      """
      [[step]]
      op = "compose"
      [[step.layer]]
      source = "frame"
      [[step.layer]]
      source = "\(mark.shown)"
      [[output]]
      name = "png"
      format = "png"
      """
    )
    let result = try bench.process(NaivePicture.synthetic(90, 60).encoded(.png), named: "a.png")
      .result
    #expect(result.status == .failed && result.error?.code == .damaged)
    #expect(result.error?.text.contains("m.png") == true)
    #expect(try bench.leftovers().isEmpty && bench.outputNames().isEmpty)
  }

  @Test func theSizeIsPlannedFromHeaders() throws {
    let bench = try Workbench(
      """
      [[step]]
      op = "compose"
      canvas = ["150%", 70]
      [[step.layer]]
      source = "frame"
      zoom = 3
      [[output]]
      name = "png"
      format = "png"
      """
    )
    let path = try bench.folder.write(NaivePicture.synthetic(40, 20).encoded(.png), to: "in/a.png")
    let probe = try bench.probe(path)
    #expect(probe.sizes == [PlannedSize(width: 60, height: 70)])
    #expect(probe.notes.map(\.code) == [.enlarged])
  }

  // MARK: Order and memory

  /// Layers that are streams, each read from its top to its bottom, wherever they lie: tall and wide,
  /// cut off by the canvas, beginning far down, beside each other and above each other, and steps after
  /// them that read rows in their own order.
  private func crowd() throws -> String {
    let sizes = [(1100, 1000), (500, 2200), (300, 200), (250, 400), (1200, 60)]
    var layers = ""
    for (index, size) in sizes.enumerated() {
      let picture = NaivePicture(width: size.0, height: size.1, bands: 3) { x, y, band in
        Double((x * 3 + y * 5 + band * 70 + index * 31) % 251)
      }
      // Large ones stream in bands of their own height.
      let bytes = try index % 2 == 0 ? picture.encoded(.png) : picture.encoded(.jpeg)
      let path = try folder.write(bytes, to: "layer\(index).\(index % 2 == 0 ? "png" : "jpg")")
      layers += """
        [[step.layer]]
        source = "\(path.shown)"
        center = [\(300 + index * 150), \(500 + index * 163)]
        zoom = \([1.0, 1.0, 1.3, 0.9, 0.7][index])
        angle = \([0, 0, 90, 7, 180][index])
        opacity = \([1.0, 1.0, 0.5, 1.0, 0.8][index])

        """
    }
    return layers
  }

  @Test func theSameBytesWhateverTheThreads() throws {
    let layers = try crowd()
    let outputs = """
      [[output]]
      name = "png"
      format = "png"
      effort = 1
      [[output]]
      name = "soft"
      format = "jpeg"
        [[output.step]]
        op = "blur"
        sigma = 9
        [[output.step]]
        op = "rotate"
        angle = 3
      [[output]]
      name = "small"
      format = "jpeg"
        [[output.step]]
        op = "resize"
        width = 300
      """
    var first: [[UInt8]] = []
    let frame = try NaivePicture.synthetic(60, 40).encoded(.png)
    for threads in [1, 2, 8] {
      let bench = try Workbench(
        "[[step]]\nop = \"compose\"\ncanvas = [1150, 1250]\nbackground = \"#406080\"\n" + layers
          + outputs,
        threads: threads
      )
      let outcome = try bench.process(frame, named: "a.png")
      let bytes = try (0..<3).map { try outcome.bytes($0) }
      if first.isEmpty { first = bytes }
      #expect(bytes == first)
    }
  }

  /// A thousand layers, and open files for a handful.
  @Test func aThousandLayersNeedFewOpenFiles() throws {
    let mark = try folder.write(NaivePicture.synthetic(8, 8).encoded(.png), to: "m.png")
    let layers = (0..<1000).map {
      "[[step.layer]]\nsource = \"\(mark.shown)\"\ncenter = [\(4 + $0 % 40 * 8), \(4 + $0 / 40 * 8)]\n"
    }
    let bench = try Workbench(
      "[[step]]\nop = \"compose\"\ncanvas = [320, 200]\n" + layers.joined()
        + "[[output]]\nname = \"png\"\nformat = \"png\"\n"
    )
    let outcome = try bench.process(NaivePicture.synthetic(9, 9).encoded(.png), named: "a.png")
    let image = try outcome.image()
    #expect([image.width, image.height] == [320, 200])
    let tile = try NaivePicture.synthetic(8, 8).image().pixels()
    for place in [(0, 0), (312, 192), (160, 96)] {
      let part = try image.extractArea(left: place.0, top: place.1, width: 8, height: 8)
      #expect(try part.extractBands(0, count: 3).pixels() == tile)
    }
  }
}
