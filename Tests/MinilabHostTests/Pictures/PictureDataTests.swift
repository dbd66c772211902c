import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Files of pictures")
struct PictureDataTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func bytes(_ data: PictureData) throws -> [UInt8] {
    let file = try data.reopened()
    var buffer = [UInt8](repeating: 0, count: 100)
    let count = read(file.number, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }

  @Test("a spared file is closed, and the same one when it is opened again")
  func spared() throws {
    let path = try scratch.write("one", to: "a")
    let data = try PictureData(path)
    let descriptor = data.descriptor
    #expect(fcntl(descriptor, F_GETFD) >= 0)
    data.spare()
    #expect(data.bytes == Array("one".utf8))
    #expect(try bytes(data) == Array("one".utf8))
  }

  @Test("another file under the name of a spared one is refused, and never read for it")
  func replaced() throws {
    let path = try scratch.write("one", to: "a")
    let data = try PictureData(path)
    data.spare()
    let other = try scratch.write("two", to: "b")
    #expect(other.withCString { from in path.withCString { rename(from, $0) } } == 0)
    #expect(throws: SystemError(call: .open, number: ESTALE)) { try bytes(data) }
    let open = try PictureData(path)
    let third = try scratch.write("three", to: "c")
    #expect(third.withCString { from in path.withCString { rename(from, $0) } } == 0)
    #expect(try bytes(open) == Array("two".utf8))
  }

  @Test("a file is read in one piece up to the size that is asked for")
  func held() throws {
    let path = try scratch.write("one", to: "a")
    #expect(try PictureData(path, holding: 3).bytes == Array("one".utf8))
    #expect(try PictureData(path, holding: 2).bytes == nil)
    #expect(try bytes(PictureData(path, holding: 2)) == Array("one".utf8))
  }
}
