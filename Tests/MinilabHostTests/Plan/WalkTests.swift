import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

private struct Found {
  /// Paths as they are opened, in the plan's order.
  let paths: [Path]
  /// Paths below the roots.
  let relative: [Path]
  let items: ItemTable
  let leftOut: LeftOut

  var names: [String] { relative.map(\.shown) }
  var failures: [String: ItemError.Code] {
    var failures: [String: ItemError.Code] = [:]
    for (index, name) in names.enumerated() { failures[name] = items.failure(at: index)?.code }
    return failures
  }
}

private func walk(
  _ inputs: [Path],
  output: Path? = nil,
  _ change: (inout InputPolicy) -> Void = { _ in }
) throws -> Found {
  var policy = InputPolicy()
  change(&policy)
  let result = try Walk.run(inputs, policy, output: output)
  let indices = 0..<result.items.count
  return Found(
    paths: indices.map { result.items.path(at: $0) },
    relative: indices.map { result.items.relativePath(at: $0) },
    items: result.items,
    leftOut: result.leftOut
  )
}

private let jpeg = SampleBytes.jpeg

@Test("Content decides, not the name (35)")
func contentDecides() throws {
  let folder = try TemporaryFolder()
  for name in ["x.JPG", "y.jPeG", "z", "n.txt"] { try folder.write(jpeg, to: name) }
  try folder.write(SampleBytes.png, to: "png.jpg")
  try folder.write(SampleBytes.text("hello"), to: "readme.txt")
  let found = try walk([folder.path])
  #expect(found.names == ["n.txt", "png.jpg", "x.JPG", "y.jPeG", "z"])
  #expect(found.items.items.map(\.format) == [.jpeg, .png, .jpeg, .jpeg, .jpeg])
  #expect(found.leftOut == LeftOut(notAPicture: 1))
}

@Test("Dot files and dot folders are left out and counted, not errors (37)")
func dotFiles() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "x.jpg")
  let stub: [UInt8] = [0, 5, 0x16, 7, 0, 2, 0, 0] + Array(repeating: 0, count: 4088)
  try folder.write(stub, to: "._x.jpg")
  try folder.write([1], to: ".DS_Store")
  try folder.write(jpeg, to: ".hidden.jpg")
  try folder.write(jpeg, to: ".thumbnails/a.jpg")
  try folder.write(jpeg, to: ".thumbnails/b.jpg")
  let found = try walk([folder.path])
  #expect(found.names == ["x.jpg"])
  #expect(found.leftOut == LeftOut(hidden: 4))
}

@Test("The output root below the input is left out of the walk (47)")
func outputRoot() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "a.jpg")
  try folder.write(jpeg, to: "out/a.jpg")
  try folder.write(jpeg, to: "out/.minilab/tmp/1")
  try folder.write(jpeg, to: "sub/out/b.jpg")
  try folder.link("other", to: "out")
  let found = try walk([folder.path], output: folder.at("sub/../other"))
  #expect(found.names == ["a.jpg", "sub/out/b.jpg"])
  #expect(found.leftOut == LeftOut(link: 1))
  // A way into it through a link is no way either.
  let followed = try walk([folder.path], output: folder.at("out")) { $0.links = .follow }
  #expect(followed.names == ["a.jpg", "sub/out/b.jpg"])
  // One that does not exist yet is nowhere.
  #expect(try walk([folder.path], output: folder.at("new/out")).names.count == 3)
}

@Test("An output root that is an input folder is refused")
func outputIsInput() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "in/a.jpg")
  #expect(throws: PlanError.outputIsInput(folder.at("in"))) {
    try walk([folder.at("in")], output: folder.at("in/."))
  }
}

@Test("A name that promises a picture and holds none is an item that fails")
func brokenPromises() throws {
  let folder = try TemporaryFolder()
  try folder.write([], to: "empty.jpg")
  try folder.write([], to: "empty.txt")
  try folder.write(SampleBytes.text("404 not found"), to: "page.HEIC")
  try folder.write(SampleBytes.text("404 not found"), to: "drawing.svg")
  let found = try walk([folder.path])
  #expect(found.failures == ["empty.jpg": .notAPicture, "page.HEIC": .notAPicture])
  #expect(found.items.failure(at: 0)?.text == "expected a picture, found an empty file")
  // SVG is not opened by default, so its name promises nothing.
  #expect(found.leftOut == LeftOut(notAPicture: 2))
  let all = try walk([folder.path]) { $0.formats = .all }
  #expect(all.names == ["drawing.svg", "empty.jpg", "page.HEIC"])
}

