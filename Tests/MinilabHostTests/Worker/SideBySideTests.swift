import Glibc
import Synchronization
import Testing

@testable import MinilabHost

@Suite("Jobs side by side")
struct SideBySideTests {
  private struct Failed: Error {
    let number: Int
  }

  @Test("results are in the order of the jobs, and errors where they belong", arguments: [1, 2, 5])
  func order(_ most: Int) {
    let jobs = SideBySide<Int>(most: most)
    for number in 0..<20 {
      jobs.begin {
        if number % 7 == 3 { throw Failed(number: number) }
        return number * number
      }
    }
    let results = jobs.results()
    #expect(results.count == 20)
    for (number, result) in results.enumerated() {
      switch result {
      case .success(let value): #expect(value == number * number && number % 7 != 3)
      case .failure(let error): #expect((error as? Failed)?.number == number)
      }
    }
    #expect(jobs.results().isEmpty)
  }

  @Test("no more run at a time than are allowed", arguments: [1, 3])
  func most(_ most: Int) {
    let counts = Mutex((now: 0, most: 0))
    let jobs = SideBySide<Bool>(most: most)
    for _ in 0..<12 {
      jobs.begin {
        counts.withLock { counts in
          counts.now += 1
          counts.most = max(counts.most, counts.now)
        }
        usleep(2_000)
        counts.withLock { $0.now -= 1 }
        return true
      }
    }
    #expect(jobs.results().count == 12)
    #expect(counts.withLock { $0.most } <= most)
  }
}
