import Glibc
import MinilabKit
import MinilabOperations
import NaivePictures
import TestSupport
import Testing
import Vips

@testable import MinilabHost

@Suite("Limits of a picture", .vips)
struct LimitTests {
  private static let output = "[[output]]\nformat = \"png\"\n"

  /// What becomes of a picture of 20 × 10 pixels.
  private func error(_ limits: String, probing: Bool) throws -> ItemError? {
    let bench = try Workbench("[input]\n\(limits)\n" + Self.output)
    let bytes = try NaivePicture.synthetic(20, 10).encoded(.png)
    if probing { return try bench.probe(bench.folder.write(bytes, to: "in/a.png")).error }
    return try bench.process(bytes, named: "a.png").result.error
  }

  @Test(
    "each is told from the header, with the key, what was found and how to set another",
    arguments: [
      ("max-pixels = 199", ItemError.Code.tooManyPixels, "found 20 × 10"),
      ("max-side = 19", .tooManyPixels, "found 20 × 10"),
      ("max-bytes = 60", .tooManyBytes, "bytes"),
    ],
    [true, false]
  )
  func refused(limit: (String, ItemError.Code, String), probing: Bool) throws {
    let error = try #require(try error(limit.0, probing: probing))
    #expect(error.code == limit.1)
    let name = String(limit.0.prefix { $0 != " " })
    #expect(error.text.contains("(input.\(name); --limit \(name)=… sets another)"), "\(error.text)")
    #expect(error.text.contains(limit.2), "\(error.text)")
  }

  @Test(
    "the limits themselves are allowed",
    arguments: ["max-pixels = 200", "max-side = 20", "max-bytes = \"1MB\"", "max-warnings = 0"]
  )
  func allowed(limit: String) throws {
    for probing in [true, false] { #expect(try error(limit, probing: probing) == nil) }
  }

  @Test("pages and their pixels tell how to set another limit")
  func pages() throws {
    let bytes = HandmadeGIF.moving(
      Size(width: 10, height: 8),
      delays: .init(repeating: 1, count: 9)
    ).bytes
    for name in ["max-pages", "max-total-pixels"] {
      let bench = try Workbench(
        "[input]\npages = \"all\"\n\(name) = 8\n[[output]]\nformat = \"gif\"\n"
      )
      let error = try #require(try bench.process(bytes, named: "a.gif").result.error)
      #expect(error.text.contains("--limit \(name)="), "\(error.text)")
    }
  }

  /// A PNG of so many rows of which only the first are there: a warning for each of the others.
  private func short(rows: Int) throws -> [UInt8] {
    let whole = try NaivePicture.synthetic(8, rows).encoded(.png)
    return Array(whole.prefix(whole.count / 8))
  }

  @Test("60 000 warnings are one failure with a count, and 64 lines of memory (field report 29)")
  func warnings() throws {
    let settings = "[input]\ndamaged = \"warn\"\n"
    let bytes = try short(rows: 60_000)
    let used = try Workbench(settings + Self.output).process(bytes, named: "a.png")
    #expect(used.result.status == .done)
    #expect(used.result.notes.count <= 3)
    let refused = try Workbench(settings + "max-warnings = 10_000\n" + Self.output)
      .process(bytes, named: "a.png")
    let error = try #require(refused.result.error)
    #expect(error.code == .tooManyWarnings)
    #expect(error.text.contains("--limit max-warnings="), "\(error.text)")
    // What was said of the last picture is not said of the next.
    #expect(Log.take().isEmpty)
  }

  @Test("a group may have as many warnings as its pictures together")
  func groupWarnings() throws {
    let toml = """
      [input]
      damaged = "warn"
      max-warnings = 1000
      [gather]
      by = "all"
      [[step]]
      op = "compose"
      layout = "grid"

      """
    let bench = try Workbench(toml + Self.output)
    let short = try bench.folder.write(short(rows: 1500), to: "in/a.png")
    let good = try bench.folder.write(NaivePicture.synthetic(8, 8).encoded(.png), to: "in/b.png")
    #expect(try bench.process(group: [short, good]).result.status == .done)
    let other = try bench.folder.write(self.short(rows: 60_000), to: "in/c.png")
    #expect(try bench.process(group: [short, other]).result.error?.code == .tooManyWarnings)
  }
}

@Suite("The words for limits")
struct LimitWordsTests {
  private let scratch: ScratchFolder
  private let file: Path

  init() throws {
    scratch = try ScratchFolder()
    file = try scratch.write("profile = 1\n", to: "p.toml")
  }

  private func load(_ limits: String...) throws -> Profile {
    try ProfileLoader.load(
      file,
      settings: limits.map { .limit($0) },
      operations: .builtin,
      finder: .standard()
    )
  }

  @Test("--limit names the key alone, whichever table has it")
  func keys() throws {
    let profile = try load(
      "max-pixels=5",
      "max-side=6",
      "max-bytes=7",
      "max-pages=8",
      "max-total-pixels=9",
      "max-warnings=10",
      "time-limit=1.5",
      "worker-memory=1.5GB",
      "max-output=1TB",
      "keep-free=5%"
    )
    let input = profile.input
    #expect(input.maxPixels == 5 && input.maxSide == 6 && input.maxBytes.bytes == 7)
    #expect(input.maxPages == 8 && input.maxTotalPixels == 9 && input.maxWarnings == 10)
    #expect(input.timeLimit == 1.5)
    #expect(profile.limits.workerMemory?.bytes == 1_500_000_000)
    #expect(profile.limits.maxOutput?.bytes == 1_000_000_000_000)
    #expect(profile.limits.keepFree == .part(0.05))
  }

