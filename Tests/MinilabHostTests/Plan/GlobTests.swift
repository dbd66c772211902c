import Testing

@testable import MinilabHost

@Test(
  "Patterns match paths as people expect",
  arguments: [
    ("**", "a", true), ("**", "a/b/c", true),
    ("*", "a", true), ("*", "a/b", false),
    ("*.jpg", "a.jpg", true), ("*.jpg", "b/a.jpg", false), ("*.jpg", "a.jpeg", false),
    ("**/*.jpg", "a.jpg", true), ("**/*.jpg", "x/y/a.jpg", true), ("**/*.jpg", "x/a.png", false),
    ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true), ("a/**/b", "a/x", false),
    ("a/**", "a/x/y", true), ("a/**", "b/x", false),
    ("?.jpg", "a.jpg", true), ("?.jpg", "ab.jpg", false), ("?", "/", false),
    ("[a-c]x", "bx", true), ("[a-c]x", "dx", false), ("[!a-c]x", "dx", true),
    ("[]]x", "]x", true), ("[a-]x", "-x", true), ("[x", "[x", true), ("[x", "x", false),
    ("a\\*b", "a*b", true), ("a\\*b", "axb", false),
    ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-b-b-d", false),
    ("**/a/**/b/*.png", "x/a/y/a/b/z/b/c.png", true),
  ]
)
func patterns(pattern: String, path: String, matches: Bool) {
  #expect(Glob(pattern).matches(Array(path.utf8)) == matches)
}

@Test("Patterns compare bytes, so names that are no UTF-8 can be matched")
func patternsOverBytes() {
  #expect(Glob("*.jpg").matches([0xff, 0x2e, 0x6a, 0x70, 0x67]))
}

@Test("A pattern of many stars takes no time")
func manyStars() {
  let pattern = String(repeating: "*a", count: 40) + "b"
  #expect(!Glob(pattern).matches(Array(repeating: UInt8(ascii: "a"), count: 200)))
  let deep = String(repeating: "**/a/", count: 40) + "b"
  #expect(!Glob(deep).matches(Array(String(repeating: "a/", count: 200).utf8)))
}

@Test("A folder whose whole content is left out need not be opened")
func wholeFolders() {
  #expect(Glob("cache/**").matchesAll(below: Array("cache".utf8)))
  #expect(Glob("cache").matchesAll(below: Array("cache".utf8)))
  #expect(!Glob("cache/*.jpg").matchesAll(below: Array("cache".utf8)))
  #expect(!Glob("cache/**/x").matchesAll(below: Array("cache".utf8)))
}
