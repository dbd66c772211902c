import MinilabKit
import Testing

@testable import MinilabHost

private let place = Place(file: Path("p.toml"), line: 3, column: 8)

private func template(_ text: String) throws -> PathTemplate {
  var problems: [Problem] = []
  let template = PathTemplate(text, at: place, key: "output[0].path", &problems)
  try #require(problems.isEmpty, "\(problems)")
  return try #require(template)
}

private func problems(_ text: String) -> [Problem] {
  var problems: [Problem] = []
  let template = PathTemplate(text, at: place, key: "output[0].path", &problems)
  #expect((template == nil) == !problems.isEmpty)
  return problems
}

private func values(_ folder: String, _ name: String) -> PathValues {
  PathValues(
    folder: Array(folder.utf8),
    name: Array(name.utf8),
    format: .jpeg,
    output: "large",
    index: 7,
    root: Array("photos".utf8),
    size: PlannedSize(width: 1024, height: 683),
    clock: WallClock(seconds: 1_709_210_096)
  )
}

private func filled(_ text: String, _ folder: String, _ name: String) throws -> String {
  let path = try template(text).fill(values(folder, name))
  return try #require(path.text)
}

@Test("Every variable stands for what the design says")
func everyVariable() throws {
  #expect(try filled("{dir}/{stem}.{ext}", "a/b", "c.JPEG") == "a/b/c.jpg")
  #expect(try filled("{output}/{index}-{root}", "a", "c") == "large/7-photos")
  #expect(try filled("{width}x{height}/{stem}", "", "c.png") == "1024x683/c")
  #expect(try filled("{date:%Y/%m/%d %H%M%S}", "", "c") == "2024/02/29 123456")
  #expect(try filled("{date}", "", "c") == "2024-02-29")
  #expect(try filled("{date:%a %b %j %%}", "", "c") == "Thu Feb 060 %")
}

@Test(
  "An output's extension is that of the format that is written, whatever the input was called (35)"
)
func extensionOfTheFormat() throws {
  let spelled: [(PictureFormat, String)] = [
    (.jpeg, "jpg"), (.png, "png"), (.webp, "webp"), (.tiff, "tif"), (.gif, "gif"), (.avif, "avif"),
    (.heif, "heic"), (.jxl, "jxl"),
  ]
  for (format, fileExtension) in spelled {
    var item = values("", "x.JPG")
    item.format = format
    #expect(try template("{stem}.{ext}").fill(item) == Path("x.\(fileExtension)"))
  }
}

@Test("An empty folder leaves no slash")
func emptyFolder() throws {
  #expect(try filled("{dir}/{stem}.{ext}", "", "c.png") == "c.jpg")
  #expect(try filled("small/{dir}/{stem}.{ext}", "", "c.png") == "small/c.jpg")
  #expect(try filled("small/{dir}/{stem}.{ext}", "a", "c.png") == "small/a/c.jpg")
  #expect(try filled("x{dir}/{stem}", "", "c.png") == "x/c")
  #expect(try filled("{dir}{stem}", "", "c.png") == "c")
}

@Test("A template is filled once: names that look like variables stay names (33)")
func filledOnce() throws {
  let odd = [
    "{ext}", "{{stem}}", "%d", "a:b", "@at", "-d", "a b", "a\nb", "it's \"q\"", "😀", "e\u{301}",
    "\u{e9}", "}{", "$(x)", "a\\b",
  ]
  for stem in odd {
    #expect(try filled("{dir}/{stem}.{ext}", "{output}", stem + ".png") == "{output}/\(stem).jpg")
  }
}

@Test("Bytes that are no UTF-8 pass through (33)")
func invalidUTF8() throws {
  var item = values("", "")
  item.folder = [0xff, 0xfe]
  item.name = [0x61, 0xe9, 0x2e, 0x70, 0x6e, 0x67]
  let path = try template("{dir}/{stem}-é.{ext}").fill(item)
  #expect(path.bytes == [0xff, 0xfe, 0x2f, 0x61, 0xe9] + Array("-é.jpg".utf8))
}

@Test("Doubled braces are braces")
func braces() throws {
  #expect(try filled("{{{stem}}}.{ext}", "", "c.png") == "{c}.jpg")
}

@Test("A misspelt variable is told with the nearest name")
func misspelt() throws {
  let problem = try #require(problems("{dir}/{stm}.{ext}").first)
  #expect(problem.code == .unknownKey)
  #expect(
    problem.description
      == "p.toml:3:8: output[0].path: expected a path variable (did you mean \"stem\"?), "
      + "found {stm}"
  )
}

@Test("All problems of a template are told at once")
func allProblems() {
  #expect(problems("{dri}/{stm}.{group}").map(\.code) == [.unknownKey, .unknownKey, .conflict])
}

@Test(
  "A template that can lead to no file below the output root is refused",
  arguments: [
    "", "/", "/{stem}", "../{stem}", "{dir}/../{stem}", "..", "./{stem}", "a//{stem}", "{stem}/",
    "{dir}/", "a/./b", ".minilab/{stem}", ".MiniLab/tmp/{stem}", "a\0b",
    "\(String(repeating: "é", count: 128))/{stem}", "{date:%Y/../../}{stem}",
    "{stem", "stem}", "{}", "{stem:x}", "{date:}", "{date:%Q}", "{date:%}", "{date:%Z}", "{ stem}",
  ]
)
func refusedTemplates(text: String) {
  #expect(!problems(text).isEmpty)
}

@Test("Names that only look like those are allowed")
func allowedTemplates() throws {
  #expect(try filled("...{stem}", "", "c") == "...c")
  #expect(try filled("a/.minilab/{stem}", "", "c") == "a/.minilab/c")
  #expect(try filled(".minilabs/{stem}", "", "c") == ".minilabs/c")
}

@Test("An item whose names lead to no possible path fails with what is wrong")
func impossibleItems() throws {
  let long = try template("{stem}-{output}.{ext}")
  #expect(throws: ItemError.self) {
    try long.fill(values("", String(repeating: "n", count: 251) + ".jpg"))
  }
  #expect(throws: Never.self) {
    try long.fill(values("", String(repeating: "n", count: 245) + ".jpg"))
  }
  // `..jpg` is a file whose stem is a dot.
  let dot = #expect(throws: ItemError.self) {
    try template("{stem}/{output}.{ext}").fill(values("", "..jpg"))
  }
  #expect(dot?.code == .outputPath)
  #expect(throws: ItemError.self) { try template("{stem}/x").fill(values("", ".minilab")) }
}

@Test("A template knows which headers it needs")
func neededHeaders() throws {
  #expect(try !template("{dir}/{stem}-{index}-{root}-{output}.{ext}").needsHeader)
  #expect(try template("{width}").needsSize && template("{height}").needsSize)
  #expect(try template("{date:%Y}/{stem}").needsDate && !template("{date:%Y}").needsSize)
}

@Test("EXIF's date stands as it is; what is no date is none")
func exifDates() throws {
  let clock = try #require(WallClock(exif: "2024:02:29 12:34:56"))
  #expect(clock == WallClock(seconds: 1_709_210_096))
  #expect(WallClock(exif: "1899:12:31 23:59:59")?.written(as: "%Y") == Array("1899".utf8))
  for text in [
    "", "    :  :     :  :  ", "0000:00:00 00:00:00", "2024:13:01 00:00:00", "2024:02:29",
    "2024:02:29 24:00:00", "2021:02:29 12:00:00", "1900:02:29 12:00:00", "2024:04:31 12:00:00",
    "yesterday at twelve",
  ] {
    #expect(WallClock(exif: text) == nil, "\(text)")
  }
}
