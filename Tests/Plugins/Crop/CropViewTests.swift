import CropOperation
import MinilabHost
import MinilabKit
import TestSupport
import Testing
import Vips

/// Way 2: a frame that was drawn on a view of the picture.
@Suite("Crop by a frame on a view", .vips) struct CropViewTests {
  /// What was cut out of a picture, and the trial.
  private func cut(
    _ toml: String,
    width: Int = 800,
    height: Int = 600
  ) throws -> (rectangle: PixelRectangle?, frame: Frame) {
    let image = try Sample.flat([1], width: width, height: height)
    let frame = try Trial(Trial.operation(Crop.self, toml), on: image).frame
    guard case .crop(let rectangle)? = frame.guides.first else { return (nil, frame) }
    return (rectangle, frame)
  }

  @Test("a view of 400 × 400 showing a picture of 800 × 600, by hand")
  func fits() throws {
    let frame = "view = [400, 400]\nframe = [100, 100, 200, 100]\n"
    // Half the size, with bars of 50 above and below.
    let contained = PixelRectangle(x: 200, y: 100, width: 400, height: 200)
    #expect(try cut(frame).rectangle == contained)
    #expect(try cut(frame + "fit = \"contain\"").rectangle == contained)
    // 2 pixels for one unit across, 1.5 down.
    let stretched = PixelRectangle(x: 200, y: 150, width: 400, height: 150)
    #expect(try cut(frame + "fit = \"stretch\"").rectangle == stretched)
    // 1.5 pixels for one unit, and 100 hidden at the left and the right.
    let covered = PixelRectangle(x: 250, y: 150, width: 300, height: 150)
    #expect(try cut(frame + "fit = \"cover\"").rectangle == covered)
  }

  @Test("all of the view, and parts of it")
  func parts() throws {
    let all = "view = [200, 150]\nframe = [0, 0, \"100%\", \"100%\"]"
    #expect(try cut(all).rectangle == PixelRectangle(x: 0, y: 0, width: 800, height: 600))
    let half = "view = [200, 150]\nframe = [\"50%\", \"1/3\", 100, \"1/3\"]\nmin-size = 0"
    #expect(try cut(half).rectangle == PixelRectangle(x: 400, y: 200, width: 400, height: 200))
  }

