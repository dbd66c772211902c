import TestSupport
import Testing
import Vips

/// The trait of the suite counts objects and buffers after each test.
///
/// These tests are the ways through the binding on which a reference could stay behind; the last
/// one shows that one would be seen.
@Suite("No reference stays behind", .vips)
struct LeakTests {
  private func sample() throws -> Image {
    try Image(pixels: [UInt8](repeating: 7, count: 64 * 64 * 3), width: 64, height: 64, bands: 3)
  }

  @Test("after operations that succeed")
  func success() throws {
    for _ in 0..<20 {
      let small = try sample().shrink(2, 2).rotate(quarterTurns: 1).inMemory()
      #expect(try small.average() == 7)
    }
  }

  @Test("after an operation that fails while it is built")
  func buildFailure() throws {
    for _ in 0..<20 {
      #expect(throws: VipsError.self) {
        try sample().extractArea(left: 60, top: 60, width: 60, height: 60)
      }
    }
  }

  @Test("after an argument that is refused, with others set before it")
  func refusedArgument() throws {
    for _ in 0..<20 {
      let call = try OperationCall("affine")
      try call.set("in", .image(sample()))
      try call.set("interpolate", .interpolate("bicubic"))
      try call.set("matrix", .doubles([1, 0, 0, 1]))
      #expect(throws: VipsError.self) { try call.set("oarea", .string("all")) }
    }
  }

  @Test("after a call that is never run")
  func unused() throws {
    let call = try OperationCall("bandjoin")
    try call.set("in", .images([sample(), sample()]))
  }

  @Test("after a file that is no picture")
  func loaderFailure() throws {
    for bytes in [[UInt8](repeating: 3, count: 500), []] {
      for loader in ["pngload_source", "jpegload_source", "webpload_source", "tiffload_source"] {
        #expect(throws: VipsError.self) { try load(loader, from: Source(bytes: bytes)) }
      }
    }
  }

  @Test("after a file that ends early", arguments: ["png", "jpeg", "webp", "tiff", "gif"])
  func truncated(_ format: String) throws {
    let target = try Target()
    try noise().save("\(format)save_target", to: target)
    let cut = Array(target.bytes.prefix(target.bytes.count * 2 / 3))
    // Some formats fail on the header, others on the pixels.
    #expect(throws: VipsError.self) {
      try load(
        "\(format)load_source",
        from: Source(bytes: cut),
        [.init("fail-on", .enumeration("truncated"))]
      ).average()
    }
  }

  @Test("after a saver that cannot write")
  func saverFailure() throws {
    // WebP holds no such width.
    let wide = try sample().embed(left: 0, top: 0, width: 20_000, height: 1, extend: "black")
    #expect(throws: VipsError.self) { try wide.save("webpsave_target", to: Target()) }
  }

  @Test("after outputs of every kind")
  func outputs() throws {
    for (name, arguments) in [
      ("max", [Argument]()), ("getpoint", [.init("x", .int(0)), .init("y", .int(0))]),
      ("project", []), ("hist_find", []),
    ] {
      let call = try OperationCall(name)
      try call.set("in", .image(sample()))
      try call.set(arguments)
      #expect(!(try call.run().values.isEmpty))
    }
  }

  @Test("after metadata was set, read and removed")
  func metadata() throws {
    let copy = try sample().copy()
    copy.set("icc-profile-data", blob: [1, 2, 3])
    copy.set("note", string: "text")
    #expect(copy.blob("icc-profile-data") == [1, 2, 3])
    copy.remove("icc-profile-data")
  }

  @Test("and one that stays behind is counted")
  func counted() throws {
    let objects = Host.objects
    let buffers = Host.pixelBuffers
    var held = try (0..<100).map { _ in try sample().shrink(2, 2).inMemory() }
    #expect(Host.objects >= objects + 100)
    #expect(Host.pixelBuffers >= buffers + 68)
    #expect(held.allSatisfy { $0.width == 32 })
    held = []
    #expect(Host.objects == objects)
    #expect(Host.pixelBuffers <= buffers + 32)
  }

  /// A picture that no encoder makes small, so that a part of its file is a part of the picture.
  private func noise() throws -> Image {
    var state: UInt32 = 1
    let pixels = (0..<(64 * 64 * 3)).map { _ -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    return try Image(pixels: pixels, width: 64, height: 64, bands: 3)
  }
}
