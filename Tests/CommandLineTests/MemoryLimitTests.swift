import Foundation
import MinilabKit
import TestSupport
import Testing
import Vips

/// A worker that is refused memory, by whatever library it happens to be in.
@Suite("A limit of memory", .vips)
struct MemoryLimitTests {
  private let scratch: ScratchFolder
  /// Each needs some pieces of 27 MB or more.
  private let picture: Image

  init() throws {
    scratch = try ScratchFolder()
    picture = try Image(
      pixels: [UInt8](repeating: 90, count: 3000 * 3000 * 3),
      width: 3000,
      height: 3000,
      bands: 3
    )
  }

  private func write(_ saver: String, _ arguments: [Argument] = [], to name: String) throws {
    let target = try Target()
    try picture.save(saver, to: target, arguments)
    try scratch.write(target.bytes, to: "in/" + name)
  }

  private struct Item: Decodable {
    struct Failure: Decodable {
      let code: String
      let text: String
    }
    let event: String
    let input: String?
    let status: String?
    let error: Failure?
  }

  /// Runs with little memory; what has failed, by input.
  private func failures(_ profile: String, _ limit: String) throws -> [String: Item.Failure] {
    try scratch.write("profile = 1\n" + profile, to: "p.toml")
    let result = try Program.minilab.run(
      ["run", "./p.toml", "in", "-o", "out", "--json", "-q", "--jobs", "1", "--limit"].map {
        Path($0)
      }
        + [Path("worker-memory=\(limit)")],
      in: scratch.path
    )
    var failures: [String: Item.Failure] = [:]
    for line in result.outputText.split(separator: "\n") {
      let item = try JSONDecoder().decode(Item.self, from: Data(line.utf8))
      if item.event == "item", let input = item.input { failures[input] = item.error }
    }
    return failures
  }

  @Test("is what a picture fails of, whichever decoder asks, and whatever becomes of it then")
  func decoders() throws {
    try write("jpegsave_target", [.init("interlace", .bool(true))], to: "progressive.jpg")
    try write("pngsave_target", [.init("interlace", .bool(true))], to: "interlaced.png")
    try write(
      "webpsave_target",
      [.init("lossless", .bool(true)), .init("effort", .int(0))],
      to: "b.webp"
    )
    try write("jpegsave_target", to: "a.jpg")
    try write("gifsave_target", [.init("effort", .int(1))], to: "c.gif")
    // The picture is held, so that none of them gets along.
    let blur = "[[step]]\nop = \"blur\"\nsigma = 3.0\n[[output]]\nformat = \"png\"\n"
    let failed = try failures(blur, "50MB")
    #expect(
      failed.keys.sorted() == ["a.jpg", "b.webp", "c.gif", "interlaced.png", "progressive.jpg"]
    )
    for (input, error) in failed {
      #expect(error.code == "out-of-memory", "\(input): \(error.text)")
      #expect(
        error.text.contains("50 MB of memory (limits.worker-memory;"),
        "\(input): \(error.text)"
      )
    }
  }

  @Test("is what a picture fails of where an encoder asks", arguments: ["webp", "jxl", "heif"])
  func encoders(format: String) throws {
    try write("jpegsave_target", to: "a.jpg")
    let failed = try failures(
      "[input]\nformats = \"all\"\n[[output]]\nformat = \"\(format)\"\nquality = 80\n",
      "60MB"
    )
    #expect(failed["a.jpg"]?.code == "out-of-memory", "\(failed["a.jpg"]?.text ?? "")")
  }

  @Test("costs no member of a group its good name")
  func group() throws {
    for name in ["a.jpg", "b.jpg"] { try write("jpegsave_target", to: "g/" + name) }
    let failed = try failures(
      """
      [gather]
      by = "folder"
      incomplete = "keep"
      [[step]]
      op = "blur"
      sigma = 3.0
      [[step]]
      op = "compose"
      layout = "strip"
      [[output]]
      path = "{group}.{ext}"
      format = "png"
      """,
      "40MB"
    )
    #expect(failed.values.map(\.code) == ["out-of-memory"], "\(failed)")
  }
}
