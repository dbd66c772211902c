import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@testable import MinilabHost

/// Units that are made of items as these come.
@Suite("A plan that grows")
struct GrowingPlanTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private final class Refusals {
    var all: [Int: ItemError] = [:]
  }

  private let refusals = Refusals()

  private func plan(_ toml: String, total: Int) throws -> GrowingPlan {
    let text = """
      profile = 1
      [[step]]
      op = "capture"
      device = "test"

      """
    let file = try scratch.write(text + toml, to: "p.toml")
    let profile = try ProfileLoader.load(file, operations: .builtin)
    return GrowingPlan(
      profile,
      name: "cam",
      total: total,
      output: Path("out")
    ) { [refusals] in refusals.all[$0] = $1 }
  }

  private func item(_ number: Int, _ format: PictureFormat = .jpeg) -> CapturedItem {
    CapturedItem(
      name: Path("cam-000\(number).\(format.fileExtension)"),
      format: format,
      taken: WallClock(seconds: 86_400 + Int64(number)),
      facts: CaptureFacts(middle: 1, isRaw: false, notes: [])
    )
  }

  /// Everything there is to hand out, in its order.
  private func works(_ plan: GrowingPlan, from start: Int = 0) -> [Work] {
    (start..<plan.count).compactMap(plan.take)
  }

  private func units(_ plan: GrowingPlan) -> [UnitRequest] {
    works(plan).compactMap { if case .unit(let unit) = $0 { unit } else { nil } }
  }

  @Test("Each item is a unit, with a path of its own")
  func single() throws {
    let plan = try plan(
      "[[output]]\npath = \"{root}/{date:%Y-%m-%d}/{stem}-{index}.{ext}\"\nformat = \"png\"",
      total: 2
    )
    #expect(plan.expectedCount == 2)
    #expect(plan.mayGrow)
    plan.add(item(1))
    #expect(plan.waitingCount == 1)
    plan.add(item(2))
    #expect(plan.end().isEmpty)
    #expect(!plan.mayGrow)
    let units = units(plan)
    #expect(
      units.map(\.outputs) == [
        [Path("cam/1970-01-02/cam-0001-1.png")], [Path("cam/1970-01-02/cam-0002-2.png")],
      ]
    )
    #expect(units.map(\.input) == [1, 2].map { Path("out/.minilab/captured/cam-000\($0).jpg") })
    #expect(units.allSatisfy { $0.group == nil && $0.captured != nil })
    // What is done is forgotten.
    #expect(plan.name(of: 1) == Path("cam-0002.jpg"))
    #expect(plan.close(1)?.items.count == 1)
    #expect(plan.waitingCount == 1)
    #expect(works(plan).isEmpty)
  }

  @Test("So many items make a unit as soon as they are there, and a rest makes a smaller one")
  func counted() throws {
    let plan = try plan(
      """
      [gather]
      by = "count:2"
      [[step]]
      op = "compose"
      [[output]]
      path = "{group}.{ext}"
      format = "jpeg"
      """,
      total: 5
    )
    #expect(plan.expectedCount == 3)
    plan.add(item(1))
    #expect(plan.count == 0)
    plan.add(item(2))
    #expect(plan.count == 1)
    plan.add(item(3))
    _ = plan.end()
    let units = units(plan)
    #expect(units.map(\.outputs) == [[Path("1.jpg")], [Path("2.jpg")]])
    #expect(units.map { $0.group?.members.count } == [2, 1])
    #expect(units.map { $0.group?.wanted } == [nil, 2])
    #expect(units[0].group?.members.map(\.name) == [Path("cam-0001.jpg"), Path("cam-0002.jpg")])
    #expect(plan.names(of: 0).count == 2)
  }

  @Test("All items make a unit when no more will come, and it lacks those that did not")
  func all() throws {
    let plan = try plan(
      """
      [gather]
      by = "all"
      [[step]]
      op = "compose"
      [[output]]
      path = "{stem}.{ext}"
      format = "jpeg"
      """,
      total: 3
    )
    #expect(plan.expectedCount == 1)
    for number in 1...2 { plan.add(item(number)) }
    #expect(plan.count == 0 && plan.gathering.count == 2)
    _ = plan.end()
    let units = units(plan)
    #expect(units.count == 1)
    #expect(units[0].group?.wanted == 3)
  }

  @Test("A pattern groups by name, and what it does not match is in no group")
  func pattern() throws {
    let plan = try plan(
      """
      [gather]
      by = "pattern:([12])\\\\.jpg"
      [[step]]
      op = "compose"
      [[output]]
      path = "{group}.{ext}"
      format = "jpeg"
      """,
      total: 3
    )
    for number in [1, 3, 2] { plan.add(item(number)) }
    #expect(plan.end().map(\.name) == [Path("cam-0003.jpg")])
    #expect(units(plan).map(\.outputs) == [[Path("1.jpg")], [Path("2.jpg")]])
    #expect(plan.expectedCount == 2)
  }

  @Test("A path that asks for a size waits for the header")
  func sizes() throws {
    let plan = try plan("[[output]]\npath = \"{stem}-{width}.{ext}\"\nformat = \"png\"", total: 2)
    plan.add(item(1))
    plan.add(item(2))
    _ = plan.end()
    #expect(plan.mayGrow)
    let probes = works(plan)
    #expect(probes.count == 2)
    guard case .probe(let window)? = probes.first else {
      Issue.record("a header is asked for first")
      return
    }
    #expect(window.map(\.id) == [0])
    plan.learn(ProbeResult(id: 0, sizes: [PlannedSize(width: 77, height: 5)]))
    #expect(units(plan).map(\.outputs) == [[Path("cam-0001-77.png")]])
    let error = ItemError(.damaged, expected: "a picture", received: "none")
    plan.learn(ProbeResult(id: 1, error: error))
    #expect(refusals.all == [1: error])
    #expect(!plan.mayGrow)
  }

  @Test("A name that leads to no possible path fails its unit alone")
  func impossible() throws {
    let long = String(repeating: "x", count: 250)
    let plan = try plan("[[output]]\npath = \"{stem}\(long).{ext}\"\nformat = \"png\"", total: 1)
    plan.add(item(1))
    #expect(refusals.all[0]?.code == .outputPath)
    #expect(plan.count == 0)
  }
}
