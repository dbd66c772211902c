import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

private let place = Place(file: Path("p.toml"), line: 1, column: 1)

private func template(_ text: String) throws -> PathTemplate {
  var problems: [Problem] = []
  return try #require(PathTemplate(text, at: place, key: "path", &problems), "\(problems)")
}

private let encoders: [PictureFormat: any PictureEncoder] = {
  var encoders: [PictureFormat: any PictureEncoder] = [:]
  for type in pictureEncoders { encoders[type.format] = type.init() }
  return encoders
}()

private func output(
  _ path: String,
  name: String = "main",
  format: OutputFormat? = nil
) throws -> Output {
  var settings = OutputSettings()
  settings.name = name
  settings.path = path
  settings.format = format
  let chosen = format.map { format in encoders.filter { $0.key == format.picture } } ?? encoders
  return Output(
    settings: settings,
    path: try template(path),
    steps: [],
    encoders: chosen,
    namesEncoderOption: false,
    place: place
  )
}

private func profile(
  _ outputs: [Output],
  _ change: (inout InputPolicy) -> Void = { _ in }
) -> Profile {
  var input = InputPolicy()
  change(&input)
  return Profile(
    file: Path("p.toml"),
    summary: "",
    input: input,
    limits: RunLimits(),
    gather: nil,
    notes: NotePolicy(),
    source: nil,
    steps: [],
    outputs: outputs,
    node: Node(.table([]), at: place)
  )
}

private func plan(
  _ path: String,
  _ files: [String],
  format: OutputFormat? = nil,
  clash: ClashPolicy = .error
) throws -> Plan {
  let folder = try TemporaryFolder()
  for file in files { try folder.write(SampleBytes.jpeg, to: "in/" + file) }
  return try Plan(
    profile([output(path, format: format)]) { $0.clash = clash },
    inputs: [folder.at("in")],
    output: folder.at("out")
  )
}

/// Each unit's input and first output.
private func pairs(_ plan: Plan) -> [String] {
  (0..<plan.count).map { index in
    "\(plan.input(at: index).shown) \(plan.outputs(at: index).first?.shown ?? "none")"
  }
}

@Test("A unit is what a worker needs: its input as it is opened, its format, every output")
func units() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.jpeg, to: "in/a/x.JPG")
  try folder.write(SampleBytes.png, to: "in/b.jpeg")
  let plan = try Plan(
    profile([
      output("{dir}/{stem}-{output}.{ext}", name: "large", format: .webp),
      output("thumbs/{dir}/{stem}.{ext}", name: "small"),
    ]),
    inputs: [folder.at("in")],
    output: folder.at("out")
  )
  #expect(plan.count == 2)
  #expect(!plan.needsHeaders)
  let first = try #require(plan.unit(at: 0))
  #expect(first.id == 0)
  #expect(first.input == folder.at("in/a/x.JPG"))
  #expect(first.format == .jpeg)
  #expect(first.outputs == [Path("a/x-large.webp"), Path("thumbs/a/x.jpg")])
  // Without a format of its own an output takes the content's, not the name's (35).
  #expect(plan.unit(at: 1)?.outputs == [Path("b-large.webp"), Path("thumbs/b.png")])
  #expect(plan.probe(at: 1)?.format == .png)
  #expect(plan.input(at: 1) == Path("b.jpeg"))
}

@Test("The index counts from 1 in the order of the plan; the root is the input's name")
func indexAndRoot() throws {
  #expect(
    pairs(try plan("{root}-{index}.{ext}", ["b.jpg", "a.jpg"])) == [
      "a.jpg in-1.jpg", "b.jpg in-2.jpg",
    ]
  )
}

@Test("An input format that is read but not written fails its item alone, and says what to set")
func unwritable() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.svg, to: "a.svg")
  try folder.write(SampleBytes.jpeg, to: "b.jpg")
  let all = profile([try output("{stem}.{ext}", name: "web")]) { $0.formats = .all }
  let plan = try Plan(all, inputs: [folder.path], output: folder.at("out"))
  #expect(plan.failure(at: 0)?.code == .formatNotWritten)
  #expect(
    plan.failure(at: 0)?.text
      == "expected a format for output \"web\", such as format = \"png\", found none, and an input "
      + "in SVG, which is read but not written"
  )
  #expect(plan.unit(at: 0) == nil && plan.probe(at: 0) == nil && plan.outputs(at: 0).isEmpty)
  #expect(plan.unit(at: 1)?.outputs == [Path("b.jpg")])
  let png = profile([try output("{stem}.{ext}", format: .png)]) { $0.formats = .all }
  #expect(try Plan(png, inputs: [folder.path], output: folder.at("out")).failure(at: 0) == nil)
}

