import MinilabHost
import MinilabKit
import Testing

@Suite("Reading TOML")
struct TOMLReaderTests {
  private func read(_ text: String) throws -> Node {
    try TOMLReader.read(Array(text.utf8), from: Path("a.toml"))
  }

  private func error(_ text: String) -> String? { error(Array(text.utf8)) }

  private func error(_ bytes: [UInt8]) -> String? {
    do {
      _ = try TOMLReader.read(bytes, from: Path("a.toml"))
      return nil
    } catch {
      return error.description
    }
  }

  @Test("keys and values keep line and column, counted in code points")
  func places() throws {
    let root = try read(
      "a = 1\n'ü€' = {x = [10,\n  20]}\n[[s]]\n  op = 'é' # c\n[[s]]\nb.c = true\n"
    )
    let entries = try #require(root.entries)
    #expect(entries.map(\.key) == ["a", "ü€", "s"])
    #expect(entries[1].keyPlace.description == "a.toml:2:1")
    #expect(entries[1].node.place.description == "a.toml:2:8")
    let inner = try #require(entries[1].node["x"]?.items)
    #expect(inner.map(\.place.description) == ["a.toml:2:14", "a.toml:3:3"])
    let steps = try #require(root["s"]?.items)
    #expect(steps.map(\.place.description) == ["a.toml:4:1", "a.toml:6:1"])
    #expect(steps[0]["op"]?.place.description == "a.toml:5:8")
    #expect(steps[1]["b"]?["c"]?.place.description == "a.toml:7:7")
  }

  @Test("a table's keys come in the order of the text")
  func order() throws {
    #expect(try read("z = 1\na = 2\nm = 3\n").entries?.map(\.key) == ["z", "a", "m"])
  }

  @Test("every kind of value is read")
  func kinds() throws {
    let root = try read(
      """
      s = "a\\u00e9\\nb"
      i = -9223372036854775808
      j = 9_223_372_036_854_775_807
      h = 0xff
      f = 1.5
      t = true
      d = 1979-05-27T07:32:00Z
      e = []
      """
    )
    #expect(root["s"]?.text == "aé\nb")
    #expect(root["i"]?.shown == "-9223372036854775808")
    #expect(root["j"]?.shown == "9223372036854775807")
    #expect(root["h"]?.shown == "255")
    #expect(root["f"]?.shown == "1.5")
    #expect(root["t"]?.shown == "true")
    #expect(root["d"]?.shown == "the date 1979-05-27T07:32:00Z")
    #expect(root["e"]?.items?.isEmpty == true)
  }

  @Test("infinity and not-a-number are read, and refused where a number is wanted")
  func notFinite() throws {
    let root = try read("a = inf\nb = nan\n")
    for key in ["a", "b"] {
      var problems: [Problem] = []
      let node = try #require(root[key])
      #expect(Double.decode(node, as: Field("x"), &problems) == nil)
      #expect(problems.map(\.expected) == ["a finite number"])
    }
  }

  @Test("a byte order mark, CRLF and an empty text are no errors")
  func benign() throws {
    #expect(try read("\u{feff}a = 1").entries?[0].keyPlace.description == "a.toml:1:1")
    #expect(try read("a = 1\r\nb = 2\r\n")["b"]?.place.description == "a.toml:2:5")
    #expect(try read("").entries?.isEmpty == true)
  }

  @Test(
    "a syntax error says what was expected and what was found",
    arguments: [
      ("crop", "a.toml:1:5: expected an equals sign and a value, found the end of the file"),
      ("crop\n", "a.toml:1:5: expected '=', found the end of the line"),
      ("a = hello", "a.toml:1:5: expected a value (text stands in quotes), found hello"),
      ("a = 4:3\n", "a.toml:1:6: expected 2-digit hour (text stands in quotes), found ':'"),
      ("a =\n", "a.toml:1:4: expected value, found the end of the line"),
      (
        "a = \"b\nc",
        "a.toml:1:7: expected the closing quotes of the string, "
          + "found a line break or another control character"
      ),
      ("a = [1, 2", "a.toml:1:10: expected the end of the array, found the end of the file"),
      ("a = [1 2]", "a.toml:1:8: expected comma or closing ']', found '2'"),
      (
        "a = 1\na = 2",
        "a.toml:2:5: expected each key and each table once, found 'a' again"
      ),
      (
        "a = 9223372036854775808",
        "a.toml:1:24: expected a whole number of at most 64 bits, found '9223372036854775808'"
      ),
      (
        "a = \"\\q\"",
        "a.toml:1:7: expected a correct string, "
          + "found an error in it: unknown escape sequence '\\q'"
      ),
      ("[[output]\n", "a.toml:1:10: expected ']', found the end of the line"),
    ]
  )
  func syntax(text: String, message: String) {
    #expect(error(text) == message)
  }

