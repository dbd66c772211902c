import MinilabKit
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("What making a unit takes is told before it is made", .vips)
struct UnitAccountTests {
  private func account(
    _ toml: String,
    _ bytes: [UInt8],
    bound: Int = PixelStore.usualBound
  ) throws -> UnitAccount {
    let bench = try Workbench(toml)
    bench.processor.explains = true
    bench.processor.pixelBound = bound
    let outcome = try bench.process(bytes, named: "a.jpg")
    #expect(try bench.outputNames() == [])
    #expect(try bench.leftovers() == [])
    return try #require(outcome.result.account)
  }

  private let sizes = """
    [[output]]
    name = "large"
    path = "{stem}-{output}.{ext}"
    [[output.step]]
    op = "thumbnail-preview"
    max-side = 300
    [[output]]
    name = "small"
    path = "{stem}-{output}.{ext}"
    format = "webp"
    quality = 61
    [[output.step]]
    op = "thumbnail-preview"
    max-side = 100
    """

  private func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] {
    try NaivePicture.synthetic(width, height).encoded(.jpeg)
  }

  @Test("the decoder's reduction, what is held, kernels, and encodes")
  func steps() throws {
    let account = try account(sizes, jpeg(1200, 900))
    let large = try #require(account.outputs.first)
    #expect(large.format == .jpeg)
    #expect(large.way == .encode)
    #expect(large.steps.map(\.kind) == [.decode, .reduce, .hold, .encode])
    #expect(large.steps[0].shrink == 2)
    #expect(large.steps[0].loader == "jpegload_source")
    #expect(large.steps[0].isWhole == false)
    #expect(large.steps[0].to == Dimensions(Size(width: 600, height: 450)))
    #expect(large.steps[1].from == large.steps[0].to)
    #expect(large.steps[1].to == Dimensions(Size(width: 300, height: 225)))
    #expect(large.steps[1].box == [1, 1])
    #expect(large.steps[1].factor == [2, 2])
    #expect(large.steps[1].kernel == "lanczos3")
    #expect(large.steps[2].bytes == 300 * 225 * 3)
    let small = try #require(account.outputs.last)
    #expect(small.steps.map(\.kind) == [.reuse, .reduce, .encode])
    #expect(small.steps[1].factor == [3, 3])
    #expect(small.steps[2].quality == 61)
    #expect(account.decodes == [1])
    #expect(account.pictures.map(\.size) == [Dimensions(Size(width: 1200, height: 900))])
  }

  @Test("without room for what is shared it is decoded for each, with the same reductions")
  func passes() throws {
    let account = try account(sizes, jpeg(1200, 900), bound: 0)
    #expect(account.decodes == [2])
    #expect(account.outputs[1].steps.map(\.kind) == [.decode, .reduce, .reduce, .encode])
    #expect(account.outputs[1].steps[0].shrink == 2)
  }

  @Test("work on pixels, in its access, and turns")
  func work() throws {
    let account = try account(
      """
      [[step]]
      op = "blur"
      sigma = 2.0
      [[step]]
      op = "rotate"
      angle = 90
      [[step]]
      op = "sharpen"
      [[output]]
      format = "png"
      """,
      jpeg(200, 100)
    )
    let steps = try #require(account.outputs.first).steps
    #expect(steps.map(\.kind) == [.decode, .work, .cut, .work, .encode])
    #expect(steps[1].step == "blur")
    #expect(steps[1].isWhole == true)
    #expect(steps[1].bytes == 200 * 100 * 3)
    #expect(steps[2].turn == Orientation.right.rawValue)
    #expect(steps[3].step == "sharpen")
    #expect(steps[3].isWhole == false)
  }

  @Test("a copy and a lossless turn encode nothing")
  func ways() throws {
    let picture = try jpeg(64, 64)
    #expect(try account("[[output]]\nname = \"a\"\n", picture).outputs.map(\.way) == [.copy])
    let turn = "[[step]]\nop = \"rotate\"\nangle = 90\n[[output]]\nname = \"a\"\n"
    #expect(try account(turn, picture).outputs.map(\.way) == [.lossless])
  }

  @Test("a progressive JPEG is held as a whole, and so takes more")
  func progressive() throws {
    let picture = try Sample.gradient(width: 1000, height: 1000)
    let target = try Target()
    try picture.save("jpegsave_target", to: target, [.init("interlace", .bool(true))])
    let whole = try account(sizes, target.bytes)
    #expect(whole.pictures.map(\.isProgressive) == [true])
    #expect(whole.outputs[0].steps[0].isWhole == true)
    // Coefficients of two bytes, of one and a half samples a pixel.
    #expect(whole.outputs[0].steps[0].bytes >= 3_000_000)
    let rows = try account(sizes, jpeg(1000, 1000))
    #expect(rows.estimate.memory < whole.estimate.memory)
    #expect(rows.estimate.cost < whole.estimate.cost)
  }

  @Test("a header tells the same as the worker that makes the unit finds")
  func probe() throws {
    let bench = try Workbench(sizes)
    let path = try bench.folder.write(jpeg(1200, 900), to: "in/a.jpg")
    #expect(try bench.probe(path).estimate == account(sizes, jpeg(1200, 900)).estimate)
  }

  @Test("what only pixels could tell is estimated from the whole picture")
  func unplanned() throws {
    let bench = try Workbench(
      "[[step]]\nop = \"vips\"\noperation = \"canny\"\n[[step]]\nop = \"sharpen\"\n[[output]]\nname = \"a\"\n"
    )
    let path = try bench.folder.write(jpeg(400, 300), to: "in/a.jpg")
    let estimate = try #require(try bench.probe(path).estimate)
    #expect(estimate.memory >= 400 * 300 * 3)
    #expect(estimate.cost > 0)
  }

  @Test(
    "a unit that needs more than it was granted is given back, with what it needs, and not begun"
  )
  func excess() throws {
    let bench = try Workbench(sizes)
    let path = try bench.folder.write(jpeg(1200, 900), to: "in/a.jpg")
    let paths = ["a", "b"].map { Path($0) }
    var unit = UnitRequest(id: 1, input: path, format: .jpeg, outputs: paths)
    unit.grant = Grant(threads: 1, memory: 1000)
    let given = bench.processor.process(unit).finish()
    let needs = try #require(given.needs)
    #expect(given.outputs.isEmpty)
    #expect(try bench.outputNames() == [])
    #expect(try bench.leftovers() == [])
    unit.grant?.memory = needs.memory - 1
    #expect(bench.processor.process(unit).finish().needs == needs)
    unit.grant?.memory = needs.memory
    let made = bench.processor.process(unit).finish()
    #expect(made.needs == nil)
    #expect(made.status == .done)
    #expect(try bench.outputNames() == ["a", "b"])
  }

  @Test("threads are as many as a unit is granted")
  func threads() throws {
    let bench = try Workbench(sizes)
    let path = try bench.folder.write(jpeg(120, 90), to: "in/a.jpg")
    for count in [3, 1] {
      var unit = UnitRequest(
        id: count,
        input: path,
        format: .jpeg,
        outputs: [Path("a\(count)"), Path("b\(count)")]
      )
      unit.grant = Grant(threads: count)
      #expect(bench.processor.process(unit).finish().status == .done)
      #expect(Host.threads == count)
    }
  }
}