@Test("Formats that are off and camera raw are left out by kind")
func offAndRaw() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.svg, to: "a.svg")
  try folder.write(SampleBytes.svg, to: "a.jpg")
  try folder.write(SampleBytes.tiff, to: "b.NEF")
  try folder.write(jpeg, to: "c.nef")
  try folder.write(SampleBytes.tiff, to: "d.tif")
  let found = try walk([folder.path])
  #expect(found.names == ["c.nef", "d.tif"])
  #expect(found.leftOut.formatOff == 2)
  #expect(found.leftOut.raw == 1)
  #expect(found.leftOut.total == 3)
  #expect(
    found.leftOut.firstOff?.shown
      == "a.jpg is SVG, which --set 'input.formats=[\"safe\", \"svg\"]' opens"
  )
}

@Test("FIFOs, devices and sockets are never opened", .timeLimit(.minutes(10)))
func fifos() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "a.jpg")
  try check(folder.at("pipe.jpg").withCString { mkfifo($0, 0o644) })
  let found = try walk([folder.path])
  #expect(found.names == ["a.jpg"])
  #expect(found.leftOut == LeftOut(notAPicture: 1))
  let named = try walk([folder.at("pipe.jpg"), Path("/dev/zero")])
  #expect(Set(named.failures.values) == [.notAPicture])
  #expect(named.names == ["zero", "pipe.jpg"])
}

@Test("Names are bytes: each odd name is one item (33)")
func oddNames() throws {
  let folder = try TemporaryFolder()
  let names: [[UInt8]] =
    [
      "a:b.jpg", "@at.jpg", "b%d.jpg", "{ext}.jpg", "-d.jpg", "new\nline.jpg", "sp ace.jpg",
      "it's \"q\".jpg", "😀.jpg", "\u{e9}.jpg", "e\u{301}.jpg", "a[1].jpg", "a*.jpg", "back\\.jpg",
      String(repeating: "n", count: 255),
    ].map { Array($0.utf8) } + [[0xff, 0xfe, 0x2e, 0x6a, 0x70, 0x67], [0xc3]]
  for name in names { try folder.write(jpeg, to: Path(bytes: name)) }
  let sorted = names.map(Path.init(bytes:)).sorted()
  #expect(try walk([folder.path]).relative == sorted)
  // Each of them named as a file is itself and no pattern.
  let named = try walk(names.map { folder.path.appending(Path(bytes: $0)) })
  #expect(named.relative == sorted)
  #expect(named.items.failedCount == 0)
}

@Test("The order is that of the paths' bytes, across folders")
func order() throws {
  let folder = try TemporaryFolder()
  for name in ["a/b.jpg", "a.jpg", "a-b.jpg", "a0/x.jpg", "a!/x.jpg", "a/a/z.jpg", "b", "A.jpg"] {
    try folder.write(jpeg, to: name)
  }
  let found = try walk([folder.path])
  #expect(found.paths == found.paths.sorted())
  #expect(found.paths.count == 8)
  let two = try walk([folder.at("b"), folder.at("a0"), folder.at("a")])
  #expect(two.paths == two.paths.sorted())
  #expect(two.names == ["a/z.jpg", "b.jpg", "x.jpg", "b"])
}

@Test("Include and exclude choose by the path below the root")
func includeAndExclude() throws {
  let folder = try TemporaryFolder()
  for name in ["a.jpg", "x/a.jpg", "x/b.png", "x/y/c.jpg", "old/a.jpg"] {
    try folder.write(jpeg, to: name)
  }
  let found = try walk([folder.path]) {
    $0.include = ["**/*.jpg"]
    $0.exclude = ["old/**", "x/y/c.*"]
  }
  #expect(found.names == ["a.jpg", "x/a.jpg"])
  #expect(found.leftOut == LeftOut())
}

@Test("A folder that is excluded whole is not even opened")
func excludedFolder() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "a.jpg")
  try folder.makeFolder("lost+found")
  try folder.setMode("lost+found", 0)
  let found = try asOrdinaryUser {
    try walk([folder.path]) { $0.exclude = ["lost+found/**"] }
  }
  #expect(found.names == ["a.jpg"])
}

@Test("What cannot be read is an item that fails")
func unreadable() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "good.jpg")
  try folder.write(jpeg, to: "locked")
  try folder.write(jpeg, to: "shut/a.jpg")
  try folder.write(jpeg, to: "shut-.jpg")
  try folder.setMode("locked", 0)
  try folder.setMode("shut", 0)
  let found = try asOrdinaryUser { try walk([folder.path]) }
  #expect(found.names == ["good.jpg", "locked", "shut", "shut-.jpg"])
  #expect(found.failures == ["locked": .unreadable, "shut": .unreadable])
  #expect(
    found.items.failure(at: 2)?.text
      == "expected a folder that can be read, found no permission"
  )
}