  @Test("bytes that are no UTF-8 are one error with their place")
  func invalidText() {
    #expect(
      error(Array("a = 1\nb = \"".utf8) + [0xff, 0x22])
        == "a.toml:2:5: expected UTF-8 text, found bytes that are none"
    )
  }

  /// A text that is one piece many times over, and then its end.
  struct Hostile: CustomTestStringConvertible {
    var start = ""
    var piece: String
    var count: Int
    var end = ""

    var text: String { start + String(repeating: piece, count: count) + end }
    var testDescription: String { "\(start) \(count) × \(piece) \(end)" }
  }

  @Test(
    "a hostile depth is an error and no crash",
    arguments: [
      Hostile(start: "a = ", piece: "[", count: 100_000),
      Hostile(start: "a = ", piece: "[", count: 65, end: String(repeating: "]", count: 65)),
      Hostile(start: "a = ", piece: "{a=", count: 100_000),
      Hostile(piece: "a.", count: 400_000, end: "a = 1"),
      Hostile(piece: "1.", count: 400_000, end: "1 = 1"),
      Hostile(piece: "a.", count: 3_000, end: "a = 1"),
      // The error comes after the depth: what was built is taken down all the same.
      Hostile(piece: "a.", count: 3_000, end: "a = 1\n="),
      Hostile(start: "[", piece: "\"x\".", count: 200_000, end: "a]"),
      Hostile(start: "[[a]]\n[", piece: "a . ", count: 200_000, end: "a]"),
    ]
  )
  func depth(hostile: Hostile) {
    #expect(error(hostile.text)?.isEmpty == false)
  }

  @Test("a depth that a profile could have is read")
  func modestDepth() throws {
    let text = "a = " + String(repeating: "[", count: 30) + String(repeating: "]", count: 30)
    #expect(try read(text)["a"]?.items?.count == 1)
  }

  @Test("a long list of numbers with points is not taken for depth")
  func numbers() throws {
    let text = "a = [" + String(repeating: "1.5, 2.25,", count: 10_000) + "]"
    #expect(try read(text)["a"]?.items?.count == 20_000)
  }

  @Test("ten thousand tables of a list are not taken for depth")
  func tables() throws {
    let text = String(repeating: "[[step.layer]]\nzoom = 0.5\n", count: 10_000)
    #expect(try read(text)["step"]?["layer"]?.items?.count == 10_000)
  }

  @Test("the levels of a header and those of a key below it are bounded together")
  func addedLevels() {
    let key = Array(repeating: "a", count: 3_500).joined(separator: ".")
    for text in ["[\(key)]\n\(key) = 1\n", "a = [\n{ \(key) = 1 }\n]\n"] {
      #expect(error(Array(text.utf8))?.contains("nested too deeply") == true)
    }
  }

  @Test("points in strings and comments are not taken for depth")
  func points() throws {
    let dots = String(repeating: ".", count: 10_000)
    let text = "a = \"\(dots)\" # \(dots)\nb = '''\n\(dots)'''\nc = \"\"\"\\\"\(dots)\"\"\"\n"
    #expect(try read(text).entries?.count == 3)
  }

  @Test("a file far too large for a profile is refused")
  func size() {
    #expect(
      error([UInt8](repeating: 0x20, count: 2_000_000))
        == "a.toml:1:1: expected a text of at most 1048576 bytes, found 2000000"
    )
  }
}
