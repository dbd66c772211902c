import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("What --set does")
struct AssignmentTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    try folder.write(
      """
      profile = 1
      [[step]]
      op = "cut"
      [[step]]
      op = "shrink"
      id = "two words"
      [[output]]
      name = "large"
      format = "webp"
        [[output.step]]
        op = "shrink"
      """,
      to: "a.toml"
    )
  }

  private func load(_ assignments: String...) throws(Problems) -> Profile {
    try ProfileLoader.load(
      folder.path.appending("a.toml"),
      settings: assignments.map { .key($0) },
      operations: sampleOperations,
      finder: ProfileFinder(folders: [])
    )
  }

  private func problem(_ assignment: String) -> String? {
    do {
      _ = try load(assignment)
      return nil
    } catch {
      return error.description.replacing(folder.text + "/", with: "")
    }
  }

  @Test("each form of address reaches its key")
  func addresses() throws {
    let profile = try load(
      "input.max-pixels=77",
      "cut.gravity=north",
      "output.large.quality=42",
      "output.large.shrink.side=9",
      "'two words'.side=8"
    )
    #expect(profile.input.maxPixels == 77)
    #expect((profile.steps[0].operation as? Cut)?.gravity == .north)
    #expect((profile.steps[1].operation as? Shrink)?.side == 8)
    #expect((profile.outputs[0].encoders[.webp] as? WebPEncoder)?.quality == 42)
    #expect((profile.outputs[0].steps[0].operation as? Shrink)?.side == 9)
  }

  @Test("a value is TOML, and text where it is not TOML")
  func values() throws {
    #expect((try load("cut.aspect=1:1").steps[0].operation as? Cut)?.aspect == "1:1")
    #expect((try load("cut.aspect='1:1'").steps[0].operation as? Cut)?.aspect == "1:1")
    #expect((try load("cut.aspect=a=b").steps[0].operation as? Cut)?.aspect == "a=b")
    #expect((try load("cut.aspect=").steps[0].operation as? Cut)?.aspect == "")
    #expect(
      (try load("cut.aspect=1\nrect = 2").steps[0].operation as? Cut)?.aspect == "1\nrect = 2"
    )
    let rect = (try load("cut.rect=[0, '5%', 7, 8]").steps[0].operation as? Cut)?.rect
    #expect(rect?.y == .fraction(0.05))
    #expect(try load("output.large.background=#fff").outputs[0].settings.background == .white)
  }

  @Test("the last of several counts")
  func last() throws {
    #expect(try load("input.max-pixels=1", "input.max-pixels=2").input.maxPixels == 2)
  }

  @Test(
    "an address that fits nothing is an error with the candidates",
    arguments: [
      (
        "ct.aspect=1:1",
        "--set ct.aspect=1:1: expected an address of this profile (did you mean cut.aspect?), "
          + "found ct.aspect"
      ),
      (
        "output.lage.quality=1",
        "--set output.lage.quality=1: expected an address of this profile "
          + "(did you mean output.large.quality?), found output.lage.quality"
      ),
      (
        "output.quality=1",
        "--set output.quality=1: expected an address of this profile "
          + "(did you mean output.large.quality?), found output.quality"
      ),
      (
        "shrink.side=1",
        "--set shrink.side=1: expected an address of this profile "
          + "(did you mean output.large.shrink.side?), found shrink.side"
      ),
      (
        "watermark.opacity=1",
        "--set watermark.opacity=1: expected an address of this profile (one of input.KEY, "
          + "limits.KEY, gather.KEY, notes.KEY, cut.KEY, \"two words\".KEY, output.large.KEY, output.large.shrink.KEY), "
          + "found watermark.opacity"
      ),
      ("quality", "--set quality: expected KEY=VALUE, found no equals sign"),
      (
        "=3",
        "--set =3: expected an address such as crop.aspect before the equals sign, found \"\""
      ),
      (
        "cut.aspct=1",
        "--set cut.aspct=1: cut: expected a known key (did you mean \"aspect\"?), found \"aspct\""
      ),
      (
        "output.large.quality=high",
        "--set output.large.quality=high: output.large.quality: expected a whole number or \"auto\", "
          + "found \"high\""
      ),
    ]
  )
  func unknown(assignment: String, message: String) {
    #expect(problem(assignment) == message)
  }

  @Test("a quote or an equals sign in an address stands in quotes, as in a profile")
  func quoted() {
    let found = problem(#"output."a\"=b".quality=1"#)
    #expect(found?.hasSuffix(#", found output."a\"=b".quality"#) == true)
    #expect(problem(#"[/x]=1"#)?.contains("expected an address such as crop.aspect") == true)
  }

  @Test("an address that fits two steps is an error with their places")
  func ambiguous() throws {
    try folder.write(
      "profile = 1\n[[step]]\nop = 'cut'\n[[step]]\nop = 'cut'\n",
      to: "a.toml"
    )
    #expect(
      problem("cut.aspect=1:1")
        == "--set cut.aspect=1:1: expected an address that fits one table "
        + "(give the steps an id of their own), found cut at a.toml:2:1 and a.toml:4:1"
    )
  }
}
