import Foundation
import MinilabKit
import TestSupport
import Testing

/// What a dry run and `--explain` tell ahead, held against a run over the same pictures.
@Suite(
  "What is told ahead of the corpus",
  .enabled(if: Corpus.isThere, "there is no corpus of pictures beside the package"),
  .serialized
)
struct ForeseenNotesCorpusTests {
  struct Note: Decodable, Hashable {
    let code: String
    let text: String
  }

  private struct Event: Decodable {
    struct Failure: Decodable {
      let code: String
    }
    struct Output: Decodable {
      let way: String?
    }
    let event: String?
    let input: String?
    let status: String?
    let notes: [Note]?
    let outputs: [Output]?
    let error: Failure?
  }

  /// A profile by its words, or a shipped one by its name.
  struct Lab: Sendable, CustomTestStringConvertible {
    let name: String
    let toml: String?

    var testDescription: String { name }

    init(_ name: String, _ toml: String? = nil) { (self.name, self.toml) = (name, toml) }
  }

  static let shipped = [
    "archive", "collage", "contact-sheet", "id-photo", "previews", "print-10x15", "product-square",
    "round-avatar", "square", "watermark", "web",
  ].map { Lab($0) }

  private static let out = "[[output]]\npath = \"{dir}/{stem}.{ext}\"\n"
  private static let orient = "[[step]]\nop = \"orient\"\n"
  private static let second = "[[output]]\nname = \"b\"\npath = \"{dir}/{stem}-b.{ext}\"\n"

  static let own = [
    Lab("copied", out),
    Lab("copied in any color", out + "color = \"keep\"\n"),
    Lab("copied with less metadata", out + "metadata = \"copyright\"\n"),
    Lab("stripped", out + "metadata = \"none\"\ncolor = \"keep\"\n"),
    Lab("turned", orient + out + "metadata = \"no-location\"\ncolor = \"keep\"\n"),
    Lab(
      "trimmed",
      """
      \(orient)lossless = "trim"
      [[step]]
      op = "crop"
      rect = ["10%", "10%", "70%", "60%"]
      lossless = "trim"
      \(out)
      """
    ),
    Lab(
      "other colors",
      """
      \(orient)\(out)format = "png"
      color = "p3"
      \(second)format = "webp"
      embed-profile = false
        [[output.step]]
        op = "thumbnail-preview"
        max-side = 100
      """
    ),
    Lab(
      "gray",
      """
      [[step]]
      op = "grayscale"
      \(out)format = "tiff"
      \(second)format = "gif"
        [[output.step]]
        op = "pad"
        border = 3
        background = "red"
      """
    ),
    Lab(
      "ready previews",
      """
      \(orient)[[step]]
      op = "thumbnail-preview"
      max-side = 100
      use-existing = "embedded"
      \(out)format = "jpeg"
      color = "p3"
      """
    ),
    Lab(
      "pages",
      """
      [input]
      pages = "all"
      \(out)format = "webp"
      \(second)format = "jpeg"
      pages = "first"
      """
    ),
    Lab("split", "[input]\npages = \"split\"\n\(out)format = \"png\"\ncolor = \"keep\"\n\(second)"),
    Lab(
      "looked at",
      "[[step]]\nop = \"crop\"\naspect = \"1:1\"\ngravity = \"attention\"\n\(out)color = \"keep\"\n"
    ),
  ]

  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func profile(_ lab: Lab) throws -> String {
    guard let toml = lab.toml else {
      return packageRoot.appending("profiles/\(lab.name).toml").shown
    }
    return try scratch.write("profile = 1\n\(toml)", to: "profile.toml").shown
  }

  /// By input; the last word of a run is not among them.
  private func items(_ words: [String]) throws -> [String: Event] {
    let result = try scratch.minilab(words)
    let events = try result.output.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Event.self, from: Data($0))
    }
    return Dictionary(
      events.compactMap { event in event.input.map { ($0, event) } },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// What both tell of all pictures of these folders that were made.
  private func compare(_ lab: Lab, over folders: [String]) throws -> [String: Event] {
    let includes = folders.map { "\"\($0)/**\"" }.joined(separator: ", ")
    let words = [
      "run", try profile(lab), Corpus.path.shown, "-o", "out", "--json", "-q", "--set",
      "input.clash=number", "--set", "input.include=[\(includes)]",
    ]
    let planned = try items(words + ["--dry-run"])
    let made = try items(words).filter { $0.value.status == "done" }
    #expect(!made.isEmpty)
    for (name, item) in made {
      let plan = try #require(planned[name], "\(name)")
      #expect(plan.error == nil, "\(name)")
      let (before, after) = (Set(plan.notes ?? []), Set(item.notes ?? []))
      #expect(before.subtracting(after) == [], "\(name): told, and not so")
      let sure = after.subtracting(before).filter { Self.areSure.contains($0.code) }
      #expect(sure == [], "\(name): not told ahead")
    }
    return made
  }

  /// Told ahead of every picture that is whole.
  private static let areSure: Set = ["copied", "lossless", "trimmed"]

  private static let folders = [
    "jpeg-cmyk", "icc-jpeg", "exif-gps", "mpo-motion", "orient-webp", "gif",
  ]

  @Test("A dry run by a shipped profile tells nothing that is not so", arguments: shipped)
  func shippedProfile(_ lab: Lab) throws { _ = try compare(lab, over: Self.folders) }

  @Test("A dry run tells what is copied and what is moved", arguments: own)
  func ownProfile(_ lab: Lab) throws { _ = try compare(lab, over: Self.folders) }

  @Test(
    "An explanation tells the ways of the run",
    arguments: [own[0], own[2], own[4], own[5]]
  )
  func ways(_ lab: Lab) throws {
    let made = try compare(lab, over: ["orient-jpeg", "jpeg-cmyk"])
    for (place, name) in made.keys.sorted().enumerated() where place % 3 == 0 {
      let item = try #require(made[name])
      let file = Corpus.path.appending(name).shown
      let told = try items(["run", try profile(lab), "--explain", file, "--json"])
      let explained = try #require(told.values.first, "\(name)")
      let (before, after) = (Set(explained.notes ?? []), Set(item.notes ?? []))
      #expect(before.subtracting(after) == [], "\(name)")
      let codes = Set(after.map(\.code))
      let way = explained.outputs?.first?.way
      #expect((way == "copy") == codes.contains("copied"), "\(name): \(way ?? "")")
      #expect((way == "lossless") == codes.contains("lossless"), "\(name): \(way ?? "")")
    }
  }

  @Test("An explanation shows pixels as the file has them")
  func inks() throws {
    let lab = Lab("copied", Self.out)
    for name in try compare(lab, over: ["jpeg-cmyk"]).keys {
      let told = try scratch.minilab(
        ["run", try profile(lab), "--explain", Corpus.path.appending(name).shown]
      )
      let line = try #require(told.outputText.split(separator: "\n").first)
      #expect(line.contains(", CMYK, 4 × 8 bit, worked on as 3 × 8 bit"), "\(line)")
    }
  }
}
