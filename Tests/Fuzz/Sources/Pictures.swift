import MinilabKit
import Vips

@testable import MinilabHost

/// What the coordinator itself looks at: the first bytes of files.
let pictureTargets = [
  Target("head", [readHead, readGIF])
]

@Sendable
private func readHead(_ bytes: [UInt8]) {
  let ends = ["", "jpg", "png", "tga", "svg", "svgz", "nef", "pdf", "heic", "dng"]
  let head = Head(bytes.prefix(FileContent.headLength)[...])
  for end in ends { _ = FileContent(of: head, extension: end) }
  // Bytes elsewhere in memory say the same.
  let moved = Head(([0xff, 0xd8, 0x47] + bytes)[3...].prefix(FileContent.headLength))
  for end in ends {
    require(
      FileContent(of: head, extension: end) == FileContent(of: moved, extension: end),
      "it depends on where the bytes are"
    )
  }
}

/// A picture with nothing in it, for what asks one.
let dot: Image = {
  do {
    return try Image(pixels: [0], width: 1, height: 1, bands: 1)
  } catch {
    fatalError("\(error)")
  }
}()
