import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("What units in work may take")
struct BudgetTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  /// A unit of so many bytes that says in the log what becomes of it.
  private func unit(_ cost: Int, _ memory: Int, _ extra: String = "") -> String {
    "weigh:\(cost):\(memory):\(scratch.file("log").shown)\(extra)"
  }

  private func gate(_ kind: String) -> String { ":\(kind)=\(scratch.file("gate").shown)" }

  private var begun: [String] {
    scratch.lines("log").filter { $0.hasPrefix("begin") }.map { line in
      line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }
  }

  @Test("The most expensive is begun first, and each once")
  func mostExpensiveFirst() throws {
    let lab = FakeLab(jobs: 1)
    let costs = [3, 90, 7, 1, 60, 5, 200, 2]
    #expect(try lab.processAhead(costs.map { unit($0, 10) }) == nil)
    #expect(begun == ["200", "90", "60", "7", "5", "3", "2", "1"])
    #expect(lab.listener.done == Array(costs.indices))
    #expect(lab.listener.probes.isEmpty)
  }

  @Test("Nothing is begun that would go beyond the memory, and what fits passes it by")
  func within() throws {
    let lab = FakeLab(jobs: 2)
    let orders = [
      unit(50, 60, gate("wait")), unit(40, 60), unit(30, 30), unit(20, 30, gate("open")),
    ]
    #expect(try lab.processAhead(orders, memory: 100) == nil)
    #expect(lab.listener.done == [0, 1, 2, 3])
    // It would be the second one, if there were room for it.
    #expect(begun.last == "40")
  }

  @Test("What alone is beyond the memory runs alone")
  func alone() throws {
    let lab = FakeLab(jobs: 3)
    #expect(try lab.processAhead((1...9).map { unit($0, 500) }, memory: 100) == nil)
    #expect(lab.listener.done.count == 9)
    let lines = scratch.lines("log").compactMap { $0.split(separator: " ").first }
    #expect(lines == Array(repeating: ["begin", "end"], count: 9).flatMap { $0 })
  }

  @Test("A small file that needs more than was set aside comes again, and is done")
  func givenBack() throws {
    let lab = FakeLab(jobs: 2)
    let most = 200 << 20
    let orders = (1...5).map { unit($0, $0 == 3 ? most : 10) }
    #expect(try lab.processAhead(orders, areLarge: false) == nil)
    #expect(lab.listener.done == Array(0..<5))
    #expect(lab.listener.results.count == 5)
    #expect(scratch.lines("log").filter { $0.hasPrefix("back") } == ["back 3"])
    #expect(begun.sorted() == ["1", "2", "3", "4", "5"])
  }

  @Test("Cores are shared by the units in work: all for one, some for a few, one for each of many")
  func threads() throws {
    func threads(_ count: Int, memory: Int = 1 << 30) throws -> [Int] {
      try scratch.write("", to: "log")
      _ = try FakeLab(jobs: 4).processAhead(
        (1...count).map { unit($0, 60) },
        memory: memory,
        cores: 4
      )
      return scratch.lines("log").filter { $0.hasPrefix("begin") }
        .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    }
    #expect(try threads(1) == [4])
    #expect(try threads(2) == [2, 2])
    #expect(try threads(40).prefix(30).allSatisfy { $0 == 1 })
    // Of which two fit at once.
    #expect(try threads(20, memory: 130).prefix(15).allSatisfy { $0 == 2 })
    #expect(try threads(6, memory: 50) == Array(repeating: 4, count: 6))
  }

  @Test("A header that ends its reader was its unit's first try, and costs nothing else")
  func brokenHeader() throws {
    let lab = FakeLab(jobs: 2)
    let log = scratch.file("pids").shown
    let orders = [unit(5, 10), "crash:\(log)", unit(3, 10), unit(2, 10)]
    #expect(try lab.processAhead(orders) == nil)
    #expect(lab.listener.done == [0, 2, 3])
    #expect(lab.listener.codes == [1: .crashed])
    #expect(Set(scratch.lines("pids")).count == 2)
  }

  @Test("A header that hangs its reader is not tried again (report 49)")
  func hangingHeader() throws {
    let lab = FakeLab(jobs: 2, limit: .seconds(2))
    let log = scratch.file("pids").shown
    #expect(try lab.processAhead([unit(5, 10), "hang:\(log)", unit(3, 10)]) == nil)
    #expect(lab.listener.done == [0, 2])
    #expect(lab.listener.codes == [1: .timeout])
    #expect(scratch.lines("pids").count == 1)
  }
}