@Test("Links are left out and counted")
func linksSkipped() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "a.jpg")
  try folder.link("b.jpg", to: "a.jpg")
  try folder.link("loop", to: ".")
  try folder.link("broken.jpg", to: "nowhere")
  let found = try walk([folder.path])
  #expect(found.names == ["a.jpg"])
  #expect(found.leftOut == LeftOut(link: 3))
}

@Test("Links are followed to each target once, and loops end", .timeLimit(.minutes(10)))
func linksFollowed() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "in/a.jpg")
  try folder.link("in/again.jpg", to: "a.jpg")
  try folder.link("in/loop", to: "..")
  try folder.link("in/sub/up", to: "../../in")
  try folder.write(jpeg, to: "store/1")
  try folder.write(jpeg, to: "store/more/2")
  try folder.link("in/first.jpg", to: "../store/1")
  try folder.link("in/second.jpg", to: "../store/1")
  try folder.link("in/third", to: "../store")
  try folder.link("in/broken.jpg", to: "nowhere")
  try folder.link("in/self", to: "self")
  try folder.link("in/self.jpg", to: "self.jpg")
  let found = try walk([folder.at("in")]) { $0.links = .follow }
  // The loop leads to the folder above, which nothing had reached before; `in` in it is known, and
  // the store is reached through it once the shorter ways are taken.
  #expect(found.names.contains("a.jpg"))
  #expect(found.names.contains("first.jpg"))
  #expect(!found.names.contains("second.jpg"))
  #expect(!found.names.contains("again.jpg"))
  let real = found.paths.compactMap { try? realPath($0) }
  #expect(real.count == Set(real).count && real.count == 3)
  #expect(found.failures == ["broken.jpg": .unreadable, "self.jpg": .unreadable])
  #expect(found.paths == found.paths.sorted())
  #expect(found.leftOut.notAPicture == 0 && found.leftOut.hidden == 0)
}

@Test("A link into a hidden store, as annexes have it, is followed")
func linkIntoHidden() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: ".store/abc")
  try folder.link("photo.jpg", to: ".store/abc")
  let found = try walk([folder.path]) { $0.links = .follow }
  #expect(found.names == ["photo.jpg"])
}

@Test("Hard links are files of their own")
func hardLinks() throws {
  let folder = try TemporaryFolder()
  let file = try folder.write(jpeg, to: "a.jpg")
  try check(file.withCString { from in folder.at("b.jpg").withCString { link(from, $0) } })
  #expect(try walk([folder.path]).names == ["a.jpg", "b.jpg"])
}

@Test("A file that is named is taken whatever its name, and its root is its folder")
func namedFiles() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "sub/.hidden.jpg")
  try folder.write(SampleBytes.text("x"), to: "sub/notes.txt")
  let found = try walk([folder.at("sub/.hidden.jpg"), folder.at("sub/notes.txt")]) {
    $0.include = ["*.png"]
  }
  #expect(found.names == [".hidden.jpg", "notes.txt"])
  #expect(found.failures == ["notes.txt": .notAPicture])
  #expect(found.items.root(at: 0).name == Array("sub".utf8))
}

@Test("The same file given in several ways is one item")
func sameFile() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "a.jpg")
  try folder.write(jpeg, to: "sub/b.jpg")
  try folder.link("c.jpg", to: "a.jpg")
  let file = folder.at("a.jpg")
  #expect(try walk([file, file, folder.at("sub/../a.jpg"), folder.at("c.jpg")]).names == ["a.jpg"])
  #expect(try walk([folder.path, file, folder.path]).names == ["a.jpg", "sub/b.jpg"])
  #expect(try walk([folder.path, folder.at("sub")]).names == ["a.jpg", "sub/b.jpg"])
  #expect(try walk([folder.at("sub"), folder.path]).names == ["a.jpg", "b.jpg"])
}

@Test("An input that is missing is named")
func missingInput() throws {
  let folder = try TemporaryFolder()
  let missing = folder.at("no\nsuch.jpg")
  let error = #expect(throws: PlanError.self) { try walk([folder.path, missing]) }
  #expect(
    error?.text
      == "\(missing.shown): expected a file or folder that can be read, "
      + "found nothing is there"
  )
  #expect(throws: PlanError.self) { try walk([Path("")]) }
  try folder.makeFolder("shut")
  try folder.setMode("shut", 0)
  #expect(throws: PlanError.input(folder.at("shut"), reason: "no permission")) {
    try asOrdinaryUser { try walk([folder.at("shut")]) }
  }
}

@Test("The root's name is its folder's, also where a dot was given")
func rootNames() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "sub/a.jpg")
  try folder.makeFolder("sub/x")
  for given in ["sub", "sub/", "sub//", "sub/.", "sub/x/.."] {
    #expect(try walk([folder.at(given)]).items.root(at: 0).name == Array("sub".utf8))
    #expect(try walk([folder.at(given)]).names == ["a.jpg"])
  }
}

