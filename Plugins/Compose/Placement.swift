import MinilabKit

/// A picture in its box, as far as the canvas shows it.
struct Placement {
  /// With the geometry that leads to the visible pixels: one resampling from the full resolution.
  let frame: Frame
  /// Where those pixels lie on the result.
  let area: PixelRectangle
  /// Pixels of the result for one of the picture's, along the axis that is stretched most.
  let enlargement: Double

  /// Nil where the box lies wholly outside the canvas.
  init?(_ picture: Frame, in box: Box, fit: Fit, on canvas: Size) {
    let whole = box.pixels
    area = whole.intersection(PixelRectangle(canvas))
    guard !area.isEmpty else { return nil }
    enlargement = max(
      box.width / Double(picture.size.width),
      box.height / Double(picture.size.height)
    )
    frame =
      if let turns = box.angle.quarterTurns {
        Self.upright(picture, turns, whole, area, fit)
      } else {
        Self.turned(picture, box, area, fit)
      }
  }

  private static func upright(
    _ picture: Frame,
    _ turns: Int,
    _ whole: PixelRectangle,
    _ area: PixelRectangle,
    _ fit: Fit
  ) -> Frame {
    picture.geometry { geometry in
      switch turns {
      case 1: geometry.turn(.right)
      case 2: geometry.turn(.down)
      case 3: geometry.turn(.left)
      default: break
      }
      if fit == .cover {
        geometry.cover(whole.size)
      } else if geometry.size != whole.size {
        geometry.resize(to: whole.size)
      }
      if area != whole {
        geometry.crop(
          to: PixelRectangle(
            x: area.x - whole.x,
            y: area.y - whole.y,
            width: area.width,
            height: area.height
          )
        )
      }
    }
  }

  private static func turned(
    _ picture: Frame,
    _ box: Box,
    _ area: PixelRectangle,
    _ fit: Fit
  ) -> Frame {
    picture.geometry { geometry in
      if fit == .cover { geometry.cut(toAspect: box.width / box.height) }
      let map = AffineMap.translation(x: Double(area.x), y: Double(area.y))
        .then(box.map.inverse)
        .then(
          .scale(
            x: Double(geometry.size.width) / box.width,
            y: Double(geometry.size.height) / box.height
          )
        )
      geometry.view(through: map, size: area.size, background: .transparent)
    }
  }
}

extension Geometry {
  /// Cuts out the largest part of an aspect, width over height, in the middle.
  fileprivate mutating func cut(toAspect aspect: Double) {
    let width = min(Double(size.width), Double(size.height) * aspect)
    crop(
      toMiddle: Size(
        width: max(1, Int(width.rounded())),
        height: min(size.height, max(1, Int((width / aspect).rounded())))
      )
    )
  }
}
