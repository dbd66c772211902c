import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Digests of large files, told aside")
struct DigestAsideTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  /// As large as is told aside.
  private func large() throws -> Path {
    var dice = Dice(7)
    let piece = (0..<4099).map { _ in UInt8(dice.next(0...255)) }
    let count = DigestAside.large / piece.count + 1
    return try scratch.write(Array(repeatElement(piece, count: count).joined()), to: "large")
  }

  private func aside(_ file: Path) throws -> DigestAside {
    let opened = try Descriptor(opening: file, O_RDONLY)
    let aside = DigestAside(of: opened)
    return try #require(aside)
  }

  @Test("It is the digest of the file, also when it is asked for twice")
  func same() throws {
    let file = try large()
    let aside = try aside(file)
    let wanted = try #require(ContentDigest.ofFile(at: file))
    #expect(aside.wait() == wanted)
    #expect(aside.wait() == wanted)
  }

  @Test("Whoever does not wait for it gives it up, and nothing is left behind")
  func givenUp() throws {
    let file = try large()
    for _ in 0..<20 { _ = try aside(file) }
  }

  @Test("A watch that tells it aside tells the same")
  func watch() throws {
    let file = try large()
    var plain = InputWatch([file])
    var aside = InputWatch([file])
    aside.begin()
    let digest = plain.digest(0)
    let other = aside.digest(0)
    #expect(digest != nil && other == digest)
  }

  @Test("A file that changes meanwhile has none")
  func changed() throws {
    let file = try large()
    var watch = InputWatch([file])
    watch.begin()
    _ = try scratch.write([1, 2, 3], to: "large")
    let digest = watch.digest(0)
    #expect(digest == nil)
  }
}
