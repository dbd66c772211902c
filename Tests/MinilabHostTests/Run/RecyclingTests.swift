import Testing

@testable import MinilabHost

@Suite("After how many units a worker is replaced, as the environment asks for it")
struct RecyclingTests {
  @Test("a number is taken, 0 is never, and what makes no sense asks for nothing")
  func values() {
    #expect(Recycling.after("20") == 20)
    #expect(Recycling.after("0") == .max)
    for nonsense in ["", "-1", "many", "1.5", " 3"] { #expect(Recycling.after(nonsense) == nil) }
  }
}
