import TestSupport
import Testing
import Vips

/// A picture whose samples all differ: 3 × 2 pixels, three bands.
private func sample() throws -> Image {
  try Image(pixels: (0..<18).map { UInt8($0 * 10) }, width: 3, height: 2, bands: 3)
}

@Suite("Calls of libvips operations", .vips)
struct OperationCallTests {
  // MARK: Kinds of arguments

  @Test("a picture and whole numbers go in, a picture comes out")
  func imageAndInts() throws {
    let part = try sample().extractArea(left: 1, top: 1, width: 2, height: 1)
    #expect(try part.pixels() == [120, 130, 140, 150, 160, 170])
  }

  @Test("a list of pictures goes in, in its order")
  func images() throws {
    let gray = try sample().extractBands(0, count: 1)
    let other = try sample().extractBands(2, count: 1)
    #expect(
      try gray.joined(bands: other).pixels() == [
        0, 20, 30, 50, 60, 80, 90, 110, 120, 140, 150, 170,
      ]
    )
  }

  @Test("numbers go in: one each, as a list, and whole ones where fractions are taken")
  func doubles() throws {
    let each = try sample().call(
      "linear",
      [
        .init("a", .doubles([1, 2, 0.5])), .init("b", .ints([1, 0, 0])),
        .init("uchar", .bool(true)),
      ]
    )
    #expect(try each.pixels().prefix(6) == [1, 20, 10, 31, 80, 25])
    let all = try sample().call(
      "linear",
      [.init("a", .double(1)), .init("b", .int(5)), .init("uchar", .bool(true))]
    )
    #expect(try all.pixels().prefix(4) == [5, 15, 25, 35])
    let blurred = try sample().call("gaussblur", [.init("sigma", .int(1))])
    #expect(blurred.width == 3)
  }

  @Test("a list of whole numbers goes in")
  func ints() throws {
    let part = try sample().call(
      "affine",
      [.init("matrix", .doubles([1, 0, 0, 1])), .init("oarea", .ints([1, 0, 2, 2]))]
    )
    #expect(part.width == 2)
    #expect(part.height == 2)
    #expect(try part.pixels().prefix(3) == [30, 40, 50])
  }

  @Test("an enumeration goes in by its nick, given as one or as text")
  func enumerations() throws {
    let flipped = try sample().call("flip", [.init("direction", .enumeration("vertical"))])
    #expect(try flipped.pixels().prefix(3) == [90, 100, 110])
    let turned = try sample().call("rot", [.init("angle", .string("d180"))])
    #expect(try turned.pixels().prefix(3) == [150, 160, 170])
  }

  @Test("an interpolation goes in by its nick")
  func interpolation() throws {
    /// The levels of a step from 100 to 200, stretched.
    func levels(_ nick: String) throws -> Set<UInt8> {
      let step = try Image(pixels: [100, 100, 200, 200], width: 4, height: 1, bands: 1)
      return Set(
        try step.call(
          "affine",
          [
            .init("matrix", .doubles([4, 0, 0, 1])), .init("interpolate", .interpolate(nick)),
            .init("extend", .enumeration("copy")),
          ]
        ).pixels()
      )
    }
    #expect(try levels("nearest") == [100, 200])
    #expect(try levels("bilinear").isSuperset(of: [100, 125, 150, 175, 200]))
    #expect(try levels("bicubic").contains { $0 < 100 })
    #expect(throws: VipsError.self) { try levels("bicubical") }
  }

  @Test("bytes go in")
  func blob() throws {
    let target = try Target()
    try sample().save("pngsave_target", to: target)
    let call = try OperationCall("pngload_buffer")
    try call.set("buffer", .blob(target.bytes))
    #expect(try call.run().image.pixels() == sample().pixels())
  }

  @Test("no bytes are refused by the loader and by nobody before")
  func emptyBlob() {
    #expect(throws: VipsError.self) {
      let call = try OperationCall("pngload_buffer")
      try call.set("buffer", .blob([]))
      _ = try call.run()
    }
  }

  @Test("text goes in as it is: no expansion, no encoding")
  func text() throws {
    let error = #expect(throws: VipsError.self) {
      try load("pngload", fromFile: "/nowhere/a%d \u{e9}[1].png")
    }
    #expect(error?.operation == "pngload")
  }

  @Test("a source and a target go where they belong and nowhere else")
  func streams() throws {
    let target = try Target()
    try sample().save("pngsave_target", to: target, [.init("compression", .int(1))])
    let source = try Source(bytes: target.bytes)
    #expect(try load("pngload_source", from: source).pixels() == sample().pixels())
    let call = try OperationCall("invert")
    #expect(throws: VipsError.self) { try call.set("in", from: source) }
    #expect(throws: VipsError.self) { try call.set("in", to: target) }
    #expect(throws: VipsError.self) { try call.set("source", from: source) }
  }

  @Test("numbers come out")
  func outputs() throws {
    let average = try OperationCall("avg")
    try average.set("in", .image(sample()))
    #expect(try average.run().double("out") == 85)

    let point = try OperationCall("getpoint")
    try point.set("in", .image(sample()))
    try point.set("x", .int(2))
    try point.set("y", .int(1))
    let results = try point.run()
    guard case .doubles(let samples)? = results.values["out-array"] else {
      Issue.record("no list of numbers")
      return
    }
    #expect(samples == [150, 160, 170])

    let greatest = try OperationCall("max")
    try greatest.set("in", .image(sample()))
    let found = try greatest.run()
    #expect(try found.double("out") == 170)
    #expect(try found.double("x") == 2)
    #expect(try found.double("y") == 1)
    #expect(throws: VipsError.self) { try found.double("nothing") }
    #expect(throws: VipsError.self) { try found.image }

    let trim = try OperationCall("profile")
    try trim.set("in", .image(sample()))
    #expect(try trim.run().values.count == 2)
  }

  // MARK: Refusals

  @Test("an operation that is not there is an error")
  func unknownOperation() {
    #expect(throws: VipsError.self) { try OperationDescription.of("reszie") }
    #expect(throws: VipsError.self) { _ = try OperationCall("") }
  }

  @Test(
    "a value is refused before libvips sees it",
    arguments: [
      ("shrink", "hshrink", Argument.Value.double(0.5)), ("shrink", "hshrink", .double(.nan)),
      ("shrink", "hshrink", .double(.infinity)), ("shrink", "hshrink", .string("2")),
      ("shrink", "hshrnk", .double(2)), ("shrink", "out", .double(2)),
      ("extract_band", "band", .int(-1)), ("extract_band", "band", .int(Int.max)),
      ("extract_band", "band", .double(1)), ("flip", "direction", .enumeration("sideways")),
      ("flip", "direction", .int(0)), ("flip", "direction", .enumeration("last")),
      ("linear", "a", .bool(true)), ("linear", "uchar", .int(1)),
      ("affine", "oarea", .ints([Int.max])), ("affine", "oarea", .doubles([0])),
      ("invert", "in", .string("a.png")), ("invert", "in", .blob([1])),
    ]
  )
  func refused(_ operation: String, _ name: String, _ value: Argument.Value) throws {
    let call = try OperationCall(operation)
    let error = #expect(throws: VipsError.self) { try call.set(name, value) }
    #expect(error?.operation == operation)
    #expect(error?.text.hasPrefix(name) == true)
  }

  @Test("bounds themselves are taken")
  func bounds() throws {
    #expect(
      try sample().call("shrink", [.init("hshrink", .int(1)), .init("vshrink", .int(1))]).width == 3
    )
    #expect(try sample().call("extract_band", [.init("band", .int(0))]).bands == 1)
  }

  @Test("a call that libvips refuses gives its words, and the next call has none of them")
  func failure() throws {
    let first = #expect(throws: VipsError.self) {
      try sample().extractArea(left: 2, top: 0, width: 9, height: 1)
    }
    #expect(first?.operation == "extract_area")
    #expect(first?.text.isEmpty == false)
    #expect(first?.text.hasSuffix("\n") == false)
    let second = #expect(throws: VipsError.self) {
      try sample().call("extract_band", [.init("band", .int(7))])
    }
    #expect(second?.text.contains("extract_area") == false)
  }

  // MARK: Descriptions

  @Test("descriptions have names, kinds, ranges and defaults")
  func descriptions() throws {
    let shrink = try OperationDescription.of("shrink")
    let horizontal = try #require(shrink.input("hshrink"))
    #expect(horizontal.kind == .double)
    #expect(horizontal.isRequired)
    #expect(horizontal.range.lowerBound == 1)
    #expect(shrink.outputs.map(\.name) == ["out"])
    // An older name of `hshrink` that libvips still takes.
    #expect(shrink.input("xshrink") == nil)
    #expect(!shrink.isForeign)
    let flip = try #require(try OperationDescription.of("flip").input("direction"))
    #expect(flip.kind == .enumeration(["horizontal", "vertical"]))
    #expect(try OperationDescription.of("jpegload").isForeign)
    #expect(try OperationDescription.of("system").isForeign)
  }

  @Test("every operation that libvips lists can be described, with its texts")
  func everyDescription() throws {
    let names = OperationDescription.names
    #expect(names.count > 250)
    #expect(names.contains("resize"))
    #expect(names == names.sorted())
    for name in names {
      let description = try OperationDescription.of(name)
      #expect(!description.summary.isEmpty, "\(name)")
      for input in description.inputs { #expect(!input.name.isEmpty, "\(name)") }
    }
  }
}