@Test("An item whose output path cannot be fails, the others go on")
func impossiblePath() throws {
  let long = String(repeating: "n", count: 251) + ".jpg"
  let plan = try plan("{stem}-small.{ext}", ["a.jpg", long])
  #expect(plan.unit(at: 0)?.outputs == [Path("a-small.jpg")])
  #expect(plan.failure(at: 1)?.code == .outputPath)
}

@Test("Nothing to do is told apart from an error, with what was seen")
func nothingMatched() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.text("x"), to: "a.txt")
  try folder.write(SampleBytes.jpeg, to: ".b.jpg")
  let error = #expect(throws: PlanError.self) {
    try Plan(profile([output("{stem}")]), inputs: [folder.path], output: folder.at("out"))
  }
  #expect(error == .nothingMatched(LeftOut(notAPicture: 1, hidden: 1)))
  #expect(error?.text == "no picture found (left out: 1 not-a-picture, 1 hidden)")
}

// MARK: Clashes

@Test("Two inputs on one output are refused before anything starts, naming all three")
func clash() throws {
  let error = #expect(throws: PlanError.self) {
    try plan("{stem}.{ext}", ["a/x.jpg", "b/x.jpg", "b/y.jpg", "c/x.jpg", "c/y.jpg"])
  }
  #expect(
    error?.text
      == "x.jpg: expected one input for each output path, found a/x.jpg and b/x.jpg; change the "
      + "output's path, or set input.clash to \"number\" (and 1 more such path)"
  )
}

@Test("Paths that differ only in the case of letters clash, in any alphabet")
func letterCase() throws {
  for (first, second) in [("A.jpg", "a.jpg"), ("É.jpg", "é.jpg"), ("Σ.jpg", "ς.jpg")] {
    let error = #expect(throws: PlanError.self) { try plan("{stem}.{ext}", [first, second]) }
    guard case .clash(let clash, 0) = error else {
      Issue.record("no clash of \(first) and \(second)")
      continue
    }
    #expect(clash.kind == .letterCase)
    #expect(clash.text.contains(first) && clash.text.contains(second))
  }
}

@Test("Composed and decomposed letters, and bytes that are no text, stay apart (33)")
func normalForms() throws {
  #expect(try plan("{stem}.{ext}", ["\u{e9}.jpg", "e\u{301}.jpg"]).count == 2)
  #expect(caseFolded([0xff, 0x41]) == [0xff, 0x61])
  #expect(caseFolded([0xfe, 0x61]) != caseFolded([0xff, 0x61]))
}

@Test("Numbers go to the later inputs, in the order of their paths, and never onto a real name")
func numbers() throws {
  let plan = try plan(
    "{stem}.{ext}",
    ["a/x.jpg", "b/x.jpg", "c/x-2.jpg", "d/X.jpg", "e/x.jpg", "f/x-3.JPG", "g/.x.y/h.jpg"],
    clash: .number
  )
  #expect(
    pairs(plan) == [
      "a/x.jpg x.jpg", "b/x.jpg x-4.jpg", "c/x-2.jpg x-2.jpg", "d/X.jpg X-5.jpg",
      "e/x.jpg x-6.jpg", "f/x-3.JPG x-3.jpg",
    ]
  )
}

@Test("Numbered names are the same however often the plan is made")
func numbersAreStable() throws {
  let files = (0..<40).map { "\($0)/x.jpg" }
  let first = pairs(try plan("{stem}.{ext}", files, clash: .number))
  #expect(Set(first).count == 40)
  #expect(pairs(try plan("{stem}.{ext}", files.reversed(), clash: .number)) == first)
}

@Test("A name without an extension takes its number at the end")
func numberedNames() {
  #expect(numbered(Path("a.b/c"), 2) == Path("a.b/c-2"))
  #expect(numbered(Path("a.b/c.tar.gz"), 12) == Path("a.b/c.tar-12.gz"))
  #expect(numbered(Path(".c"), 3) == Path(".c-3"))
}

@Test("A name that is too long for its number fails its item")
func numberTooLong() throws {
  let name = String(repeating: "n", count: 251) + ".jpg"
  let plan = try plan("{stem}.{ext}", ["a/" + name, "b/" + name], clash: .number)
  #expect(plan.failure(at: 0) == nil)
  #expect(plan.failure(at: 1)?.code == .outputPath)
}