  @Test("a portrait picture on a landscape view has bars at its sides")
  func portrait() throws {
    // 1/4 of its size: 150 × 200 in the middle of 300 × 200.
    let frame = "view = [300, 200]\nframe = [100, 50, 80, 100]"
    #expect(
      try cut(frame, width: 600, height: 800).rectangle
        == PixelRectangle(x: 100, y: 200, width: 320, height: 400)
    )
  }

  @Test("a frame that sticks out is moved inside, or as clamp says")
  func clamp() throws {
    // Units of 2 pixels: 100 of 800 are beyond the right edge.
    let frame = "view = [400, 300]\nframe = [300, 100, 150, 100]\n"
    let moved = try cut(frame)
    #expect(moved.rectangle == PixelRectangle(x: 500, y: 200, width: 300, height: 200))
    #expect(moved.frame.notes.map(\.code) == [.cropClamped])
    let same = try cut(frame + "clamp = \"move\"")
    #expect(same.rectangle == moved.rectangle)
    let cutOff = try cut(frame + "clamp = \"cut\"")
    #expect(cutOff.rectangle == PixelRectangle(x: 600, y: 200, width: 200, height: 200))
    #expect(cutOff.frame.notes.map(\.code) == [.cropClamped])
    let error = #expect(throws: ItemError.self) { try cut(frame + "clamp = \"reject\"") }
    #expect(error?.code == .cropOutside)
  }

  @Test("a frame that reaches into a bar is moved onto the picture")
  func bars() throws {
    // The picture is at y = 50…350 of the view; the frame begins at 30.
    let frame = try cut("view = [400, 400]\nframe = [100, 30, 200, 100]")
    #expect(frame.rectangle == PixelRectangle(x: 200, y: 0, width: 400, height: 200))
    // A frame as large as the view does not fit and is cut.
    let all = try cut("view = [400, 400]\nframe = [0, 0, 400, 400]")
    #expect(all.rectangle == PixelRectangle(x: 0, y: 0, width: 800, height: 600))
    #expect(all.frame.notes.map(\.code) == [.cropClamped])
  }

  @Test("a frame in a bar is an error that names both rectangles")
  func outside() throws {
    let error = #expect(throws: ItemError.self) {
      try cut("view = [400, 400]\nframe = [100, 0, 200, 45]")
    }
    #expect(error?.code == .cropOutside)
    #expect(error?.text.contains("[0, 50, 400, 300]") == true)
    #expect(error?.text.contains("[100, 0, 200, 45]") == true)
  }

  @Test("a frame is at least 60 view units on either side, grown in place and kept inside")
  func leastSize() throws {
    // 20 × 40 about (110, 120) becomes 60 × 60, in units of 2 pixels.
    let small = "view = [400, 300]\nframe = [100, 100, 20, 40]\n"
    #expect(try cut(small).rectangle == PixelRectangle(x: 160, y: 180, width: 120, height: 120))
    #expect(try cut(small).frame.notes.isEmpty)
    #expect(
      try cut(small + "min-size = 0").rectangle
        == PixelRectangle(x: 200, y: 200, width: 40, height: 80)
    )
    #expect(
      try cut(small + "min-size = 30").rectangle
        == PixelRectangle(x: 190, y: 200, width: 60, height: 80)
    )
    let corner = try cut("view = [400, 300]\nframe = [0, 280, 20, 20]\nmin-size = 100")
    #expect(corner.rectangle == PixelRectangle(x: 0, y: 400, width: 200, height: 200))
    #expect(corner.frame.notes.isEmpty)
    // With bars it stays on the picture, which begins at y = 50.
    let bar = try cut("view = [400, 400]\nframe = [100, 50, 60, 10]")
    #expect(bar.rectangle == PixelRectangle(x: 200, y: 0, width: 120, height: 120))
  }

  @Test("a picture that the view shows smaller than the least size is kept whole on that side")
  func thin() throws {
    let frame = try cut("view = [400, 400]\nframe = [100, 195, 80, 5]", width: 800, height: 40)
    #expect(frame.rectangle == PixelRectangle(x: 200, y: 0, width: 160, height: 40))
  }

  @Test("frames side by side tile the picture")
  func tiling() throws {
    for width in [799, 800, 801, 333] {
      let left = try cut(
        "view = [375, 500]\nframe = [0, 0, 187.5, 500]\nfit = \"stretch\"",
        width: width
      )
      let right = try cut(
        "view = [375, 500]\nframe = [187.5, 0, 187.5, 500]\nfit = \"stretch\"",
        width: width
      )
      let first = try #require(left.rectangle)
      let second = try #require(right.rectangle)
      #expect(first.x == 0 && first.width == second.x)
      #expect(second.x + second.width == width)
    }
  }

  @Test(
    "keys of other ways, and half of this one, are refused",
    arguments: [
      ("view = [4, 4]", "view together with"), ("frame = [0, 0, 9, 9]", "frame together with view"),
      ("fit = \"cover\"", "fit together with frame"),
      ("view = [4, 4]\nframe = [0, 0, 2, 2]\nrect = [0, 0, 1, 1]", "at most one of rect, frame"),
      ("view = [4, 4]\nframe = [0, 0, 0, 2]", "a width and a height"),
      ("aspect = \"1:1\"\nclamp = \"cut\"", "clamp together with rect or frame"),
      ("min-size = 3", "min-size together with rect or frame"),
    ]
  )
  func refused(_ toml: String, _ word: String) {
    let error = #expect(throws: Problems.self) { try Trial.operation(Crop.self, toml) }
    #expect(error?.all.contains { $0.description.contains(word) } == true)
  }
}
