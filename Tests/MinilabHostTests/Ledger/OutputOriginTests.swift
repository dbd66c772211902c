import MinilabKit
import Testing

@testable import MinilabHost

@Suite("What an output was made of, told from its inputs by their folders")
struct OutputOriginTests {
  private func input(_ root: String, _ path: String) -> LedgerInput {
    LedgerInput(root: Path(root), path: Path(path))
  }

  /// Of a unit that was made of some files and is to be made of others.
  private func origin(_ before: [LedgerInput], _ now: [LedgerInput]) -> OutputOrigin? {
    let unit = LedgerUnit(id: 1, inputs: before, beside: [], reason: nil, notes: [])
    return OutputOrigin(unit, replacedBy: now)
  }

  @Test("A file of the same root is none, whatever its name")
  func sameRoot() {
    #expect(origin([input("/in", "a.tif")], [input("/in", "b/a.tif")]) == nil)
  }

  @Test("Nor is the same file below another root")
  func sameFile() {
    #expect(origin([input("/in", "b/a.tif")], [input("/in/b", "a.tif")]) == nil)
  }

  @Test("A group that has lost or found a folder is the same group")
  func group() {
    let (one, two, three) = (input("/1", "a"), input("/2", "a"), input("/3", "a"))
    #expect(origin([one, two], [two]) == nil)
    #expect(origin([two], [one, two]) == nil)
    #expect(origin([one, two], [three])?.file == Path("/1/a"))
  }

  @Test("An error names the file, and tells a folder's from a captured one")
  func text() throws {
    let now = [input("/in", "a.tif")]
    let folder = try #require(origin([input("/also", "a.tif")], now))
    let error = ItemError.exists(Path("a.png"), of: folder)
    #expect(error.code == .exists)
    #expect(
      error.text == "expected no file at a.png, or one that was made of this picture "
        + "(--force replaces it), found one of a picture of another folder: /also/a.tif"
    )
    let captured = try #require(origin([input("", "a.tif")], now))
    #expect(
      ItemError.exists(Path("a.png"), of: captured).received
        == "one of a picture that was captured: a.tif"
    )
  }
}
