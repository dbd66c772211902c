import MinilabKit
import NaivePictures
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
    let path = try bench.folder.write(bytes, to: "in/a.jpg")
    let told = try bench.probe(path)
    #expect(told.error == nil)
    #expect(try bench.outputNames() == [])
    #expect(try bench.leftovers() == [])
    return try #require(told.account)
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
    let told = try bench.probe(path)
    #expect(told.account == nil)
    var unit = UnitRequest(id: 1, input: path, format: .jpeg, outputs: [Path("a"), Path("b")])
    unit.grant = Grant(threads: 1, memory: 1000)
    #expect(bench.processor.process(unit).finish().needs == told.estimate)
  }

  @Test(
    "notes that are known before pixels are made are told with it, and those that are forbidden refuse it"
  )
  func notes() throws {
    let deep = try NaivePicture.synthetic(40, 30).encoded(.png, deep: true)
    let toml = "[[output]]\nformat = \"jpeg\"\n"
    for explains in [false, true] {
      for (forbidden, error) in [
        ("", nil), ("[notes]\nforbid = [\"depth-reduced\"]\n", "note-forbidden"),
      ] {
        let bench = try Workbench(forbidden + toml)
        bench.processor.explains = explains
        let told = try bench.probe(try bench.folder.write(deep, to: "in/a.jpg"))
        #expect(told.notes.map(\.code) == [.nameMismatch, .depthReduced])
        #expect(told.error?.code.rawValue == error)
        #expect((told.account != nil) == explains)
      }
    }
  }

  @Test("frames of a film: one of them on its way, and what is held of the others")
  func film() throws {
    func bytes(_ count: Int) -> [UInt8] {
      let size = Size(width: 60, height: 40)
      return HandmadeGIF.moving(size, delays: Array(repeating: 10, count: count)).bytes
    }
    let toml = """
      [input]
      pages = "all"
      [[output]]
      format = "webp"
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 30
      """
    let film = try account(toml, bytes(5))
    let steps = try #require(film.outputs.first).steps
    #expect(film.outputs.map(\.way) == [.pages])
    #expect(steps.map(\.kind) == [.decode, .reduce, .hold, .encode])
    #expect(steps[1].to == Dimensions(Size(width: 30, height: 20)))
    #expect(steps[3].count == 5)
    let twice = try account(toml, bytes(10))
    #expect(abs(twice.estimate.cost / film.estimate.cost - 2) < 0.001)
  }

  @Test("pages of unlike sizes: the way of the largest, and as much work as all their pixels are")
  func pages() throws {
    let small = NaivePicture.synthetic(40, 30)
    let large = NaivePicture.synthetic(160, 120)
    let toml = """
      [input]
      pages = "all"
      [[output]]
      format = "tiff"
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 20
      """
    let both = try account(toml, tiff(pages: [small, large]))
    let steps = try #require(both.outputs.first).steps
    #expect(steps.map(\.kind) == [.decode, .reduce, .hold, .encode])
    #expect(steps[0].from == Dimensions(Size(width: 160, height: 120)))
    let alike = try account(toml, tiff(pages: [large, large]))
    #expect(alike.estimate.memory == both.estimate.memory)
    #expect(abs(both.estimate.cost / alike.estimate.cost - 17.0 / 32) < 0.001)
  }

  @Test("a picture that is made of several: how each is decoded, those that go one way together")
  func composition() throws {
    let bench = try Workbench(
      """
      [gather]
      by = "folder"
      [[step]]
      op = "compose"
      layout = "grid"
      columns = 2
      tile = [100, 75]
      [[output]]
      path = "{group}.{ext}"
      format = "png"
      """
    )
    bench.processor.explains = true
    var paths: [Path] = []
    for index in 0..<3 {
      paths.append(try bench.folder.write(jpeg(800, 600), to: "in/\(index).jpg"))
    }
    paths.append(
      try bench.folder.write(NaivePicture.synthetic(300, 200).encoded(.png), to: "in/3.png")
    )
    let account = try #require(try bench.probe(group: paths).account)
    let steps = try #require(account.outputs.first).steps
    #expect(steps.map(\.kind) == [.decode, .reduce, .decode, .reduce, .make, .encode])
    #expect(steps[0].count == 3)
    #expect(steps[0].shrink == 4)
    #expect(steps[1].to == Dimensions(Size(width: 100, height: 75)))
    #expect(steps[2].count == nil)
    #expect(steps[2].loader == "pngload_source")
    #expect(account.decodes == [1, 1, 1, 1])
    #expect(account.pictures.count == 4)
  }

  @Test("what a decoder holds for certain refuses a picture before it is decoded")
  func certain() throws {
    let picture = try Sample.gradient(width: 1000, height: 1000)
    let target = try Target()
    try picture.save("jpegsave_target", to: target, [.init("interlace", .bool(true))])
    let bench = try Workbench(sizes)
    let path = try bench.folder.write(target.bytes, to: "in/a.jpg")
    // Coefficients of one and a half samples a pixel, two bytes each.
    bench.processor.memory.ofWorker = 2_999_999
    let unit = UnitRequest(id: 1, input: path, format: .jpeg, outputs: [Path("a"), Path("b")])
    for error in [try bench.probe(path).error, bench.processor.process(unit).finish().error] {
      #expect(
        error?.text
          == "expected a picture that fits into 3 MB of memory (limits.worker-memory; --limit "
          + "worker-memory=… sets another), found one whose decoder holds 3 MB at once"
      )
      #expect(error?.code == .outOfMemory)
    }
    bench.processor.memory.ofWorker = 3_000_000
    #expect(bench.processor.process(unit).finish().status == .done)
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
