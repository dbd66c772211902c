import MinilabKit
import Testing

/// How values read from a profile: what is taken, and what an error says.
@Suite struct ValueTests {
  private let place = Place(file: Path("a.toml"), line: 3, column: 7)

  private func node(_ value: Node.Value) -> Node { Node(value, at: place) }

  private func decoded<Value: ParameterValue>(
    _ type: Value.Type,
    _ value: Node.Value,
    in range: ClosedRange<Double>? = nil
  ) -> (value: Value?, problems: [Problem]) {
    var problems: [Problem] = []
    let result = Value.decode(node(value), as: Field("step.key", in: range), &problems)
    return (result, problems)
  }

  @Test func lengthsArePixelsPercentOrFractions() {
    #expect(decoded(Length.self, .integer(120)).value == .pixels(120))
    #expect(decoded(Length.self, .float(1.5)).value == .pixels(1.5))
    #expect(decoded(Length.self, .string("12.5%")).value == .fraction(0.125))
    #expect(decoded(Length.self, .string("1/4")).value == .fraction(0.25))
    for bad in ["", "%", "12px", "1/0", "a/b", "1/2/3", "inf%", "nan%"] {
      #expect(decoded(Length.self, .string(bad)).problems.map(\.code) == [.wrongType], "\(bad)")
    }
    #expect(decoded(Length.self, .string("-5%"), in: 0...100).problems.map(\.code) == [.outOfRange])
  }

  @Test func lengthsThatNoPictureHasAreRefused() {
    let huge: [Node.Value] = [
      .float(1e300), .float(-1e300), .integer(.max), .integer(.min), .string("1e300%"),
      .string("-1e300%"), .string("1e300/1e-5"), .float(.nan), .float(.infinity),
    ]
    for value in huge {
      #expect(decoded(Length.self, value).problems.map(\.code) == [.outOfRange], "\(value)")
    }
    #expect(decoded(Length.self, .string("1000000%")).value == .fraction(10_000))
  }

  @Test func colorsAreNamesHexOrNumbers() {
    #expect(decoded(Color.self, .string("white")).value == .white)
    #expect(decoded(Color.self, .string("#f00")).value == Color(red: 1, green: 0, blue: 0))
    #expect(decoded(Color.self, .string("#0000ff00")).value?.alpha == 0)
    let levels = [Node.Value.integer(255), .integer(0), .integer(51)].map(node)
    #expect(decoded(Color.self, .array(levels)).value == Color(red: 1, green: 0, blue: 0.2))
    for bad in ["", "#", "#12", "#12345", "#gggggg", "whit", "#ééé"] {
      #expect(decoded(Color.self, .string(bad)).problems.map(\.code) == [.wrongType], "\(bad)")
    }
    let tooMuch = [Node.Value.integer(256), .integer(0), .integer(0)].map(node)
    #expect(decoded(Color.self, .array(tooMuch)).problems.map(\.code) == [.outOfRange])
  }

  @Test func aspectsAreWordsOrRatios() {
    #expect(decoded(Aspect.self, .string("16:9")).value == .ratio(16, 9))
    #expect(decoded(Aspect.self, .string("portrait")).value == .ratio(3, 4))
    for bad in ["", "4:", ":3", "0:1", "4:3:2", "-4:3", "nan:1", "sqare"] {
      #expect(decoded(Aspect.self, .string(bad)).problems.map(\.code) == [.wrongType], "\(bad)")
    }
  }

  @Test func aspectsNeverGiveAnEmptySide() {
    let thin = Size(width: 3000, height: 1)
    #expect(Aspect.ratio(1, 1000).inside(thin) == Size(width: 1, height: 1))
    #expect(Aspect.ratio(4, 3).inside(Size(width: 1, height: 1)) == Size(width: 1, height: 1))
    #expect(Aspect.original.inside(thin) == thin)
  }

  @Test func numbersOutsideTheRangeNameIt() {
    let problem = decoded(Double.self, .float(11), in: 0.01...10).problems.first
    #expect(problem?.description == "a.toml:3:7: step.key: expected 0.01 to 10, found 11.0")
    #expect(decoded(Double.self, .float(.nan), in: 0...1).problems.map(\.code) == [.outOfRange])
    #expect(decoded(Int.self, .float(1)).problems.map(\.code) == [.wrongType])
  }

  @Test func quarterTurnsAreFoundInAnyAngle() {
    #expect(Angle(degrees: -90).quarterTurns == 3)
    #expect(Angle(degrees: 720).quarterTurns == 0)
    #expect(Angle(degrees: 90.5).quarterTurns == nil)
  }

  @Test func theNearestNameIsOffered() {
    #expect(nearestName(to: "sigm", among: ["sigma", "amount"]) == "sigma")
    #expect(nearestName(to: "crpo", among: ["crop", "pad"]) == "crop")
    #expect(nearestName(to: "name", among: ["date", "stem"]) == nil)
    #expect(nearestName(to: "completely-else", among: ["sigma"]) == nil)
  }

  @Test func aTextOfAnyLengthHasNoNearestName() {
    let word = String(repeating: "sigma", count: 200_000)
    #expect(nearestName(to: word, among: ["sigma", "amount"]) == nil)
    #expect(
      nearestName(to: "s\(String(repeating: "\u{301}", count: 200_000))", among: ["s"]) == nil
    )
  }

  @Test func messagesStayShortWhateverALetterIs() {
    let text = "e" + String(repeating: "\u{301}", count: 100_000)
    let problem = decoded(Double.self, .string(text)).problems.first
    #expect((problem?.description.utf8.count ?? .max) < 1000)
  }

  @Test func aSignIsNoDigitOfAColor() {
    #expect(decoded(Color.self, .string("#+f+f+f")).problems.map(\.code) == [.wrongType])
    #expect(decoded(Color.self, .string("#0f0f0f")).problems.isEmpty)
  }

  @Test func literalsReadBackAsThemselves() {
    #expect(Length.fraction(0.125).literal == "\"12.5%\"")
    #expect(Color.white.literal == "\"white\"")
    #expect(Color(red: 1, green: 0, blue: 0.2, alpha: 0.5).literal == "[255, 0, 51, 0.5]")
    #expect("a\"b\\\n".literal == "\"a\\\"b\\\\\\n\"")
    #expect("\u{8}\u{7f}\u{e9}".literal == "\"\\u0008\\u007fé\"")
  }
}
