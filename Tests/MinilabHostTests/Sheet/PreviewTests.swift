import MinilabKit
import MinilabOperations
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// Pictures beside each other, with their boxes as guides: what a composition is to a sheet.
private struct Row: GroupOperation {
  static let name = "row"
  static let version = 1
  static let summary = "Put pictures beside each other."
  static let parameters: [Parameter<Self>] = [
    Parameter("refuse", \.refuse, help: "Refuse every group.")
  ]
  static let examples: [Example] = []

  var refuse = false

  func apply(to frames: [Frame], in context: Context) throws -> Frame {
    if refuse {
      throw context.error(.operationFailed, expected: "fewer pictures", received: "several")
    }
    let width = frames.map(\.size.width).reduce(0, +)
    let height = frames.map(\.size.height).max() ?? 1
    var left = 0.0
    let boxes = frames.map { frame in
      let right = left + Double(frame.size.width)
      defer { left = right }
      let corners = [(left, 0.0), (right, 0), (right, Double(height)), (left, Double(height))]
      return Guide.Box(corners: corners.map { Point(x: $0, y: $1) }, label: "")
    }
    return frames[0].replaced(size: Size(width: width, height: height), hasAlpha: false) {
      var row = try context.image(of: frames[0])
        .embed(left: 0, top: 0, width: width, height: height, extend: "black")
      var left = frames[0].size.width
      for frame in frames.dropFirst() {
        row = try row.call(
          "insert",
          [
            .init("sub", .image(context.image(of: frame).inMemory())), .init("x", .int(left)),
            .init("y", .int(0)),
          ],
          input: "main"
        )
        left += frame.size.width
      }
      return row
    }
    .showing(.boxes(boxes))
  }
}

/// Its work on pixels always fails.
private struct Break: ImageOperation {
  static let name = "break"
  static let version = 1
  static let summary = "Fail where pixels are made."
  static let parameters: [Parameter<Self>] = []
  static let examples: [Example] = []

  func apply(to frame: Frame, in context: Context) throws -> Frame {
    frame.pixels(size: .unchanged, access: .sequential) { image in
      try image.extractBands(7, count: 1)
    }
  }
}

/// A preview's story of the steps, and the sheet it makes of it.
@Suite("The figures of a preview", .vips)
struct PreviewTests {
  private func preview(
    _ toml: String,
    of images: [Image],
    outputs: [String]? = nil,
    step: Int? = nil
  ) throws -> (sheet: Sheet, error: ItemError?) {
    let folder = try ScratchFolder()
    let file = try folder.write("profile = 1\n" + toml, to: "story.toml")
    let profile = try ProfileLoader.load(
      file,
      operations: .builtin + [OperationEntry(Row.self), OperationEntry(Break.self)]
    )
    let pictures = UnitPictures(images.map(ImageRaster.init(image:)), policy: InputPolicy())
    let frames = images.enumerated().map { place, image in
      Frame(
        Origin(
          format: .png,
          size: Size(width: image.width, height: image.height),
          hasAlpha: image.hasAlpha,
          path: Path("in/picture-\(place).png"),
          picture: place
        )
      )
    }
    return try SheetRecorder.preview(
      PreviewRequest(
        outputs: outputs ?? profile.outputs.map(\.name),
        step: step,
        format: .png
      ),
      of: profile,
      on: frames,
      StepRunner(source: .pixels(pictures)),
      pictures
    )
  }

  private let steps = """
    summary = "As it should be"
    [[step]]
    op = "orient"
    [[step]]
    id = "middle"
    op = "crop"
    [[step]]
    op = "rotate"
    angle = 90

    """
  private let outputs = """
    [[output]]
    name = "large"
    format = "jpeg"
    background = "red"
    path = "{stem}-large.{ext}"
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 20
    [[output]]
    name = "small"
    format = "webp"
    path = "{stem}-small.{ext}"
      [[output.step]]
      op = "crop"
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 8
    """

