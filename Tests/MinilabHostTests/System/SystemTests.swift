import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

@Suite("System calls")
struct SystemTests {
  @Test("An interrupted call is made again")
  func retries() throws {
    let pipe = try System.pipe()
    try failing(.write, EINTR, first: 3) {
      try System.writeAll(pipe.write.number, Array("abc".utf8))
    }
    var buffer = [UInt8](repeating: 0, count: 10)
    let count = try failing(.read, EINTR, first: 3) {
      try buffer.withUnsafeMutableBytes { try System.read(pipe.read.number, into: $0) }
    }
    #expect(count == 3)
  }

  @Test("What is written in pieces arrives whole")
  func shortWrites() throws {
    let pipe = try System.pipe()
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    try shortening(.write, to: 7) { try System.writeAll(pipe.write.number, bytes) }
    var buffer = [UInt8](repeating: 0, count: 2000)
    let count = try buffer.withUnsafeMutableBytes { try System.read(pipe.read.number, into: $0) }
    #expect(count == 1000)
    #expect(Array(buffer[..<1000]) == bytes)
  }

  @Test("Reading tells nothing yet from the end")
  func readEnds() throws {
    let ends = try System.pipe()
    System.setNonBlocking(ends.read.number)
    var buffer = [UInt8](repeating: 0, count: 10)
    func read() throws -> Int? {
      try buffer.withUnsafeMutableBytes { try System.read(ends.read.number, into: $0) }
    }
    #expect(try read() == nil)
    let nothing = Glibc.open("/dev/null", O_WRONLY)
    dup2(nothing, ends.write.number)
    close(nothing)
    #expect(try read() == 0)
  }

  @Test("An error keeps its number and says a reason a person understands")
  func errors() {
    let missing = Path("/nowhere/at/all")
    #expect(throws: SystemError(call: .open, number: ENOENT)) {
      _ = try Descriptor(opening: missing, O_RDONLY).number
    }
    #expect(SystemError(call: .write, number: ENOSPC).reason == "the disk is full")
    #expect(SystemError(call: .write, number: EDQUOT).isDiskFull)
    #expect(SystemError(call: .open, number: ELOOP).reason == "a symbolic link")
    #expect(SystemError(call: .stat, number: ELOOP).reason.hasSuffix("lead in a circle"))
    #expect(!SystemError(call: .write, number: EIO).isDiskFull)
    #expect(SystemError(call: .write, number: EDOM).reason == "Numerical argument out of domain")
  }
}

@Suite("Lines")
struct LinesTests {
  @Test("A message is one line, whatever is in it")
  func message() throws {
    let request = Request.unit(
      UnitRequest(
        id: 7,
        input: Path(bytes: [0x0a, 0xff, 0x22]),
        format: .jpeg,
        outputs: [Path("a\nb/c.jpg")]
      )
    )
    let line = try Line.encode(request)
    #expect(line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    #expect(line.last == UInt8(ascii: "\n"))
    guard case .unit(let unit) = try Line.decode(Request.self, from: line.dropLast()) else {
      Issue.record("expected a unit")
      return
    }
    #expect(unit.input.bytes == [0x0a, 0xff, 0x22])
    #expect(unit.outputs == [Path("a\nb/c.jpg")])
  }

  @Test("A profile's infinity and not-a-number arrive")
  func oddNumbers() throws {
    let place = Place(file: Path("p"), line: 1, column: 1)
    let node = Node(.array([.init(.float(.infinity), at: place)]), at: place)
    let line = try Line.encode(Request.setup(Setup(profile: node, output: nil, threads: 1)))
    guard case .setup(let setup) = try Line.decode(Request.self, from: line),
      case .float(let number)? = setup.profile.items?.first?.value
    else {
      Issue.record("expected a number")
      return
    }
    #expect(number == .infinity)
  }

  @Test("Lines are cut wherever the pipe cut them", arguments: [1, 2, 5, 1000])
  func cuts(bytes: Int) throws {
    let pipe = try System.pipe()
    try System.writeAll(pipe.write.number, Array("one\n\ntwo\nthree".utf8))
    System.setNonBlocking(pipe.read.number)
    var reader = LineReader()
    var lines: [String] = []
    try shortening(.read, to: bytes) {
      while try reader.read(from: pipe.read.number) == .read {
        while let line = reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
      }
    }
    #expect(lines == ["one", "", "two"])
    #expect(reader.pending == 5)
  }

  @Test("What a pipe does not take waits for the next time")
  func writer() throws {
    let pipe = try System.pipe()
    System.setNonBlocking(pipe.write.number)
    System.setNonBlocking(pipe.read.number)
    let long = [UInt8](repeating: 1, count: 200_000)
    var writer = LineWriter()
    writer.add(long)
    writer.add([2])
    var read: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    for round in 0..<20 where !writer.isEmpty || round == 0 {
      try writer.write(to: pipe.write.number)
      while let count = try buffer.withUnsafeMutableBytes({
        try System.read(pipe.read.number, into: $0)
      }) { read += buffer[..<count] }
    }
    #expect(writer.isEmpty)
    #expect(read == long + [2])
  }
}
