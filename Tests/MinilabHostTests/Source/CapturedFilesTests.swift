import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Captured files")
struct CapturedFilesTests {
  private let scratch: ScratchFolder
  private let root: OutputFolder

  init() throws {
    scratch = try ScratchFolder()
    root = try OutputFolder(preparing: scratch.path.appending("out"))
  }

  private func names(_ folder: String) throws -> [String] {
    let path = root.path.appending(".minilab").appending(folder)
    let open = try Descriptor(opening: path, O_RDONLY | Int32(O_DIRECTORY))
    return try System.names(in: open.number).map(\.shown).sorted()
  }

  @Test("A file is there whole, under its name, and nothing is left beside it")
  func add() throws {
    let files = try CapturedFiles(root: root.path)
    #expect(try files.add([1, 2, 3], as: Path("a.jpg")) == Path("a.jpg"))
    #expect(files.names == [Path("a.jpg")])
    #expect(try contents(of: root.path.appending(".minilab/captured/a.jpg")) == [1, 2, 3])
    #expect(try names("tmp").isEmpty)
    files.remove(Path("a.jpg"))
    #expect(files.names.isEmpty)
  }

  @Test("A file that was kept is never replaced")
  func taken() throws {
    let files = try CapturedFiles(root: root.path)
    _ = try files.add([1], as: Path("a.jpg"))
    #expect(try files.add([2], as: Path("a.jpg")) == Path("a-2.jpg"))
    #expect(try files.add([3], as: Path("a.jpg")) == Path("a-3.jpg"))
    #expect(try contents(of: root.path.appending(".minilab/captured/a.jpg")) == [1])
  }

  @Test("A run that is prepared anew keeps what was captured, and removes what was not complete")
  func anew() throws {
    let files = try CapturedFiles(root: root.path)
    _ = try files.add([1], as: Path("a.jpg"))
    try scratch.write("half", to: "out/.minilab/tmp/99-1")
    root.emptyTemporaries()
    #expect(try names("tmp").isEmpty)
    #expect(files.names == [Path("a.jpg")])
    root.removeEmptyCaptures()
    #expect(files.names == [Path("a.jpg")])
  }

  @Test("A full disk is an error that leaves nothing behind")
  func full() throws {
    let files = try CapturedFiles(root: root.path)
    let fullDisk: @Sendable (SystemCall) -> System.Fault? = { $0 == .write ? .error(ENOSPC) : nil }
    let error = #expect(throws: SystemError.self) {
      try System.$fault.withValue(fullDisk) {
        try files.add([1, 2, 3], as: Path("a.jpg"))
      }
    }
    #expect(error?.isDiskFull == true)
    #expect(files.names.isEmpty)
    #expect(try names("tmp").isEmpty)
  }
}
