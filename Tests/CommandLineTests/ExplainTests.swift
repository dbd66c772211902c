import Foundation
import Glibc
import MinilabKit
import TestSupport
import Testing
import Vips

@testable import MinilabHost

/// `minilab run --explain` as a process.
@Suite("minilab run --explain", .vips)
struct ExplainTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder(
      profile: """
        profile = 1
        [[step]]
        op = "crop"
        rect = [40, 60, 1000, 500]
        [[output]]
        name = "large"
        path = "{stem}-{output}-{width}.{ext}"
        quality = 71
          [[output.step]]
          op = "thumbnail-preview"
          max-side = 250
        [[output]]
        name = "small"
        path = "{stem}-{output}.{ext}"
        format = "png"
          [[output.step]]
          op = "thumbnail-preview"
          max-side = 100
        """,
      as: "sizes.toml"
    )
    let target = try Target()
    try Sample.gradient(width: 1200, height: 800).save("jpegsave_target", to: target, [])
    try scratch.write(target.bytes, to: "in/a.jpg")
  }

  private func explain(_ arguments: String...) throws -> Program.Result {
    try scratch.minilab(["run", "./sizes.toml"] + arguments)
  }

  @Test("Limits of the command line are those of the profile, and a picture may be in no group")
  func refused() throws {
    let limited = try explain("--explain", "in/a.jpg", "--limit", "max-side=10")
    #expect(limited.status == 1)
    #expect(limited.errorText.contains("max-side"))
    try scratch.write(
      """
      profile = 1
      [gather]
      by = "pattern:zzz"
      [[step]]
      op = "compose"
      layout = "grid"
      tile = [50, 50]
      [[output]]
      path = "{group}.{ext}"
      format = "png"
      """,
      to: "sheet.toml"
    )
    let outside = try scratch.minilab(["run", "./sheet.toml", "--explain", "in/a.jpg"])
    #expect(outside.status == 1, "\(outside.errorText)")
    #expect(outside.errorText.contains("in/a.jpg"))
  }

  @Test("tells people how each output is made, makes nothing, and needs no OUT")
  func text() throws {
    let result = try explain("--explain", "in/a.jpg", "--memory", "1GB")
    #expect(result.status == 0)
    #expect(result.errorText == "")
    let lines = result.outputText.split(separator: "\n").map(String.init)
    #expect(
      lines.prefix(9) == [
        "a.jpg: jpeg 1200×800, 3 × 8 bit",
        "large → a-large-250.jpg: jpeg",
        "  decode      1200×800 → 600×400, by jpegload_source, reduced by 2 in the decoder, "
          + "row by row, 0.5 MB",
        // With as much around it as the smaller one's kernel sees.
        "  reduce      600×400 → 266×141, lanczos3 by 2.00 × 2.00, 0.3 MB",
        "  hold        266×141, 0.1 MB",
        "  cut         266×141 → 250×125, from 8, 8",
        "  encode      250×125, quality 71",
        "small → a-small.png: png",
        "  reuse       266×141",
      ]
    )
    #expect(lines.contains("decoded once"))
    #expect(lines.last?.contains("of 1000.0 MB; as long as decoding ") == true)
    let folder = try Descriptor(opening: scratch.path, O_RDONLY | Int32(O_DIRECTORY))
    #expect(try System.names(in: folder.number).map(\.shown).sorted() == ["in", "sizes.toml"])
  }

  private struct Told: Decodable {
    struct Output: Decodable {
      struct Step: Decodable {
        let kind: String
        let to: [Int]
        let shrink: Int?
      }
      let name: String
      let path: String
      let way: String
      let steps: [Step]
    }
    let input: String
    let outputs: [Output]
    let decodes: [Int]
    let memory: Int
    let budget: Int
  }

  private func told(_ memory: String) throws -> Told {
    let result = try explain("--explain", "in/a.jpg", "--json", "--memory", memory)
    #expect(result.status == 0)
    #expect(result.outputText.split(separator: "\n").count == 1)
    return try JSONDecoder().decode(Told.self, from: Data(result.output))
  }

  @Test("tells programs the same in one object, and the passes that short memory makes of it")
  func json() throws {
    let roomy = try told("1GB")
    #expect(roomy.input == "a.jpg")
    #expect(roomy.outputs.map(\.path) == ["a-large-250.jpg", "a-small.png"])
    #expect(roomy.outputs.map(\.way) == ["encode", "encode"])
    #expect(roomy.outputs[0].steps.first?.shrink == 2)
    #expect(roomy.outputs[1].steps.last?.to == [100, 50])
    #expect(roomy.decodes == [1])
    #expect(roomy.budget == 1_000_000_000)
    let tight = try told("20000")
    #expect(tight.decodes == [2])
    #expect(tight.outputs[1].steps.map(\.kind) == ["decode", "reduce", "reduce", "encode"])
  }

  @Test("refuses what it cannot tell about, with the reason")
  func refusals() throws {
    let two = try explain("--explain", "in/a.jpg", "in")
    #expect(two.status == 2)
    #expect(
      two.errorText == "minilab run: --explain tells of one picture, and INPUT in is another\n"
    )
    try scratch.write("no picture", to: "in/b.jpg")
    let broken = try explain("--explain", "in/b.jpg")
    #expect(broken.status == 1)
    #expect(broken.errorText.hasPrefix("minilab: b.jpg: expected a picture"))
    let missing = try explain("--explain", "in/c.jpg")
    #expect(missing.status == 2)
    #expect(missing.errorText.contains("c.jpg"))
  }

  @Test("tells of a picture that its output would replace if it were made there")
  func inPlace() throws {
    try scratch.write("profile = 1\n[[output]]\nquality = 60\n", to: "sizes.toml")
    try scratch.write(contents(of: scratch.path.appending("in/a.jpg")), to: "a.jpg")
    let result = try explain("--explain", "a.jpg")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.outputText.contains("main → a.jpg: jpeg\n"))
  }

  @Test("takes memory in the units of people, and nothing else")
  func memory() throws {
    #expect(try told("2MiB").budget == 2 << 20)
    for wrong in ["much", "-1", "0", "2XB"] {
      let result = try explain("--explain", "in/a.jpg", "--memory", wrong)
      #expect(result.status == 2)
      #expect(
        result.errorText == "minilab run: --memory: expected a number of bytes such as 2GB, "
          + "512MiB or 1_000_000, found \"\(wrong)\"\n"
      )
    }
  }
}