  @Test("the picture, each step, and what each output makes of it, in order and numbered")
  func story() throws {
    let (sheet, error) = try preview(
      steps + outputs,
      of: [Sample.gradient(width: 60, height: 40)]
    )
    #expect(error == nil)
    #expect(sheet.title == "story")
    #expect(sheet.remark == "As it should be")
    #expect(sheet.sections.map(\.heading) == [nil, "large", "small"])
    #expect(sheet.sections.map(\.remark) == ["", "{stem}-large.{ext}", "{stem}-small.{ext}"])
    let panels = sheet.sections.map(\.panels)
    #expect(panels.map { $0.map(\.number) } == [[0, 1, 2, 3], [4, nil], [5, 6, nil]])
    #expect(panels[0].map(\.title) == ["picture-0.png", "orient", "middle", "rotate"])
    #expect(panels[0].map(\.remark) == ["", "", "crop", ""])
    #expect(
      panels[0].map(\.facts) == [
        ["PNG · 60 × 40"], ["60 × 40"], ["60 × 40 → 30 × 20"], ["30 × 20 → 20 × 30"],
      ]
    )
    #expect(panels[0].map(\.settings) == [[], [], [], ["angle = 90"]])
    #expect(panels[1].map(\.facts) == [["20 × 30 → 13 × 20"], ["JPEG · 13 × 20"]])
    #expect(
      panels[1].map(\.settings) == [
        ["max-side = 20"], [#"format = "jpeg""#, #"background = "red""#],
      ]
    )
    // A crop shows what it was handed, with guides, and what it has made.
    #expect(panels[0].map(\.shots.count) == [1, 1, 2, 1])
    #expect(panels[0][2].shots.map(\.guides.count) == [1, 0])
    #expect(panels[0][2].shots.map(\.isResult) == [false, true])
    #expect(try sheet.drawn().error == nil)
  }

  @Test("one output alone follows the shared steps, without a heading")
  func oneOutput() throws {
    let (sheet, _) = try preview(
      steps + outputs,
      of: [Sample.gradient(width: 60, height: 40)],
      outputs: ["small"]
    )
    #expect(sheet.sections.map(\.heading) == [nil])
    #expect(sheet.sections[0].panels.map(\.number) == [0, 1, 2, 3, 4, 5, nil])
    #expect(sheet.sections[0].panels.last?.title == "Result")
    #expect(sheet.sections[0].panels.last?.remark == "small")
  }

  @Test("a result in a format without transparency shows the output's background")
  func background() throws {
    let image = try Sample.disc([0, 0, 255], outside: [0, 0, 0], side: 40)
    let (sheet, _) = try preview(outputs, of: [image])
    #expect(sheet.sections[1].panels[1].shots[0].background == Color(red: 1, green: 0, blue: 0))
    #expect(sheet.sections[2].panels[2].shots[0].background == nil)
  }

  @Test("a step that is asked for stands alone, and large")
  func oneStep() throws {
    let image = try Sample.gradient(width: 600, height: 400)
    let (sheet, _) = try preview(steps + outputs, of: [image], step: 2)
    #expect(sheet.sections.flatMap(\.panels).map(\.number) == [2])
    let drawn = try sheet.image()
    #expect(drawn.width == 1600)
    let (whole, _) = try preview(steps + outputs, of: [image])
    #expect(try whole.image().height > drawn.height / 2)
    #expect(try preview(steps, of: [image], step: 0).sheet.sections[0].panels.map(\.number) == [0])
  }

  @Test("a step that refuses the picture ends the sheet, and says why there")
  func refused() throws {
    let toml = steps + "[[step]]\nop = \"crop\"\nrect = [500, 0, 10, 10]\n[[step]]\nop = \"blur\"\n"
    let (sheet, error) = try preview(toml, of: [Sample.gradient(width: 60, height: 40)])
    #expect(error?.code == .cropOutside)
    let panels = sheet.sections.flatMap(\.panels)
    #expect(panels.map(\.number) == [0, 1, 2, 3, 4])
    #expect(panels.map { $0.error == nil } == [true, true, true, true, false])
    #expect(panels[4].error?.hasPrefix("expected a rectangle inside the picture") == true)
    #expect(try sheet.drawn().image.width > 0)
    // Asked for alone, a step that was not reached gives way to the one that refused.
    let (alone, _) = try preview(
      toml,
      of: [Sample.gradient(width: 60, height: 40)],
      step: 5
    )
    #expect(alone.sections.flatMap(\.panels).map(\.number) == [4])
  }

  @Test("work on pixels that fails ends the sheet, too")
  func failedPixels() throws {
    let toml = """
      [[step]]
      op = "break"
      [[step]]
      op = "blur"
      """
    let (sheet, error) = try preview(toml, of: [Sample.gradient(width: 60, height: 40)])
    // Nothing is wrong before pixels are made.
    #expect(error == nil)
    let drawn = try sheet.drawn()
    #expect(drawn.error?.code == .operationFailed)
    #expect(throws: ItemError.self) { try sheet.image() }
  }

  @Test("a size that only pixels can tell is told on the sheet")
  func unknownSize() throws {
    let toml = "[[step]]\nop = \"vips\"\noperation = \"rot45\"\n"
    let image = try Sample.gradient(width: 41, height: 41)
    let (sheet, error) = try preview(toml, of: [image])
    #expect(error == nil)
    #expect(sheet.sections[0].panels[1].facts == ["41 × 41"])
  }

  @Test("the pictures of a group are shown up to three, and then what becomes of them")
  func groups() throws {
    let images = try (0..<5).map { try Sample.flat([UInt8($0 * 50), 9, 9], width: 40, height: 30) }
    let toml = "[[step]]\nop = \"crop\"\n[[step]]\nop = \"row\"\n[[step]]\nop = \"blur\"\n"
    let (sheet, error) = try preview(toml, of: images)
    #expect(error == nil)
    let panels = sheet.sections[0].panels
    #expect(panels[0].title == "5 pictures")
    #expect(panels.map(\.shots.count) == [3, 2, 4, 1, 1])
    #expect(panels[0].facts == ["3 of 5 shown"])
    #expect(panels[1].facts == ["40 × 30 → 20 × 15", "1 of 5 shown"])
    #expect(panels[2].facts == ["5 pictures → 100 × 15", "3 of 5 shown"])
    #expect(panels[2].shots.map(\.isResult) == [false, false, false, true])
    guard case .boxes(let boxes)? = panels[2].shots[3].guides.first else {
      Issue.record("the layers' boxes are on the composition")
      return
    }
    #expect(boxes.count == 5)
    #expect(try sheet.drawn().error == nil)
  }

  @Test("a group step that refuses says so")
  func refusedGroup() throws {
    let images = try (0..<2).map { _ in try Sample.flat([1, 2, 3], width: 40, height: 30) }
    let (sheet, error) = try preview("[[step]]\nop = \"row\"\nrefuse = true\n", of: images)
    #expect(error?.code == .operationFailed)
    #expect(sheet.sections[0].panels[1].error == "expected fewer pictures, found several")
  }

  @Test("a picture that a step leaves out stays so to the end")
  func leftOut() throws {
    let toml = """
      [[step]]
      op = "thumbnail-preview"
      within-limit = "skip"
      [[step]]
      op = "blur"
      """
    let (sheet, _) = try preview(toml, of: [Sample.gradient(width: 60, height: 40)])
    let notes = sheet.sections[0].panels.map { $0.notes.last ?? "" }
    #expect(
      notes == [
        "", "the picture is left out from here on", "not done: the picture is left out",
        "nothing is written: a step has left the picture out",
      ]
    )
  }

  @Test("endless names and keys are cut, and the sheet stays as wide as it is")
  func longTexts() throws {
    let id = String(repeating: "a name without an end ", count: 60)
    let toml = """
      summary = "\(String(repeating: "words and words ", count: 90))"
      [[step]]
      id = "\(id)"
      op = "crop"
      aspect = "4:3"
      """
    let (sheet, _) = try preview(toml, of: [Sample.gradient(width: 600, height: 400)])
    let drawn = try sheet.image()
    #expect(drawn.width <= 1616)
    #expect(drawn.height < 3000)
  }
}
