import Foundation
import MinilabKit
import TestSupport
import Testing

/// Good pictures that are refused, and why; `scripts/corpus-check` runs over all of the corpus.
private let refusals: [String: String] = [
  "exif-odd/pillow/hopper_bad_exif.jpg": "its rows are shifted: its data is damaged, not its EXIF",
  "tiff/pillow/16bit.s.tif": "signed samples: programs do not agree on which number is black",
  "tiff/twelvemonkeys/part.tif": "signed samples",
  "tiff/twelvemonkeys/signed-integral-8bit.tif": "signed samples",
  "tiff/twelvemonkeys/planar-yuv444-jpeg-lzw.tif": "libvips takes its planes for RGB",
  "orient-tga/deb-gdk-pixbuf/gtk-logo-gray-16bpp-bottom-left.tga": misread,
  "orient-tga/deb-gdk-pixbuf/gtk-logo-gray-16bpp-bottom-right.tga": misread,
  "orient-tga/deb-gdk-pixbuf/gtk-logo-gray-16bpp-top-left.tga": misread,
  "orient-tga/deb-gdk-pixbuf/gtk-logo-gray-16bpp-top-right.tga": misread,
]

private let misread = "ImageMagick takes gray with alpha for colors of five bits"

private struct Event: Decodable {
  struct Output: Decodable {
    let path: String
    let width: Int
    let height: Int
    let bytes: Int
  }
  struct Failure: Decodable {
    let code: String
    let text: String
  }
  let event: String
  let input: String?
  let status: String?
  let outputs: [Output]?
  let error: Failure?
  let done: Int?
  let failed: Int?
}

/// One row of the table.
private struct Picture {
  let file: String
  let size: (width: Int, height: Int)?
  let result: String
  let kind: String
  let loader: String

  static func all() throws -> [Picture] {
    let text = String(decoding: try contents(of: Corpus.table), as: UTF8.self)
    let lines = text.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    let names = try #require(lines.first)
    func column(_ name: String) throws -> Int { try #require(names.firstIndex(of: name)) }
    let (width, height) = (try column("upright_width"), try column("upright_height"))
    let (result, kind) = (try column("vips_result"), try column("kind"))
    let loader = try column("loader")
    return lines.dropFirst().map { cells in
      var size: (width: Int, height: Int)?
      if let width = Int(cells[width]), let height = Int(cells[height]) { size = (width, height) }
      return Picture(
        file: cells[0],
        size: size,
        result: cells[result],
        kind: cells[kind],
        loader: cells[loader]
      )
    }
  }

  /// Whatever one may expect of such a file, its picture is not one of a healthy camera.
  var isHostile: Bool {
    ["corrupt", "corrupt-jpeg", "fuzzed", "truncated", "bomb", "svg-hostile", "not-image", "empty"]
      .contains(kind)
  }
}

@Suite(
  "The corpus",
  .enabled(if: Corpus.isThere, "there is no corpus of pictures beside the package"),
  .serialized
)
struct CorpusTests {
  /// Runs a profile over folders of the corpus.
  ///
  /// Every file ends as done or as failed with words; the exit status says which.
  private func run(
    _ profile: String,
    formats: String,
    over folders: [String],
    limit: Int = 20
  ) throws -> [String: Event] {
    let scratch = try ScratchFolder()
    let output = scratch.path.appending("out")
    // One root: paths below it are the table's.
    let includes = folders.map { "\"\($0)/**\"" }.joined(separator: ", ")
    let arguments = [
      "run", packageRoot.appending("profiles/\(profile).toml").shown, Corpus.path.shown, "-o",
      output.shown, "--json", "--set", "input.time-limit=\(limit)", "--set",
      "input.formats=\(formats)", "--set", "input.include=[\(includes)]",
    ]
    let result = try Program.minilab.run(arguments.map { Path($0) })
    let decoder = JSONDecoder()
    let events = try result.output.split(separator: UInt8(ascii: "\n")).map {
      try decoder.decode(Event.self, from: Data($0))
    }
    let summary = try #require(events.last { $0.event == "summary" })
    let items = events.filter { $0.event == "item" }
    #expect(summary.done == items.count { $0.status == "done" })
    #expect(summary.failed == items.count { $0.status == "failed" })
    #expect(result.status == (summary.failed == 0 ? 0 : 1))
    for item in items {
      let name = item.input ?? ""
      switch item.status {
      case "done":
        #expect(item.outputs?.count == 2, "\(name)")
        for made in item.outputs ?? [] {
          #expect(output.appending(made.path).isReadableFile, "\(name)")
          #expect(made.bytes > 0 && made.width > 0 && made.height > 0, "\(name)")
        }
      case "failed":
        let text = item.error?.text ?? ""
        #expect(text.contains("expected ") && text.contains(", found "), "\(name): \(text)")
        #expect(!text.contains("vips") && !text.contains("Vips"), "\(name): \(text)")
        #expect(item.outputs ?? [Event.Output]() == [], "\(name)")
      default: Issue.record("\(name) is \(item.status ?? "nothing")")
      }
    }
    return Dictionary(items.map { ($0.input ?? "", $0) }) { first, _ in first }
  }

