import MinilabKit

/// Where a caption goes on a picture of some size, in pixels.
struct CaptionLayout {
  private let caption: Caption
  private let size: Size
  private let letters: Double
  private let margin: Int
  /// Between the text and the edges of its box.
  let padding: Int

  init(_ caption: Caption, on size: Size) {
    self.caption = caption
    self.size = size
    letters = max(1, caption.size.pixels(of: size.height))
    let shorter = min(size.width, size.height)
    // Half of a picture at most: something must be left to write on.
    margin = min(Int(caption.margin.pixels(of: shorter).rounded()), (shorter - 1) / 2)
    let wanted = caption.padding?.pixels(of: size.height) ?? letters / 3
    padding = caption.background == nil ? 0 : min(Int(wanted.rounded()), (shorter - 1) / 2 - margin)
  }

  /// What the letters may fill.
  var room: Size {
    let inside = Size(
      width: size.width - 2 * (margin + padding),
      height: size.height - 2 * (margin + padding)
    )
    let wanted = caption.width.map { max(1, Int($0.pixels(of: size.width).rounded())) }
    return Size(width: min(inside.width, wanted ?? inside.width), height: inside.height)
  }

  func block(_ text: String) -> TextBlock {
    TextBlock(
      text,
      font: caption.font,
      style: caption.style,
      size: letters,
      alignment: caption.align ?? caption.gravity.alignment,
      width: room.width
    )
  }

  /// The top left corner of a box, moved inside the picture where the offset would lead out of it.
  func position(of box: Size) -> (x: Int, y: Int) {
    let area = Size(width: size.width - 2 * margin, height: size.height - 2 * margin)
    let (x, y) = caption.gravity.position(of: box, on: area)
    let left = x + margin + Int(caption.offset.x.pixels(of: size.width).rounded())
    let top = y + margin + Int(caption.offset.y.pixels(of: size.height).rounded())
    return (
      min(max(0, left), size.width - box.width), min(max(0, top), size.height - box.height)
    )
  }
}

extension Gravity {
  fileprivate var alignment: TextBlock.Alignment {
    switch horizontal {
    case .near: .left
    case .middle: .center
    case .far: .right
    }
  }
}