@Test("Two outputs of one item on one path are refused, and no number helps")
func outputsOfOneItem() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.jpeg, to: "a.jpg")
  let both = [try output("{stem}.{ext}", name: "x"), try output("{stem}.{ext}", name: "y")]
  for policy in ClashPolicy.allCases {
    let error = #expect(throws: PlanError.self) {
      try Plan(profile(both) { $0.clash = policy }, inputs: [folder.path], output: folder.at("out"))
    }
    #expect(error?.text.contains("{output}") == true)
  }
}

@Test("Pictures of one name from two folders are told apart by the folders")
func foldersWithOneName() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.jpeg, to: "a/x.jpg")
  try folder.write(SampleBytes.jpeg, to: "b/x.jpg")
  let inputs = [folder.at("a"), folder.at("b")]
  let error = #expect(throws: PlanError.self) {
    try Plan(profile([output("{stem}.{ext}")]), inputs: inputs, output: folder.at("out"))
  }
  let names = inputs.map { $0.appending("x.jpg").shown }
  #expect(
    error?.text
      == "x.jpg: expected one input for each output path, found \(names[0]) and \(names[1]); "
      + "change the output's path, or set input.clash to \"number\""
  )
}

@Test("An output that would be a folder of another output is refused")
func folderOfAnother() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.jpeg, to: "in/a")
  try folder.write(SampleBytes.jpeg, to: "in/b/c")
  let outputs = [try output("{dir}/{stem}", name: "x"), try output("A/{stem}.{ext}", name: "y")]
  let error = #expect(throws: PlanError.self) {
    try Plan(profile(outputs), inputs: [folder.at("in")], output: folder.at("out"))
  }
  guard case .clash(let clash, _) = error else {
    Issue.record("\(String(describing: error))")
    return
  }
  #expect(clash.kind == .folder)
  #expect(clash.first.output == Path("a"))
  #expect(clash.second.output == Path("A/a.jpg"))
}

@Test("Hashes that meet by chance are no clash; true clashes are found among them")
func hashesThatMeet() throws {
  var table = ItemTable()
  let root = table.addRoot(ItemTable.Root(path: Path("in"), name: []))
  for index in 0..<300 { table.add("\(index)".utf8, in: root, .jpeg, seconds: 0) }
  let few = PathHash(mask: 0xf)
  func plan(_ items: ItemTable, _ policy: ClashPolicy) throws -> Plan {
    let recipe = Plan.Recipe(
      name: "o",
      path: try template("x/{stem}.{ext}"),
      format: .png,
      writable: [.png]
    )
    return try Plan(items, LeftOut(), [recipe], clash: policy, hash: few)
  }
  #expect(Set(pairs(try plan(table, .error))).count == 300)
  table.add("7.gif".utf8, in: root, .gif, seconds: 0)
  #expect(throws: PlanError.self) { try plan(table, .error) }
}

// MARK: Inputs are never written

@Test("An output never takes an input's place where the inputs lie below the output root")
func overwritesInput() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.jpeg, to: "photos/a.JPG")
  let inPlace = profile([try output("{root}/{dir}/{stem}.{ext}")])
  let photos = folder.at("photos")
  // Only the letters' case differs: on a camera's card that is the same file.
  let error = #expect(throws: PlanError.self) {
    try Plan(inPlace, inputs: [photos], output: folder.path)
  }
  #expect(
    error
      == .overwritesInput(
        output: Path("photos/a.jpg"),
        of: Path("a.JPG"),
        input: photos.appending("a.JPG")
      )
  )
  // The same through other names of the same folders.
  try folder.link("here", to: ".")
  #expect(throws: PlanError.self) {
    try Plan(inPlace, inputs: [folder.at("here/photos")], output: folder.at("photos/.."))
  }
  let beside = profile([try output("{root}/{dir}/{stem}-small.{ext}")])
  #expect(try Plan(beside, inputs: [photos], output: folder.path).count == 1)
}

@Test("A file that is named through a link is safe by both its names")
func overwritesTarget() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.jpeg, to: "out/photo.jpg")
  try folder.link("links/photo.jpg", to: "../out/photo.jpg")
  #expect(throws: PlanError.self) {
    try Plan(
      profile([output("{stem}.{ext}")]),
      inputs: [folder.at("links/photo.jpg")],
      output: folder.at("out")
    )
  }
}

@Test("Numbers step over inputs too")
func numbersStepOverInputs() throws {
  let folder = try TemporaryFolder()
  for file in ["1/x.jpg", "2/x.jpg", "y-2.jpg"] {
    try folder.write(SampleBytes.jpeg, to: "p/" + file)
  }
  let plan = try Plan(
    profile([output("p/y.{ext}")]) {
      $0.clash = .number
    },
    inputs: [folder.at("p")],
    output: folder.path
  )
  #expect(pairs(plan) == ["1/x.jpg p/y.jpg", "2/x.jpg p/y-3.jpg", "y-2.jpg p/y-4.jpg"])
}

