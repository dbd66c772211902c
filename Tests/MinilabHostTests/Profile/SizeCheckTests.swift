import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

@Suite("Sizes that a path asks for")
struct SizeCheckTests {
  /// Its result is as large as its pixels say.
  private struct Shrinkwrap: ImageOperation {
    static let name = "shrinkwrap"
    static let version = 1
    static let summary = "Cut away what is empty."
    static let parameters: [Parameter<Self>] = []
    static let examples: [Example] = []

    func apply(to frame: Frame, in context: Context) throws -> Frame {
      frame.pixels(size: .fromPixels, access: .random) { $0 }
    }
  }

  private func problems(_ toml: String) throws -> [String] {
    let folder = try ScratchFolder()
    let file = try folder.write("profile = 1\n" + toml, to: "a.toml")
    do throws(Problems) {
      _ = try ProfileLoader.load(file, operations: sampleOperations + [.init(Shrinkwrap.self)])
      return []
    } catch {
      return error.all.map { $0.description.replacing(folder.text + "/", with: "") }
    }
  }

  private let width = "[[output]]\npath = \"{stem}-{width}.{ext}\"\n"

  @Test("where only pixels can tell it, the profile is wrong, at the path's place")
  func leftToPixels() throws {
    let step = "[[step]]\nop = \"shrinkwrap\"\n"
    let text = """
      output.main.path: expected steps whose size is known before pixels are read, for {width} and \
      {height}, found one whose size only pixels can tell
      """
    #expect(try problems(step + width) == ["a.toml:5:8: \(text)"])
    // What comes after it waits for pixels, too.
    #expect(try problems(step + "[[step]]\nop = \"shrink\"\n" + width) == ["a.toml:7:8: \(text)"])
    let own = width + "[[output.step]]\nop = \"shrinkwrap\"\n"
    #expect(try problems(own) == ["a.toml:3:8: \(text)"])
  }

  @Test("another output's steps, and a path that asks for no size, are no matter")
  func others() throws {
    #expect(try problems("[[step]]\nop = \"shrink\"\n" + width) == [])
    #expect(try problems("[[step]]\nop = \"shrinkwrap\"\n") == [])
    let other = "[[output]]\nname = \"other\"\n[[output.step]]\nop = \"shrinkwrap\"\n"
    #expect(try problems(width + other) == [])
  }
}
