import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Output root")
struct OutputFolderTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func refusal(
    of path: Path,
    patience: Duration = .milliseconds(50)
  ) -> OutputFolderError? {
    do {
      _ = try OutputFolder(preparing: path, patience: patience)
      return nil
    } catch {
      return error
    }
  }

  @Test("It is made in a folder that is there", arguments: ["out", "out/", "out//"])
  func made(name: String) throws {
    _ = try OutputFolder(preparing: scratch.file(name))
    #expect(try scratch.names() == ["out"])
    #expect(try scratch.names("out") == [".minilab"])
    #expect(try scratch.names("out/.minilab") == ["lock", "tmp"])
  }

  @Test("It is not made in a folder that is not there (report 41)")
  func missingParent() throws {
    #expect(
      refusal(of: scratch.file("no/out"))?.received
        == "that \(scratch.file("no").shown) is not there"
    )
    #expect(try scratch.names() == [])
  }

  @Test("A file is no output root, nor a parent of one (report 41)")
  func file() throws {
    try scratch.write("x", to: "file")
    let path = scratch.file("file")
    #expect(refusal(of: path)?.text == "\(path.shown): expected a folder, found a file")
    #expect(refusal(of: path.appending("out"))?.received == "a file")
  }

  @Test("A link that leads nowhere is told from nothing (report 41)")
  func danglingLink() throws {
    symlink("/nowhere/at/all", scratch.file("link").shown)
    #expect(refusal(of: scratch.file("link"))?.received == "a link that leads nowhere")
  }

  @Test("A folder that cannot be written is refused before work (report 41)")
  func readOnly() throws {
    mkdir(scratch.file("out").shown, 0o555)
    // To the superuser no folder is read-only, so the kernel's answer is put in.
    failing(.access, EACCES) {
      #expect(
        refusal(of: scratch.file("out"))?.text
          == "\(scratch.file("out").shown): expected a folder that can be written, "
          + "found no permission"
      )
    }
    failing(.access, EROFS) {
      #expect(refusal(of: scratch.file("new"))?.received == "the file system is read-only")
    }
    #expect(try scratch.names("out") == [])
  }

  @Test("For somebody who writes nothing, what cannot be written is a place as any other")
  func place() throws {
    mkdir(scratch.file("out").shown, 0o555)
    try scratch.write("x", to: "file")
    let isThere = try failing(.access, EROFS) {
      try ["out", "new"].map { try OutputFolder.checkPlace(scratch.file($0)) }
    }
    #expect(isThere == [true, false])
    #expect(throws: OutputFolderError.self) { try OutputFolder.checkPlace(scratch.file("file")) }
  }

  @Test("Checking changes nothing")
  func check() throws {
    #expect(try OutputFolder.check(scratch.file("out")) == false)
    #expect(try scratch.names() == [])
    #expect(try OutputFolder.check(scratch.path))
    #expect(try scratch.names() == [])
  }

  @Test("What a dead run left is removed (report 39)")
  func emptied() throws {
    _ = try OutputFolder(preparing: scratch.path)
    try scratch.write("half", to: ".minilab/tmp/17-1")
    let folder = try OutputFolder(preparing: scratch.path)
    #expect(try scratch.names(".minilab/tmp") == [])

    try scratch.write("half", to: ".minilab/tmp/17-1")
    try scratch.write("half", to: ".minilab/tmp/170-1")
    folder.emptyTemporaries(of: 17)
    #expect(try scratch.names(".minilab/tmp") == ["170-1"])
  }

  @Test("Its own folder is no link: nothing is removed elsewhere")
  func plantedLink() throws {
    mkdir(scratch.file("out").shown, 0o777)
    mkdir(scratch.file("precious").shown, 0o777)
    mkdir(scratch.file("precious/tmp").shown, 0o777)
    try scratch.write("picture", to: "precious/tmp/1.jpg")
    symlink(scratch.file("precious").shown, scratch.file("out/.minilab").shown)
    #expect(refusal(of: scratch.file("out")) != nil)
    #expect(try scratch.names("precious/tmp") == ["1.jpg"])
  }

  @Test("Only one run holds it at a time")
  func held() throws {
    let first = try OutputFolder(preparing: scratch.path)
    let received = refusal(of: scratch.path)?.received
    #expect(received?.hasPrefix("a run that is still going (process \(getpid()) on ") == true)
    withExtendedLifetime(first) {}
  }

  @Test("The workers of a dead run have time to let go")
  func waits() throws {
    let made = try failing(.flock, EWOULDBLOCK, first: 3) {
      try OutputFolder(preparing: scratch.path, patience: .seconds(60))
    }
    #expect(made.path == scratch.path)
  }

  @Test("What was made for nothing is taken back")
  func discard() throws {
    let folder = try OutputFolder(preparing: scratch.file("out"))
    folder.discard()
    #expect(try scratch.names() == [])

    mkdir(scratch.file("old").shown, 0o777)
    let old = try OutputFolder(preparing: scratch.file("old"))
    old.discard()
    #expect(try scratch.names() == ["old"])
    #expect(try scratch.names("old") == [])

    _ = try OutputFolder(preparing: scratch.file("old"))
    try OutputFolder(preparing: scratch.file("old")).discard()
    #expect(try scratch.names("old") == [".minilab"])
  }

  @Test("It is lost when it is removed or replaced")
  func lost() throws {
    let folder = try OutputFolder(preparing: scratch.file("out"))
    #expect(!folder.isLost)
    rename(scratch.file("out").shown, scratch.file("elsewhere").shown)
    #expect(folder.isLost)
    mkdir(scratch.file("out").shown, 0o777)
    #expect(folder.isLost)
  }

  @Test("It is lost where nothing can be written or read any more, and not where it is full")
  func failingDevice() throws {
    let folder = try OutputFolder(preparing: scratch.file("out"))
    for call in [SystemCall.write, .fdatasync, .read] {
      #expect(failing(call, EIO) { folder.isLost }, "\(call)")
      #expect(failing(call, ESTALE) { folder.isLost }, "\(call)")
    }
    #expect(!failing(.write, ENOSPC) { folder.isLost })
    #expect(!folder.isLost)
    #expect(try scratch.names("out/.minilab/tmp") == [])
  }

  @Test("It is lost without the folder of what is being written")
  func lostTemporaries() throws {
    let folder = try OutputFolder(preparing: scratch.file("out"))
    #expect(!folder.isLost)
    rmdir(scratch.file("out/.minilab/tmp").shown)
    #expect(folder.isLost)
  }
}