  @Test("every key of the two tables that bounds something is one of them, and each is a key")
  func complete() {
    let all = InputPolicy.parameters.map(\.name) + RunLimits.parameters.map(\.name)
    let bounds = all.filter { $0.hasPrefix("max-") || $0.hasSuffix("-limit") }
    #expect(Set(bounds).isSubset(of: LimitNames.ofInput + LimitNames.ofRun))
    #expect(Set(LimitNames.ofInput + LimitNames.ofRun).isSubset(of: all))
  }

  @Test(
    "a name or value that is wrong is told with what would be right",
    arguments: [
      ("max-pixel=5", "\"max-pixels\""), ("max-pixels=-1", "1 to 1_000_000_000_000"),
      ("keep-free=101%", "0% to 100%"), ("keep-free=lots", "a number of bytes"),
      ("max-bytes=0", "a number of bytes"), ("max-side", "KEY=VALUE"),
    ]
  )
  func wrong(argument: String, expected: String) throws {
    let problems = #expect(throws: Problems.self) { try load(argument) }
    let text = "\(problems.map { "\($0)" } ?? "")"
    #expect(text.hasPrefix("--limit \(argument): ") && text.contains(expected), "\(text)")
  }

  @Test("a limit changes no key of the ledger, as it changes no pixel")
  func ledger() throws {
    let plain = OutputKeys.keys(of: try load(), fonts: { [] })
    let limited = try load("max-bytes=7000", "max-side=600", "max-warnings=1", "keep-free=5%")
    #expect(OutputKeys.keys(of: limited, fonts: { [] }) == plain)
  }

  @Test(
    "three quarters of the memory are a worker's, unless the profile says otherwise"
  )
  func memory() throws {
    let machine = MachineLimits(cores: 2, memory: 4_000_000_000)
    #expect(try load().limits.workerMemory(of: machine) == 3_000_000_000)
    #expect(try load("worker-memory=300MB").limits.workerMemory(of: machine) == 300_000_000)
    #expect(RunLimits().workerMemory(of: MachineLimits(cores: 1, memory: nil)) == nil)
  }

  @Test("what is kept free is 1 %, and no more than 1 GB")
  func free() {
    let unset: FreeSpace? = nil
    #expect(unset.bytes(of: 5_000_000) == 50_000)
    #expect(unset.bytes(of: 400_000_000_000_000) == 1_000_000_000)
    let half: FreeSpace? = .part(0.5)
    #expect(half.bytes(of: 5_000_000) == 2_500_000)
    let fixed: FreeSpace? = .bytes(ByteCount(7))
    #expect(fixed.bytes(of: 5_000_000) == 7)
  }
}

@Suite("The room for results")
struct SpaceWatchTests {
  /// `free`: what each look finds, in order; the last from then on.
  private func watch(_ limits: RunLimits, free: [Int]) -> (SpaceWatch, () -> Int) {
    var looks = 0
    let watch = SpaceWatch(limits) {
      defer { looks += 1 }
      return FileSystemRoom(size: 1000, free: free[min(looks, free.count - 1)])
    }
    return (watch, { looks })
  }

  @Test("a run that would leave less than it keeps stops, and says how much there is")
  func low() {
    var limits = RunLimits()
    limits.keepFree = .bytes(ByteCount(200))
    let (watch, looks) = watch(limits, free: [600, 190])
    #expect(watch.check() == nil)
    // A quarter of what may be written is left before it looks again, be it a second later.
    #expect(watch.check(after: 60) == nil || looks() > 1)
    #expect(watch.check(after: 41) == .spaceLow(free: 190, kept: 200))
  }

  @Test("a run stops when it has written as much as it may")
  func most() {
    var limits = RunLimits()
    limits.maxOutput = ByteCount(100)
    let (watch, _) = watch(limits, free: [900])
    #expect(watch.check(after: 60) == nil)
    #expect(watch.check(after: 39) == nil)
    #expect(watch.check(after: 1) == .outputLimit(written: 100, most: 100))
  }

  @Test("a file system that says nothing of itself stops nothing")
  func silent() {
    #expect(SpaceWatch(RunLimits()) { nil }.check() == nil)
  }

  @Test("both say what was expected and found, and that the next run goes on")
  func words() throws {
    let low = try #require(RunReport.text(.spaceLow(free: 190_000_000, kept: 1_000_000_000)))
    #expect(
      low
        == "stopped early: expected 1 GB free on the disk of the results (limits.keep-free; "
        + "--limit keep-free=… sets another), found 190 MB; the next run goes on"
    )
    let most = try #require(RunReport.text(.outputLimit(written: 1_234, most: 999)))
    #expect(
      most
        == "stopped early: expected at most 999 bytes of results (limits.max-output; "
        + "--limit max-output=… sets another), found 1.2 KB; the next run goes on"
    )
  }
}
