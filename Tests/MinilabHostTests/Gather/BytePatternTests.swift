import MinilabKit
import Testing

@testable import MinilabHost

@Suite("Patterns over bytes")
struct BytePatternTests {
  private func captured(_ pattern: String, _ bytes: [UInt8]) throws -> String? {
    try BytePattern(pattern).capture(in: bytes).map { Path(bytes: $0).shown }
  }

  private func captured(_ pattern: String, _ text: String) throws -> String? {
    try captured(pattern, Array(text.utf8))
  }

  @Test("the first group is captured, or all that matches where there is none")
  func captures() throws {
    #expect(try captured("^(.*)-[0-9]+", "mug-12.jpg") == "mug")
    #expect(try captured("(?:a|b)([0-9]+)(.*)", "xb77y") == "77")
    #expect(try captured("[0-9]+", "mug-12-7.jpg") == "12")
    #expect(try captured("^[0-9]+", "mug-12.jpg") == nil)
  }

  @Test("an empty text is captured, a group without a part in the match is none")
  func emptyAndAbsent() throws {
    #expect(try captured("^(x?)", "mug") == "")
    #expect(try captured("$", "mug") == "")
    #expect(try captured("^(x)?m", "mug") == nil)
    #expect(try captured("(a)|(b)", "b") == nil)
    // A later group without a part changes nothing.
    #expect(try captured("(b)|(a)", "b") == "b")
  }

  @Test("names are bytes: newlines, other alphabets, and what is no UTF-8 (33)")
  func bytes() throws {
    #expect(try captured("^(a.)", [0x61, 0xff, 0xfe]) == "a\\xff")
    #expect(try captured("^(.*)-", "Größe-1") == "Größe")
    #expect(try captured("(?s)^(.*)-", "two\nlines-1") == "two\\nlines")
    #expect(try captured("ö", "Größe") == "ö")
    #expect(try captured("(.)", []) == nil)
  }

  @Test(
    "what is no pattern says why and where",
    arguments: [
      ("a(b", "missing", 4), ("[a", "missing", 3), ("ö**b", "repeat", 3),
      ("(?<n>a)(?<n>b)", "", 0),
    ]
  )
  func faults(pattern: String, reason: String, position: Int) throws {
    do throws(BytePattern.Fault) {
      _ = try BytePattern(pattern)
      Issue.record("\(pattern) is none")
    } catch {
      #expect(!error.reason.isEmpty)
      #expect(error.reason.contains(reason))
      #expect(!error.reason.contains("LIMIT_MATCH"))
      if position > 0 { #expect(error.position == position) }
    }
  }

  @Test("a NUL is no part of a pattern")
  func nul() {
    #expect(throws: BytePattern.Fault(reason: "a NUL byte", position: 2)) {
      try BytePattern("a\u{0}b")
    }
  }

  @Test(
    "a pattern that goes through every way of reading a name ends, and promptly",
    arguments: ["(a+)+$", "^(a|aa)+$", "(a*)*(a*)*(a*)*b$", "(.*)*(.*)*(.*)*(.*)*x\\1y"]
  )
  func catastrophe(pattern: String) throws {
    let name = String(repeating: "a", count: 250) + "!"
    let regex = try BytePattern(pattern)
    do throws(BytePattern.TooManySteps) {
      #expect(try regex.capture(in: Array(name.utf8)) == nil)
    } catch {
      // Giving up is an answer, too.
    }
  }

  @Test("what a pattern would make of the text before it stays its own")
  func verbs() throws {
    // The limit stands in front; a pattern may still begin with a verb of its own.
    #expect(try captured("(*ANYCRLF)(?m)^(b)$", "a\nb") == "b")
    #expect(try captured("(?i)^(MUG)", "mug") == "mug")
  }
}
