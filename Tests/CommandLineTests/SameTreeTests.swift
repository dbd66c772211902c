import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// The same input and the same profile make the same tree, whatever the machine is busy with.
@Suite("The same tree, byte for byte", .vips)
struct SameTreeTests {
  private let room: Darkroom
  private let whole: [String: [UInt8]]

  /// The inputs and the tree that belongs to them: painted and made once.
  private static let prepared = Result { try Prepared() }

  init() throws {
    let prepared = try Self.prepared.get()
    room = try Darkroom(Prepared.profile)
    whole = prepared.whole
    for (name, bytes) in prepared.inputs { try room.scratch.write(bytes, to: "in/" + name) }
  }

  private func expectWhole(_ output: String, _ comment: String) throws {
    let tree = try room.tree(output)
    #expect(tree.keys.sorted() == whole.keys.sorted(), "\(comment)")
    for (name, bytes) in tree { #expect(bytes == whole[name], "\(comment): \(name)") }
  }

  @Test("whatever the jobs, and the threads that libvips is told of in the environment")
  func jobsAndThreads() throws {
    for (jobs, threads) in [("1", "4"), ("2", "1"), ("4", "2")] {
      let output = "out-\(jobs)-\(threads)"
      let words = ["run", "./profile.toml", "in", "-o", output, "--jobs", jobs, "--quiet"]
      let result = try room.scratch.minilab(words, environment: ["VIPS_CONCURRENCY": threads])
      #expect(result.status == 0)
      try expectWhole(output, "\(jobs) jobs, \(threads) threads")
    }
  }

  @Test("whatever the memory", arguments: ["1", "300KB", "30MB", "100GB"])
  func memory(_ size: String) throws {
    #expect(try room.run("--memory", size).status == 0)
    try expectWhole("out", size)
  }

  @Test("whichever outputs are there already, and in whatever memory the others are made")
  func partsOfIt() throws {
    try room.run()
    var dice = Dice(77)
    for memory in ["300KB", "10GB"] {
      for name in whole.keys.sorted() where dice.next(0...2) > 0 { try room.remove("out/" + name) }
      #expect(try room.run("--memory", memory).status == 0)
      try expectWhole("out", memory)
    }
  }

  @Test("after an interrupt or a kill, and another run", arguments: [SIGINT, SIGTERM, SIGKILL])
  func interrupted(_ signal: Int32) throws {
    for count in [1, 9, 20] {
      _ = try? room.clear("out")
      let words = ["run", "./profile.toml", "in", "-o", "out", "--quiet"]
      let process = try room.scratch.begin(words)
      while process.isRunning, ((try? room.tree())?.count ?? 0) < count { usleep(2_000) }
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(try room.run("--memory", "1MB").status == 0)
      try expectWhole("out", "signal \(signal) after \(count)")
    }
  }
}

/// Pictures of several formats and orientations, and what one worker makes of them.
private struct Prepared {
  static let profile = """
    profile = 1
    [[step]]
    op = "orient"
    [[output]]
    name = "web"
    path = "{dir}/{stem}-{output}.{ext}"
    format = "webp"
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 300
    [[output]]
    name = "small"
    path = "{dir}/{stem}-{output}.{ext}"
    format = "jpeg"
      [[output.step]]
      op = "sharpen"
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 90
    [[output]]
    name = "turned"
    path = "{dir}/{stem}-{output}.{ext}"
    format = "png"
    effort = 1
      [[output.step]]
      op = "rotate"
      angle = 3
      [[output.step]]
      op = "thumbnail-preview"
      max-side = 120
    """

  let inputs: [String: [UInt8]]
  let whole: [String: [UInt8]]

  init() throws {
    let room = try Darkroom(Self.profile)
    var dice = Dice(8)
    for index in 0..<10 {
      let image = try Self.picture(dice.next(200...900), dice.next(200...700), &dice)
      let (ending, saver, arguments): (String, String, [Argument]) =
        switch index % 5 {
        case 0: ("jpg", "jpegsave_target", [])
        case 1: ("jpg", "jpegsave_target", [.init("interlace", .bool(true))])
        case 2: ("png", "pngsave_target", [.init("interlace", .bool(index == 2))])
        case 3: ("webp", "webpsave_target", [])
        default: ("tif", "tiffsave_target", [])
        }
      let tagged = try image.copy()
      tagged.set("orientation", int: 1 + index % 8)
      let target = try Target()
      try tagged.save(saver, to: target, arguments)
      try room.scratch.write(target.bytes, to: "in/\(index % 3)/\(index).\(ending)")
    }
    try room.paint("large.tif", seed: 5, width: 2000, height: 1200)
    inputs = try room.tree("in")
    #expect(try room.run("--jobs", "1", output: "whole").status == 0)
    whole = try room.tree("whole")
    #expect(whole.count == 33)
  }

  /// Soft forms, and grain.
  private static func picture(_ width: Int, _ height: Int, _ dice: inout Dice) throws -> Image {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 3)
    for y in 0..<height {
      for x in 0..<width {
        let grain = dice.next(0...30)
        pixels += [x * 200 / width + grain, y * 200 / height + grain, (x ^ y) & 127 + grain]
          .map { UInt8(clamping: $0) }
      }
    }
    return try Image(pixels: pixels, width: width, height: height, bands: 3)
  }
}
