import MinilabKit
import MinilabOperations
import TestSupport
import Testing

@testable import MinilabHost

/// Losing a watermark to an output of its own name would spoil every later picture.
@Suite("The files of a profile, which no output may replace")
struct ProfileFilesTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    for name in ["layer.png", "shape.png", "ground.png", "mask.png", "overlay.png", "photo.jpg"] {
      try scratch.write(SampleBytes.jpeg, to: name)
    }
    try scratch.write("profile = 1\nsummary = \"Base\"\n", to: "base.toml")
  }

  private func profile(_ rest: String) throws -> Profile {
    let path = try scratch.write("profile = 1\nextends = \"base.toml\"\n" + rest, to: "own.toml")
    return try ProfileLoader.load(path, operations: .builtin)
  }

  @Test("those of steps, wherever they are named, and those of its own text are known")
  func all() throws {
    let profile = try profile(
      """
      [[step]]
      op = "compose"
      background = "ground.png"
      [[step.layer]]
      source = "layer.png"
      shape = { shape = "image", file = "shape.png" }
      [[step]]
      op = "vips"
      operation = "composite2"
      overlay = "overlay.png"
      mode = "over"
      [[output]]
      format = "png"
        [[output.step]]
        op = "shape-mask"
        shape = "image"
        file = "mask.png"
      """
    )
    #expect(
      profile.files.map(\.lastComponent.shown) == [
        "base.toml", "ground.png", "layer.png", "mask.png", "overlay.png", "own.toml", "shape.png",
      ]
    )
  }

  @Test(
    "an output that would take the place of one is refused before anything is done",
    arguments: ["layer.png", "LAYER.png", "own.toml", "base.toml"]
  )
  func refused(name: String) throws {
    func plan(_ path: String) throws -> Plan {
      try Plan(
        profile(
          """
          [[step]]
          op = "compose"
          [[step.layer]]
          source = "layer.png"
          [[output]]
          format = "png"
          path = "\(path)"
          """
        ),
        inputs: [scratch.path.appending("photo.jpg")],
        output: scratch.path
      )
    }
    let error = #expect(throws: PlanError.self) { try plan(name) }
    #expect(
      error?.text.hasPrefix("\(name): expected a path where no file of the profile is, found ")
        == true
    )
    #expect(try plan("new-\(name)").count == 1)
  }
}
