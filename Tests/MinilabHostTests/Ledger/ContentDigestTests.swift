import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Digests of contents")
struct ContentDigestTests {
  let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func noise(_ count: Int) -> [UInt8] {
    var dice = Dice(UInt32(count))
    return (0..<count).map { _ in UInt8(dice.next(0...255)) }
  }

  /// The oracle is another program's SHA-256: its first half.
  private func oracle(_ file: Path) throws -> String {
    let result = try Program(Path("/usr/bin/sha256sum")).run(file.shown)
    let whole = try #require(result.outputText.split(separator: " ").first)
    try #require(whole.count == 64)
    return String(whole.prefix(32))
  }

  @Test(
    "A digest is SHA-256's, whatever the length",
    arguments: [0, 1, 55, 56, 63, 64, 65, 119, 120, 127, 128, 129, 4099]
  )
  func digest(count: Int) throws {
    let bytes = noise(count)
    let file = try scratch.write(bytes, to: "noise")
    let digest = try #require(ContentDigest.ofFile(at: file))
    #expect(try digest.description == oracle(file))
    #expect(digest.bytes.count == 16)
  }

  @Test("A file that is read in several pieces has the digest of the whole")
  func largeFile() throws {
    let file = try scratch.write(noise((1 << 18) * 2 + 77), to: "noise")
    #expect(try ContentDigest.ofFile(at: file)?.description == oracle(file))
  }

  @Test("Pieces of any length give one digest")
  func pieces() throws {
    let bytes = noise(1000)
    let whole = ContentDigest { state in bytes.withUnsafeBytes { state.update($0) } }
    for length in [1, 3, 63, 64, 65, 500] {
      let pieced = ContentDigest { state in
        for start in stride(from: 0, to: bytes.count, by: length) {
          Array(bytes[start..<min(start + length, bytes.count)]).withUnsafeBytes {
            state.update($0)
          }
        }
      }
      #expect(pieced == whole, "\(length)")
    }
  }

  @Test("Digests that are told at one time do not mix")
  func threads() async throws {
    let contents = (0..<8).map { noise(200_000 + $0) }
    let alone = contents.map { bytes in ContentDigest { $0.add(bytes) } }
    let together = await withTaskGroup(of: (Int, ContentDigest).self) { group in
      for (place, bytes) in contents.enumerated() {
        group.addTask { (place, ContentDigest { $0.add(bytes) }) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for (place, digest) in alone.enumerated() { #expect(together[place] == digest) }
    #expect(Set(alone).count == contents.count)
  }

  @Test("Texts that follow each other are not run together")
  func texts() {
    func digest(_ texts: [String]) -> ContentDigest {
      ContentDigest { state in for text in texts { state.add(text) } }
    }
    #expect(digest(["ab", "c"]) != digest(["a", "bc"]))
    #expect(digest(["ab", ""]) != digest(["ab"]))
  }

  @Test("A digest goes through JSON, and what is none is refused")
  func coding() throws {
    let digest = ContentDigest { $0.add("a picture") }
    let line = try Line.encode(digest)
    #expect(try Line.decode(ContentDigest.self, from: line) == digest)
    for text in ["\"\"", "\"00\"", "\"zz\"", "\"\(String(repeating: "0", count: 33))\""] {
      #expect(throws: (any Error).self) {
        try Line.decode(ContentDigest.self, from: Array(text.utf8))
      }
    }
  }
}
