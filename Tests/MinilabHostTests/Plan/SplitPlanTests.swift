import MinilabKit
import Testing

@testable import MinilabHost

/// Plans of pages with files of their own: how many a file has only its header tells.
@Suite("The plan of split pages")
struct SplitPlanTests {
  private func plan(
    _ path: String,
    _ files: [String],
    pages: [Int],
    sizes: [[PlannedSize?]] = [],
    outputs: Int = 1,
    clash: ClashPolicy = .error
  ) throws -> Plan {
    let folder = try TemporaryFolder()
    for file in files { try folder.write(SampleBytes.jpeg, to: "in/" + file) }
    var problems: [Problem] = []
    let place = Place(file: Path("p.toml"), line: 1, column: 1)
    let template = try #require(
      PathTemplate(path, at: place, key: "path", hasPages: true, &problems),
      "\(problems)"
    )
    var policy = InputPolicy()
    policy.pages = .split
    policy.clash = clash
    let found = try Walk.run([folder.at("in")], policy, output: folder.at("out"))
    let recipes = (0..<outputs).map {
      Plan.Recipe(name: "o\($0)", path: template, format: .png, writable: [.png])
    }
    var plan = try Plan(found.items, found.leftOut, recipes, clash: clash, splitsPages: true)
    #expect(plan.needsHeaders)
    // In any order.
    for index in files.indices.reversed() {
      var result = ProbeResult(id: index)
      result.header = Header(width: 1, height: 1, orientation: 1, pages: pages[index])
      result.sizes = sizes.isEmpty ? [] : sizes[index]
      try plan.learn(result)
    }
    try plan.settle()
    return plan
  }

  private func paths(_ plan: Plan) -> [[String]] {
    (0..<plan.count).map { plan.outputs(at: $0).map(\.shown) }
  }

  @Test("Each page has the file that its path names")
  func named() throws {
    let plan = try plan("{stem}/{page}.{ext}", ["a.jpg", "b.jpg", "c.jpg"], pages: [2, 1, 3])
    #expect(
      paths(plan) == [["a/1.png", "a/2.png"], ["b/1.png"], ["c/1.png", "c/2.png", "c/3.png"]]
    )
  }

  @Test("A file of more pages than any profile allows fails, whatever a worker says of it")
  func impossible() throws {
    let plan = try plan(
      "{stem}/{page}.{ext}",
      ["a.jpg", "b.jpg", "c.jpg"],
      pages: [.max, 2, 1 << 31]
    )
    #expect(paths(plan) == [[], ["b/1.png", "b/2.png"], []])
    #expect(plan.failure(at: 0)?.code == .formatLimit)
    #expect(plan.failure(at: 2)?.code == .formatLimit)
  }

  @Test("Pages that a path does not name are numbered, where there are several")
  func numbered() throws {
    let plan = try plan("{stem}.{ext}", ["a.jpg", "b.jpg"], pages: [3, 1])
    #expect(paths(plan) == [["a-1.png", "a-2.png", "a-3.png"], ["b.png"]])
  }

  @Test("The outputs of a page stand together")
  func outputs() throws {
    let plan = try plan("{output}/{stem}.{ext}", ["a.jpg", "b.jpg"], pages: [2, 1], outputs: 2)
    #expect(
      paths(plan) == [
        ["o0/a-1.png", "o1/a-1.png", "o0/a-2.png", "o1/a-2.png"], ["o0/b.png", "o1/b.png"],
      ]
    )
    var result = ProbeResult(id: 0)
    result.leftOut = [2]
    result.sizes = [nil, nil, nil, PlannedSize(width: 7, height: 8)]
    let item = plan.item(result)
    #expect(item.outputs.map(\.path.shown) == ["o0/a-1.png", "o1/a-1.png", "o1/a-2.png"])
    #expect(item.outputs.last?.size?.width == 7)
  }

  @Test("A page takes no other picture's file: an error, or a number")
  func clashes() throws {
    let files = ["a-2.jpg", "a.jpg", "b.jpg"]
    #expect(throws: PlanError.self) {
      try plan("{stem}.{ext}", files, pages: [1, 2, 2])
    }
    let numbered = try plan("{stem}.{ext}", files, pages: [1, 2, 2], clash: .number)
    #expect(paths(numbered) == [["a-2.png"], ["a-1.png", "a-2-2.png"], ["b-1.png", "b-2.png"]])
  }

  @Test("Every page has its own size in its path")
  func sizes() throws {
    func size(_ width: Int) -> PlannedSize { PlannedSize(width: width, height: 5) }
    let plan = try plan(
      "{stem}-{page}-{width}x{height}.{ext}",
      ["a.jpg", "b.jpg"],
      pages: [1, 2],
      sizes: [[size(3)], [size(4), size(6)]]
    )
    #expect(paths(plan) == [["a-1-3x5.png"], ["b-1-4x5.png", "b-2-6x5.png"]])
    #expect(throws: PlanError.self) {
      try self.plan("{width}.{ext}", ["a.jpg"], pages: [2], sizes: [[size(3), nil]])
    }
  }
}
