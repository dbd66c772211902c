import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Output files")
struct OutputWriterTests {
  let scratch: ScratchFolder
  let folder: OutputFolder
  let writer: OutputWriter

  init() throws {
    scratch = try ScratchFolder()
    folder = try OutputFolder(preparing: scratch.file("out"))
    writer = try OutputWriter(root: scratch.file("out"))
  }

  private func file(_ path: String, _ text: String) throws -> TemporaryFile {
    let file = try writer.temporary(for: Path(path))
    try System.writeAll(file.descriptor, Array(text.utf8))
    return file
  }

  private func temporaries() throws -> [String] { try scratch.names("out/.minilab/tmp") }

  private func failure(_ body: () throws -> Void) -> ItemError? {
    do {
      try body()
      return nil
    } catch {
      return error as? ItemError
    }
  }

  @Test("Files get their names together, in folders that are made")
  func commit() throws {
    try writer.commit([try file("a/b/one.jpg", "1"), try file("two.jpg", "2")])
    #expect(scratch.text("out/a/b/one.jpg") == "1")
    #expect(scratch.text("out/two.jpg") == "2")
    #expect(try temporaries() == [])
  }

  @Test("Until then no final name is there, and without it nothing is left (report 39)")
  func uncommitted() throws {
    do {
      let file = try file("a/one.jpg", "half")
      #expect(try temporaries().count == 1)
      #expect(try scratch.names("out") == [".minilab"])
      withExtendedLifetime(file) {}
    }
    #expect(try temporaries() == [])
  }

  @Test("A file can be read back before it has its name")
  func readBack() throws {
    let file = try file("one.jpg", "12345")
    #expect(file.length == 5)
    var buffer = [UInt8](repeating: 0, count: 5)
    #expect(pread(file.descriptor, &buffer, 5, 0) == 5)
    #expect(buffer == Array("12345".utf8))
  }

  @Test("Its mode is the user's, as of any new file")
  func mode() throws {
    try writer.commit([try file("one.jpg", "1")])
    try scratch.write("x", to: "other")
    var made = stat()
    var other = stat()
    stat(scratch.file("out/one.jpg").shown, &made)
    // Made by somebody else with the usual request.
    let descriptor = Glibc.open(scratch.file("plain").shown, O_CREAT | O_WRONLY, 0o666)
    fstat(descriptor, &other)
    close(descriptor)
    #expect(made.st_mode == other.st_mode)
  }

  @Test("An old file is replaced whole, and goes")
  func replaces() throws {
    try scratch.write("old", to: "out/one.jpg")
    try writer.commit([try file("one.jpg", "new")])
    #expect(scratch.text("out/one.jpg") == "new")
    #expect(try temporaries() == [])
  }

  @Test("Where names cannot be swapped, an old file is replaced by a rename")
  func replacesWithoutExchange() throws {
    try scratch.write("old", to: "out/one.jpg")
    try failing(.exchange, EINVAL) {
      try writer.commit([try file("one.jpg", "new")])
    }
    #expect(scratch.text("out/one.jpg") == "new")
    #expect(try temporaries() == [])
  }

  @Test("A link under the final name is replaced, and what it leads to is not touched")
  func link() throws {
    try scratch.write("precious", to: "input.jpg")
    symlink(scratch.file("input.jpg").shown, scratch.file("out/one.jpg").shown)
    try writer.commit([try file("one.jpg", "new")])
    #expect(scratch.text("input.jpg") == "precious")
    #expect(scratch.text("out/one.jpg") == "new")
    #expect(try System.kind(of: scratch.file("out/one.jpg")) == .file)
  }

  @Test("A linked folder is refused: nothing is written outside the root")
  func linkedFolder() throws {
    mkdir(scratch.file("outside").shown, 0o777)
    symlink(scratch.file("outside").shown, scratch.file("out/a").shown)
    let error = failure { try writer.commit([try file("a/b/one.jpg", "1")]) }
    #expect(error?.code == .writeFailed)
    #expect(error?.text == "expected a folder a for one.jpg, found a symbolic link")
    #expect(try scratch.names("outside") == [])
    #expect(try temporaries() == [])
  }