@Test("A tree of a thousand levels is walked with few descriptors", .timeLimit(.minutes(10)))
func deepTree() throws {
  let folder = try TemporaryFolder()
  // A path longer than the kernel takes in one call, with something to come back to on every level.
  let name = Path("level")
  let levels = 1000
  var parent = SharedDescriptor(try openFile(folder.path.bytes[...], flags: Int32(O_DIRECTORY)))
  for _ in 0..<levels {
    let file = try Descriptor(opening: Path("z.jpg"), in: parent.number, O_WRONLY | O_CREAT)
    try System.writeAll(file.number, jpeg)
    try System.makeFolder(name, in: parent.number)
    parent = SharedDescriptor(try openFile(name.bytes[...], in: parent.number))
  }
  let found = try walk([folder.path])
  #expect(found.relative.count == levels)
  #expect(found.items.failedCount == 0)
  #expect(found.relative[0].bytes.count == (levels - 1) * (name.bytes.count + 1) + 5)
  #expect(found.relative == found.relative.sorted())
  // And the deepest can be opened by its path.
  let deepest = try openFile(found.paths[0].bytes[...])
  #expect(lseek(deepest.number, 0, SEEK_END) == off_t(jpeg.count))
}

@Test("A folder of a hundred thousand files is walked", .timeLimit(.minutes(10)))
func wideFolder() throws {
  let folder = try TemporaryFolder()
  let file = try folder.write(jpeg, to: "0")
  let open = try openFile(folder.path.bytes[...], flags: Int32(O_DIRECTORY))
  let parent = open.number
  // Hard links are made fast; a file system bounds how many one file may have.
  let count = 100_000
  for index in 1..<count {
    if index % 20_000 == 0 { try folder.write(jpeg, to: "\(index)") }
    let source = "\(index / 20_000 * 20_000)"
    if index % 20_000 != 0 { try check(linkat(parent, source, parent, "\(index)", 0)) }
  }
  #expect(file.isReadableFile)
  let found = try walk([folder.path])
  #expect(found.relative.count == count)
  #expect(found.relative == found.relative.sorted())
}

@Test("Only the last folders of a way are open, and one that was closed is found again")
func wayKeepsFewOpen() throws {
  struct Weak {
    weak var folder: OpenFolder?
  }
  let folder = try TemporaryFolder()
  let levels = 300
  try folder.makeFolder(Array(repeating: "d", count: levels).joined(separator: "/"))
  func wayDown() throws -> (Way, [Weak]) {
    let root = try OpenFolder(folder.path.bytes)
    var opened = [Weak(folder: root)]
    var way = Way(0, root, try root.entries(), path: [])
    while let (_, name, kind) = way.next(), kind == .folder {
      let next = try OpenFolder(name, in: way.open())
      opened.append(Weak(folder: next))
      way.descend(UInt32(opened.count), name, next, try next.entries())
      if opened.count > levels { break }
    }
    return (way, opened)
  }
  var (way, opened) = try wayDown()
  #expect(opened.count == levels + 1)
  #expect(opened.filter { $0.folder != nil }.count == Way.mostOpen + 1)
  #expect(way.path.count == 2 * levels - 1)
  // Everything is seen, so this goes up to the end.
  #expect(way.next() == nil)
  #expect(opened.allSatisfy { $0.folder == nil })

  // Folders far above are not to be walked on in when others have taken their names.
  try folder.write(jpeg, to: "d/d/z.jpg")
  (way, opened) = try wayDown()
  try check(folder.at("d").withCString { old in folder.at("e").withCString { rename(old, $0) } })
  try folder.makeFolder("d/d")
  let next = way.next()
  let entry = try #require(next)
  #expect(Array(entry.name) == Array("z.jpg".utf8))
  #expect(throws: SystemError(call: .open, number: ESTALE)) { try way.open() }
}

@Test("A folder that breaks off while it is read fails, and is not taken for a shorter one")
func brokenFolder() throws {
  let folder = try TemporaryFolder()
  try folder.write(jpeg, to: "a.jpg")
  let broken = PlanError.input(folder.path, reason: "the device reports an error")
  let fault: @Sendable (SystemCall) -> System.Fault? = { $0 == .readFolder ? .error(EIO) : nil }
  #expect(throws: broken) {
    try System.$fault.withValue(fault) { try walk([folder.path]) }
  }
}

@Test("A file is told by its first bytes however few come at a time")
func shortReads() throws {
  let folder = try TemporaryFolder()
  try folder.write(SampleBytes.svg, to: "a")
  let fault: @Sendable (SystemCall) -> System.Fault? = { $0 == .read ? .atMost(1) : nil }
  let found = try System.$fault.withValue(fault) {
    try walk([folder.path]) { $0.formats = .all }
  }
  #expect(found.items.items.map(\.format) == [.svg])
}