// MARK: Headers

@Test("Paths of sizes and dates come from headers, and clashes are found after them")
func headers() throws {
  let folder = try TemporaryFolder()
  for file in ["a.jpg", "b.jpg", "c.jpg"] { try folder.write(SampleBytes.jpeg, to: file) }
  let profile = profile([try output("{date:%Y-%m}/{width}x{height}.{ext}")])
  func learned(_ results: [ProbeResult]) throws -> Plan {
    var plan = try Plan(profile, inputs: [folder.path], output: folder.at("out"))
    #expect(plan.needsHeaders)
    for result in results { try plan.learn(result) }
    try plan.settle()
    return plan
  }
  func result(_ id: Int, _ width: Int, _ taken: String) -> ProbeResult {
    ProbeResult(
      id: id,
      header: Header(width: 1, height: 1, orientation: 1, pages: 1, taken: taken),
      sizes: [PlannedSize(width: width, height: 5)]
    )
  }
  let failed = ProbeResult(
    id: 1,
    error: ItemError(.damaged, expected: "a header", received: "none")
  )
  let plan = try learned([
    result(0, 30, "2001:02:03 04:05:06"), failed, result(2, 40, "2001:02:03 04:05:06"),
  ])
  #expect(pairs(plan) == ["a.jpg 2001-02/30x5.jpg", "b.jpg none", "c.jpg 2001-02/40x5.jpg"])
  #expect(plan.failure(at: 1)?.code == .damaged)
  #expect(throws: PlanError.self) {
    try learned([
      result(0, 30, "2001:02:03 04:05:06"), failed, result(2, 30, "2001:02:20 04:05:06"),
    ])
  }
}

@Test("A date that the header does not tell is the file's, on this machine's clock")
func fileDates() throws {
  let folder = try TemporaryFolder()
  let file = try folder.write(SampleBytes.jpeg, to: "a.jpg")
  var times = [
    timespec(tv_sec: 1_577_880_000, tv_nsec: 0), timespec(tv_sec: 1_577_880_000, tv_nsec: 0),
  ]
  try check(file.withCString { utimensat(AT_FDCWD, $0, &times, 0) })
  var plan = try Plan(
    profile([output("{date:%Y-%m-%d %H%M}.{ext}")]),
    inputs: [folder.path],
    output: folder.at("out")
  )
  try plan.settle()
  var time = time_t(1_577_880_000)
  var local = tm()
  localtime_r(&time, &local)
  let hour = (local.tm_hour < 10 ? "0" : "") + "\(local.tm_hour)"
  let shown = plan.outputs(at: 0)[0].shown
  #expect(shown.hasPrefix("2020-01-0") && shown.contains(" \(hour)"))
}

@Test("A size that only pixels can tell is an error of the plan")
func unknownSize() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.jpeg, to: "a.jpg")
  var plan = try Plan(
    profile([output("{width}.{ext}", name: "w")]),
    inputs: [folder.path],
    output: folder.at("out")
  )
  let header = Header(width: 1, height: 1, orientation: 1, pages: 1, taken: nil)
  #expect(throws: PlanError.sizeUnknown(output: "w", input: Path("a.jpg"))) {
    try plan.learn(ProbeResult(id: 0, header: header, sizes: [nil]))
  }
}

// MARK: Size

@Test("A plan takes about 60 bytes an item, its name included")
func compact() throws {
  var table = ItemTable()
  let root = table.addRoot(ItemTable.Root(path: Path("in"), name: Array("in".utf8)))
  let count = 200_000
  for folder in 0..<200 {
    let folder = table.addFolder("2024-\(folder)".utf8, in: root)
    for index in 0..<count / 200 {
      table.add("DSC_\(100_000 + index)_edited.jpg".utf8, in: folder, .jpeg, seconds: 0)
    }
  }
  table.shrink()
  let recipe = Plan.Recipe(
    name: "o",
    path: try template("{dir}/{stem}-{output}.{ext}"),
    format: .webp,
    writable: [.webp]
  )
  let plan = try Plan(table, LeftOut(), [recipe], clash: .error)
  #expect(plan.count == count)
  #expect(plan.bytes / count <= 60)
  #expect(plan.outputs(at: 1001).map(\.shown) == ["2024-1/DSC_100001_edited-o.webp"])
}