  @Test("A file in place of a folder, and a folder in place of a file, are named")
  func wrongKinds() throws {
    try scratch.write("x", to: "out/a")
    #expect(
      failure { try writer.commit([try file("a/one.jpg", "1")]) }?.received == "a file"
    )
    mkdir(scratch.file("out/b").shown, 0o777)
    #expect(
      failure { try writer.commit([try file("b", "1")]) }?.received == "a folder of that name"
    )
    #expect(try temporaries() == [])
  }

  @Test("An item is done whole or not at all: what was placed is taken back")
  func takesBack() throws {
    try scratch.write("old", to: "out/one.jpg")
    // The second new name is the one that fails.
    let error = failing(.rename, EIO, time: 2) {
      failure {
        try writer.commit([
          try file("one.jpg", "new"), try file("two.jpg", "2"), try file("three.jpg", "3"),
        ])
      }
    }
    #expect(error?.code == .outputLost)
    #expect(error?.text == "expected to write three.jpg, found the device reports an error")
    #expect(scratch.text("out/one.jpg") == "old")
    #expect(try scratch.names("out") == [".minilab", "one.jpg"])
    #expect(try temporaries() == [])
  }

  @Test("A name that cannot be taken back again is told as a loss, whatever went wrong first")
  func cannotTakeBack() throws {
    let fault: @Sendable (SystemCall) -> System.Fault? = { call in
      switch call {
      case .rename: .error(EACCES)
      case .unlink: .error(EIO)
      default: nil
      }
    }
    let files = [try file("one.jpg", "1"), try file("two.jpg", "2")]
    files[0].mayReplace = false
    let error = System.$fault.withValue(fault) { failure { try writer.commit(files) } }
    #expect(error?.code == .outputLost)
    #expect(error?.text == "expected to write two.jpg, found no permission")
    #expect(scratch.text("out/one.jpg") == "1")
  }

  @Test("A full disk is told from other failures", arguments: [ENOSPC, EDQUOT])
  func diskFull(number: Int32) throws {
    for call in [SystemCall.open, .fdatasync, .rename] {
      let error = failing(call, number) {
        failure { try writer.commit([try file("one.jpg", "1")]) }
      }
      #expect(error?.code == .diskFull)
    }
    #expect(try scratch.names("out") == [".minilab"])
    #expect(try temporaries() == [])
  }

  @Test(
    "After a failed save the system is asked why (report 39)",
    arguments: [(ENOSPC, ItemError.Code.diskFull), (EFBIG, .writeFailed), (EIO, .outputLost)]
  )
  func asksSystem(number: Int32, code: ItemError.Code) throws {
    let file = try file("one.jpg", "1")
    #expect(OutputWriter.problem(writing: file) == nil)
    let problem = failing(.write, number) { OutputWriter.problem(writing: file) }
    #expect(problem?.code == code)
    #expect(problem?.expected == "to write one.jpg" || problem?.code == .diskFull)
  }

  @Test("A name that a dead worker left is passed over")
  func leftName() throws {
    try scratch.write("half", to: "out/.minilab/tmp/\(getpid())-1")
    try writer.commit([try file("one.jpg", "1")])
    #expect(scratch.text("out/one.jpg") == "1")
  }

  @Test("Names are bytes (report 33)")
  func names() throws {
    let path = Path(bytes: Array("a\n[1]%d/".utf8) + [0xff, 0xfe] + Array(".jpg".utf8))
    let file = try writer.temporary(for: path)
    try System.writeAll(file.descriptor, [1])
    try writer.commit([file])
    #expect(System.contents(of: scratch.file("out").appending(path)) == [1])
  }

  @Test("A folder on another file system gets its file by a copy beside the name")
  func otherFileSystem() throws {
    mkdir(scratch.file("out/far").shown, 0o777)
    guard mount("tmpfs", scratch.file("out/far").shown, "tmpfs", 0, nil) == 0 else {
      // Only the superuser can mount.
      return
    }
    defer { umount(scratch.file("out/far").shown) }
    let text = String(repeating: "x", count: 700_000)
    try scratch.write("old", to: "out/far/two.jpg")
    try shortening(.write, to: 1000) {
      try writer.commit([
        try file("near.jpg", "n"), try file("far/one.jpg", text), try file("far/two.jpg", "2"),
      ])
    }
    #expect(scratch.text("out/far/one.jpg") == text)
    #expect(scratch.text("out/far/two.jpg") == "2")
    #expect(scratch.text("out/near.jpg") == "n")
    #expect(try scratch.names("out/far") == ["one.jpg", "two.jpg"])
    #expect(try temporaries() == [])
  }
}