  /// Good pictures are done, at the size that they have when they are looked at.
  private func check(_ items: [String: Event], longest: Int) throws {
    var seen = 0
    for picture in try Picture.all() {
      guard let item = items[picture.file], picture.result == "ok", !picture.isHostile else {
        continue
      }
      seen += 1
      if let reason = refusals[picture.file] {
        #expect(item.status == "failed", "\(picture.file) is done, and is listed: \(reason)")
        continue
      }
      #expect(item.status == "done", "\(picture.file): \(item.error?.text ?? "")")
      guard let size = picture.size, let made = item.outputs?.first else { continue }
      let scale = min(1, Double(longest) / Double(max(size.width, size.height)))
      let isRight =
        abs(Double(made.width) - Double(size.width) * scale) < 1
        && abs(Double(made.height) - Double(size.height) * scale) < 1
      #expect(isRight, "\(picture.file): \(size) became \(made.width) × \(made.height)")
    }
    #expect(seen > 0)
  }

  @Test("formats for strangers, through web")
  func safe() throws {
    let items = try run(
      "web",
      formats: "safe",
      over: [
        "apng", "avif", "bigtiff", "bmpsuite", "gif", "heif", "icc-jpeg", "jpeg-cmyk", "name-odd",
        "orient-png", "orient-tiff", "orient-webp", "png-other", "pngsuite", "webp", "wrong-ext",
      ]
    )
    try check(items, longest: 1600)
    #expect(items.keys.contains { $0.hasPrefix("name-odd/") })
    #expect(!items.keys.contains { $0.hasPrefix("bmpsuite/") })
  }

  @Test("all formats, through previews")
  func all() throws {
    let items = try run(
      "previews",
      formats: "all",
      over: [
        "bmpsuite", "corrupt-jpeg", "empty", "exif-odd", "gif-suite", "hdr-gainmap", "jpeg-odd",
        "jxl", "mpo-motion", "not-image", "orient-heif", "orient-jpeg", "orient-tga", "other",
        "svg",
        "tiff", "truncated",
      ]
    )
    try check(items, longest: 1024)
    // A decoder that dies costs its file.
    #expect(items["other/libvips/issue412.jp2"]?.error?.code == "crashed")
  }

  @Test("hostile files: each is refused or done in time, and the run goes on")
  func hostile() throws {
    let items = try run("previews", formats: "all", over: ["svg-hostile", "bomb"], limit: 2)
    let hanging = "svg-hostile/librsvg/bug1062-feTurbulence-limit-numOctaves.svg"
    #expect(items[hanging]?.error?.code == "timeout")
    let giant = "bomb/deb-gdk-pixbuf/bug793470-crasher.png"
    #expect(items[giant]?.error?.code == "too-many-pixels")
    #expect(items.values.contains { $0.status == "done" })
  }

  @Test("every refusal that is listed is a file of the corpus")
  func list() throws {
    let files = Set(try Picture.all().map(\.file))
    for file in refusals.keys { #expect(files.contains(file)) }
  }
}

extension Event.Output: Equatable {}
