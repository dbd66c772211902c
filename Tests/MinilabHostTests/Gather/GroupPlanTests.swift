import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

@Suite("The plan of gathered units")
struct GroupPlanTests {
  private let place = Place(file: Path("p.toml"), line: 1, column: 1)
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func gather(_ by: String, _ incomplete: IncompletePolicy = .keep) throws -> Gather {
    var problems: [Problem] = []
    var gather = Gather()
    let node = Node(.string(by), at: place)
    gather.by = try #require(
      Grouping.decode(node, as: Field("gather.by"), &problems),
      "\(problems)"
    )
    gather.incomplete = incomplete
    return gather
  }

  private func recipe(_ path: String, format: PictureFormat? = .png) throws -> Plan.Recipe {
    var problems: [Problem] = []
    return Plan.Recipe(
      name: "main",
      path: try #require(
        PathTemplate(path, at: place, key: "path", hasGroups: true, &problems),
        "\(problems)"
      ),
      format: format,
      writable: [.png, .jpeg]
    )
  }

  /// A plan of files below `in`, or of other inputs.
  private func plan(
    _ by: String,
    _ files: [String] = [],
    path: String = "{index}.{ext}",
    format: PictureFormat? = .png,
    incomplete: IncompletePolicy = .keep,
    clash: ClashPolicy = .error,
    inputs: [String] = ["in"]
  ) throws -> Plan {
    for file in files { try folder.write(SampleBytes.jpeg, to: "in/" + file) }
    return try plan(by, path, format, incomplete, clash, inputs)
  }

  private func plan(
    _ by: String,
    _ path: String,
    _ format: PictureFormat?,
    _ incomplete: IncompletePolicy,
    _ clash: ClashPolicy,
    _ inputs: [String]
  ) throws -> Plan {
    let found = try Walk.run(inputs.map { folder.at($0) }, InputPolicy(), output: folder.at("out"))
    return try Plan(
      found.items,
      found.leftOut,
      [try recipe(path, format: format)],
      gather: gather(by, incomplete),
      clash: clash,
      output: folder.at("out")
    )
  }

  /// Each unit's members.
  private func groups(_ plan: Plan) -> [[String]] {
    (0..<plan.count).map { plan.inputs(at: $0).map(\.shown) }
  }

  private func outputs(_ plan: Plan) -> [String] {
    (0..<plan.count).map { plan.outputs(at: $0).first?.shown ?? "none" }
  }

  // MARK: Which items

  @Test("all is one group, in the order of the bytes of the paths")
  func all() throws {
    let plan = try plan(
      "all",
      ["b.jpg", "a/z.jpg", "B.jpg", "a.jpg"],
      path: "{group}-{stem}.{ext}"
    )
    #expect(groups(plan) == [["B.jpg", "a.jpg", "a/z.jpg", "b.jpg"]])
    #expect(outputs(plan) == ["1-B.png"])
    #expect(plan.openCount == 1)
  }

  @Test("one item is a group, too")
  func one() throws {
    for by in ["all", "folder", "count:3", "pattern:^(.)"] {
      #expect(groups(try plan(by, ["a.jpg"])) == [["a.jpg"]])
    }
  }

  @Test("folders are those of the items, without what lies in their subfolders")
  func folders() throws {
    let plan = try plan(
      "folder",
      ["m/a.jpg", "m/c/x.jpg", "m/d.jpg", "top.jpg", "z/c/y.jpg"],
      path: "{dir}/{group}/{stem}.{ext}"
    )
    // By bytes `m/c/x.jpg` stands between `m/a.jpg` and `m/d.jpg`.
    #expect(groups(plan) == [["m/a.jpg", "m/d.jpg"], ["m/c/x.jpg"], ["top.jpg"], ["z/c/y.jpg"]])
    #expect(outputs(plan) == ["m/m/a.png", "m/c/c/x.png", "in/top.png", "z/c/c/y.png"])
  }

  @Test("folders of one name in different places are different groups, and their paths clash")
  func foldersOfOneName() throws {
    let files = ["a/x/1.jpg", "b/x/2.jpg"]
    #expect(
      outputs(try plan("folder", files, path: "{dir}/{group}.{ext}")) == ["a/x/x.png", "b/x/x.png"]
    )
    #expect(throws: PlanError.self) { try plan("folder", files, path: "{group}.{ext}") }
    let numbered = try plan("folder", files, path: "{group}.{ext}", clash: .number)
    #expect(outputs(numbered) == ["x.png", "x-2.png"])
  }

  @Test("a folder is one group by whatever inputs its pictures came, and roots stay apart")
  func roots() throws {
    for file in ["in/a/1.jpg", "in/a/2.jpg", "in/3.jpg", "other/a/4.jpg"] {
      try folder.write(SampleBytes.jpeg, to: file)
    }
    let plan = try plan(
      "folder",
      inputs: ["other/", "in/./a/2.jpg", "in/3.jpg", "in"]
    )
    #expect(plan.count == 3)
    #expect(groups(plan).map { $0.sorted() }.contains(["2.jpg", "a/1.jpg"]))
    #expect(groups(plan).contains(["3.jpg"]))
    #expect(groups(plan).contains(["a/4.jpg"]))
    // Whatever the inputs: counted groups go on from one root to the next.
    let counted = try self.plan("count:3", inputs: ["in", "other"])
    #expect(groups(counted) == [["3.jpg", "a/1.jpg", "a/2.jpg"], ["a/4.jpg"]])
  }

  @Test("counted groups are neighbors; the last may be smaller")
  func counted() throws {
    let files = ["1", "2", "3", "4", "5"].map { "\($0).jpg" }
    let plan = try plan("count:2", files, path: "{group}-{index}-{stem}.{ext}")
    #expect(groups(plan) == [["1.jpg", "2.jpg"], ["3.jpg", "4.jpg"], ["5.jpg"]])
    #expect(outputs(plan) == ["1-1-1.png", "2-2-3.png", "3-3-5.png"])
    #expect(plan.unit(at: 1)?.group?.wanted == nil)
    #expect(plan.unit(at: 2)?.group?.wanted == 2)
    #expect(groups(try self.plan("count:5")).count == 1)
    #expect(try self.plan("count:5").unit(at: 0)?.group?.wanted == nil)
    #expect(try self.plan("count:9223372036854775807").count == 1)
  }

  @Test("patterns gather the same captured text across folders, in the order of first items")
  func patterns() throws {
    let files = ["b/mug-2.jpg", "a/pot-1.jpg", "a/mug-1.jpg", "c/pot-9.jpg", "a/none.jpg"]
    let plan = try plan("pattern:([a-z]+)-[0-9]", files, path: "{group}-{dir}.{ext}")
    #expect(groups(plan) == [["a/mug-1.jpg", "b/mug-2.jpg"], ["a/pot-1.jpg", "c/pot-9.jpg"]])
    #expect(outputs(plan) == ["mug-a.png", "pot-a.png"])
    #expect(plan.ungrouped.map { plan.items.relativePath(at: Int($0)).shown } == ["a/none.jpg"])
    #expect(plan.ungroupedReport(plan.ungrouped[0]).reason == .noGroup)
  }

  @Test("patterns are matched below the input's root, and empty text is a group")
  func patternTexts() throws {
    let files = ["x-1.jpg", "y.jpg", "a/x-2.jpg"]
    let plan = try plan("pattern:^(x?)", files, path: "g{group}.{ext}")
    #expect(groups(plan) == [["a/x-2.jpg", "y.jpg"], ["x-1.jpg"]])
    #expect(outputs(plan) == ["g.png", "gx.png"])
    // A group without a part in the match is none.
    let optional = try self.plan("pattern:^(x)?")
    #expect(groups(optional) == [["x-1.jpg"]])
    #expect(optional.ungrouped.count == 2)
    let whole = try self.plan("pattern:x-[0-9]", path: "{group}.{ext}")
    #expect(outputs(whole) == ["x-2.png", "x-1.png"])
  }

  @Test("a captured text that makes no path fails its unit alone")
  func impossibleGroup() throws {
    let plan = try plan(
      "pattern:^(.).",
      [".x/ignored.jpg", "a-1.jpg", "-.jpg"],
      path: "{group}{group}/x.{ext}"
    )
    #expect(outputs(plan) == ["--/x.png", "aa/x.png"])
    let empty = try self.plan("pattern:^(|b)", path: "{group}/x.{ext}")
    #expect(empty.failure(at: 0)?.code == .outputPath)
    #expect(empty.unit(at: 0) == nil)
    #expect(empty.openCount == 0)
  }

  @Test("a pattern that nothing matches leaves no unit")
  func nothing() throws {
    let plan = try plan("pattern:^never$", ["a.jpg", "b.jpg"])
    #expect(plan.count == 0 && plan.openCount == 0)
    #expect(plan.ungrouped == [0, 1])
  }

  @Test("a pattern that cannot be matched in sensible time is an error of the plan")
  func catastrophe() throws {
    let name = String(repeating: "a", count: 60) + "!.jpg"
    do throws(PlanError) {
      for by in ["pattern:(a+)+$", "pattern:^(a|aa|a?)+$"] {
        _ = try planned(by, name)
      }
    } catch {
      #expect(error.text.contains("gather.by: expected a pattern that is matched in a sensible"))
      #expect(error.text.contains(name))
    }
  }

  private func planned(_ by: String, _ name: String) throws(PlanError) -> Plan? {
    do {
      return try plan(by, [name])
    } catch let error as PlanError {
      throw error
    } catch {
      return nil
    }
  }

  @Test("names are bytes: newlines, quotes and what is no UTF-8 (33)")
  func bytes() throws {
    let names = [
      Path("n\nl.jpg"), Path("q\".jpg"), Path(bytes: [0x6e, 0xff, 0x2e, 0x6a, 0x70, 0x67]),
    ]
    for name in names { try folder.write(SampleBytes.jpeg, to: Path("in").appending(name)) }
    let plan = try plan("pattern:(?s)^(n.)", path: "{group}.{ext}")
    #expect(plan.inputs(at: 0) == [Path("n\nl.jpg")] || plan.inputs(at: 1) == [Path("n\nl.jpg")])
    let texts = (0..<plan.count).flatMap { plan.outputs(at: $0) }
    #expect(texts.contains(Path(bytes: [0x6e, 0xff, 0x2e, 0x70, 0x6e, 0x67])))
    #expect(plan.ungrouped.count == 1)
  }

  // MARK: What units are

  @Test("a unit's request has its members, with what is already known against them")
  func requests() throws {
    try folder.write([1, 2, 3], to: "in/a.jpg")
    try folder.write(SampleBytes.png, to: "in/b.png")
    let plan = try plan("all", ["c.jpg"], path: "{stem}.{ext}", format: nil)
    let unit = try #require(plan.unit(at: 0))
    // The first that can be opened gives the format; the first of all the name.
    #expect(unit.input == folder.at("in/b.png"))
    #expect(unit.format == .png)
    #expect(unit.outputs == [Path("a.png")])
    #expect(unit.pictureCount == 3)
    let members = try #require(unit.group?.members)
    #expect(members.map(\.name) == [Path("a.jpg"), Path("b.png"), Path("c.jpg")])
    #expect(members.map(\.input) == ["a.jpg", "b.png", "c.jpg"].map { folder.at("in/" + $0) })
    #expect(members.map(\.format) == [nil, .png, .jpeg])
    #expect(members.map { $0.error?.code } == [.notAPicture, nil, nil])
    #expect(plan.probe(at: 0)?.group?.members.count == 3)
    #expect(plan.fate(at: 0) == nil)
  }

  @Test("names are those below each root, also where a root is the working folder or has a slash")
  func memberNames() throws {
    for root in [Path(""), Path("in"), Path("in/"), Path("/x")] {
      let path = root.appending(Path("a/b.jpg"))
      let member = GroupMember(
        input: path,
        rootLength: path.bytes.count - 7,
        format: nil,
        error: nil
      )
      #expect(member.name == Path("a/b.jpg"))
    }
  }

  @Test("groups of pictures that have all failed fail with their first error, whatever the policy")
  func allFailed() throws {
    for name in ["a.jpg", "b.jpg", "c.jpg"] { try folder.write([1, 2, 3], to: "in/" + name) }
    for policy in IncompletePolicy.allCases {
      let plan = try plan("count:2", ["d.jpg"], incomplete: policy)
      #expect(plan.failure(at: 0)?.code == .notAPicture)
      #expect(plan.inputs(at: 0) == [Path("a.jpg"), Path("b.jpg")])
      #expect(plan.unit(at: 0) == nil)
    }
  }

  @Test("what is known to be missing is skipped or failed before any worker")
  func incomplete() throws {
    try folder.write([1, 2, 3], to: "in/b.jpg")
    let files = ["a.jpg", "c.jpg", "d.jpg", "e.jpg"]
    let keep = try plan("count:2", files)
    #expect((0..<3).allSatisfy { keep.fate(at: $0) == nil })
    let skip = try plan("count:2", files, incomplete: .skip)
    #expect(skip.fate(at: 0) == .skipped(.incomplete))
    #expect(skip.fate(at: 1) == nil)
    #expect(skip.fate(at: 2) == .skipped(.incomplete))
    #expect(skip.openCount == 1)
    #expect(skip.outputs(at: 0) == [])
    let fail = try plan("count:2", files, incomplete: .fail)
    #expect(
      fail.failure(at: 0)?.text
        == "expected a complete group (gather.incomplete = \"fail\"), found that b.jpg failed: "
        + "expected a picture, found content of no format that is known here"
    )
    #expect(
      fail.failure(at: 2)?.text
        == "expected a complete group (gather.incomplete = \"fail\"), found 1 of 2 pictures"
    )
    #expect(fail.failure(at: 2)?.code == .incompleteGroup)
    #expect(fail.openCount == 1)
  }

  @Test(
    "without a format of its own an output takes the group's, which must be one that is written"
  )
  func unwritable() throws {
    try folder.write(SampleBytes.png, to: "in/a.png")
    let plan = try plan("all", ["b.jpg"], path: "x.{ext}", format: nil)
    #expect(outputs(plan) == ["x.png"])
    try folder.write([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0, 0, 0], to: "in/0.gif")
    let gif = try self.plan("all", path: "x.{ext}", format: nil)
    #expect(gif.failure(at: 0)?.code == .formatNotWritten)
  }

  @Test("two groups on one path are refused, and told by their first pictures")
  func clash() throws {
    do {
      _ = try plan("count:2", ["a.jpg", "b.jpg", "c.jpg"], path: "x.{ext}")
      Issue.record("a clash")
    } catch let error as PlanError {
      #expect(
        error.text.hasPrefix(
          "x.png: expected one input for each output path, found a.jpg and c.jpg"
        )
      )
    }
    let numbered = try plan("count:2", path: "x.{ext}", clash: .number)
    #expect(outputs(numbered) == ["x.png", "x-2.png"])
  }

  @Test("an output never takes the place of a member, whichever it is")
  func overwritesMember() throws {
    for file in ["out/a.jpg", "out/c.jpg", "out/b.jpg"] {
      try folder.write(SampleBytes.jpeg, to: file)
    }
    let items = try Walk.run(
      ["a.jpg", "b.jpg", "c.jpg"].map { folder.at("out/" + $0) },
      InputPolicy(),
      output: nil
    ).items
    #expect(throws: PlanError.self) {
      try Plan(
        items,
        LeftOut(),
        [recipe("c.{ext}", format: .jpeg)],
        gather: gather("all"),
        clash: .number,
        output: folder.at("out")
      )
    }
  }

  @Test("headers tell sizes of units, and dates of their first pictures")
  func headers() throws {
    var plan = try plan(
      "count:2",
      ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg", "g.jpg"],
      path: "{date:%Y}/{width}x{height}-{stem}.{ext}"
    )
    #expect(plan.needsHeaders)
    let header = Header(
      width: 1,
      height: 1,
      orientation: 1,
      pages: 1,
      taken: "1999:01:02 03:04:05"
    )
    var first = ProbeResult(id: 0)
    first.header = header
    first.sizes = [PlannedSize(width: 30, height: 10)]
    var second = ProbeResult(id: 1)
    second.error = ItemError(.damaged, expected: "a", received: "b")
    var third = ProbeResult(id: 2)
    third.reason = .incomplete
    var fourth = ProbeResult(id: 3)
    fourth.header = header
    fourth.sizes = [PlannedSize(width: 7, height: 8)]
    for result in [first, second, third, fourth] { try plan.learn(result) }
    try plan.settle()
    #expect(outputs(plan) == ["1999/30x10-a.png", "none", "none", "1999/7x8-g.png"])
    #expect(plan.failure(at: 1)?.code == .damaged)
    #expect(plan.fate(at: 2) == .skipped(.incomplete))
    #expect(plan.openCount == 2)
  }

  // MARK: Size and order

  /// A table without files.
  private func table(_ count: Int, folders: Int = 1) -> ItemTable {
    var table = ItemTable()
    let root = table.addRoot(ItemTable.Root(path: Path("in"), name: Array("in".utf8)))
    let numbers = (0..<folders).map { table.addFolder(Array("folder-\($0)".utf8), in: root) }
    for index in 0..<count {
      let digits = String(index + 10_000_000)
      table.add(Array("\(digits).jpg".utf8), in: numbers[index % folders], .jpeg, seconds: 0)
    }
    table.shrink()
    return table
  }

  @Test("ten thousand items in groups of seven keep their order, and take no room")
  func many() throws {
    let items = table(10_000)
    let units = try Units(items, gather("count:7"))
    #expect(units.count == 1429)
    #expect((0..<units.count).flatMap(units.items(of:)) == Array(0..<10_000))
    #expect(units.items(of: 1428) == [9996, 9997, 9998, 9999])
    #expect(units.bytes == 0)
    #expect(try Units(items, nil).bytes == 0)
    #expect(try Units(items, gather("all")).bytes == 0)
  }

  @Test("texts are told apart by themselves, and by their hash only at first")
  func numbering() {
    let texts = (0..<300).map { Array("\($0 % 90)".utf8) }
    // Four hashes for ninety texts.
    var numbering = Numbering(hash: PathHash(mask: 3))
    let numbers = texts.enumerated().map { index, text in
      numbering.number(of: text, first: UInt32(index)) { texts[Int($0)] }
    }
    #expect(numbers == (0..<300).map { UInt32($0 % 90) })
    #expect(numbering.count == 90)
  }

  @Test(
    "a group of more pictures than may be opened at once fails, and names the limit, not them all"
  )
  func large() throws {
    var folders = try gather("folder")
    folders.maxPictures = 9
    let plan = try Plan(
      table(30, folders: 3),
      LeftOut(),
      [recipe("{group}.{ext}")],
      gather: folders,
      clash: .number
    )
    let error = try #require(plan.failure(at: 0))
    #expect(error.code == .tooManyPictures)
    #expect(error.text.contains("at most 9 pictures in a group (gather.max-pictures;"))
    #expect(error.text.contains("found 10"), "\(error.text)")
    #expect(plan.inputs(at: 0).isEmpty)
    #expect(plan.openCount == 0)
  }

  @Test("groups by folder and pattern are as a naive gathering, and take a few bytes an item")
  func listed() throws {
    let items = table(10_000, folders: 13)
    for (by, key) in [
      ("folder", { (path: Path) in path.folder.shown }),
      ("pattern:([0-9])[.]", { (path: Path) in String(path.stem.shown.suffix(1)) }),
    ] {
      let units = try Units(items, gather(by))
      var order: [String] = []
      var naive: [String: [Int]] = [:]
      for index in 0..<items.count {
        let name = key(items.relativePath(at: index))
        if naive[name] == nil { order.append(name) }
        naive[name, default: []].append(index)
      }
      #expect((0..<units.count).map(units.items(of:)) == order.map { naive[$0] ?? [] })
      #expect(units.bytes < 10_000 * 4 + 200)
    }
  }
}
