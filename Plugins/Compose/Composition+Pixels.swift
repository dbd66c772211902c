import MinilabKit
import Synchronization

extension Composition {
  /// The frame that the step gives.
  ///
  /// - Throws: `ItemError` where there is no font for its captions.
  func frame() throws -> Frame {
    let canvasBands = hasAlpha ? 4 : 3
    var result = frames[0].replaced(
      size: size,
      hasAlpha: hasAlpha,
      of: parts,
      holding: BandedCanvas.held(size, pixelBytes: canvasBands)
    ) { try image() }
    .noting(remarks.notes)
    if operation.caption != nil, context.hasPixels {
      result = try result.checkingFont(operation.captionFont, in: context)
    }
    return boxes.isEmpty ? result : result.showing(.boxes(boxes))
  }

  /// What the canvas is made of, as far as it is pictures.
  private var parts: [Making.Part] {
    items.compactMap { item in
      guard case .picture(let frame, _) = item.content else { return nil }
      return Making.Part(
        frame,
        rows: item.area.y..<(item.area.y + item.area.height),
        isHeld: OpenPiece.isHeld(item.area, isTurned: item.isTurned)
      )
    }
  }

  /// What lies behind all items.
  private var ground: Color {
    switch operation.background {
    case .color(let color): color
    case .picture: .transparent
    case nil: operation.arrangement == .free ? .transparent : .white
    }
  }

  /// The result may be transparent somewhere.
  private var hasAlpha: Bool {
    let canvas = PixelRectangle(size)
    return items.reduce(!ground.isOpaque) { isTransparent, item in
      if item.mode.removesCoverage { return true }
      guard isTransparent, item.mode == .over, item.opacity >= 1, item.area == canvas,
        item.shape == nil, case .picture(let frame, _) = item.content
      else { return isTransparent }
      return frame.hasAlpha
    }
  }

  private func image() throws -> Image {
    // Opened once: its pixels may be dear by the time they can be seen.
    let place = items.firstIndex(where: \.isFirstFrame)
    let first = try place.map { Opened(try context.image(of: shown(by: items[$0]))) }
    let form = try form(first)
    let pieces = items.enumerated().map { index, item in
      piece(of: item, in: form, opened: index == place ? first : nil)
    }
    return try BandedCanvas(
      size: size,
      form: form,
      hasAlpha: hasAlpha,
      ground: form.pixel(of: ground),
      pieces: pieces
    )
    .image()
  }

  // MARK: Colors

  /// The first frame's depth and profile; gray only where all is.
  private func form(_ first: Opened?) throws -> PixelForm {
    let form = try first?.form ?? PixelForm(of: glimpse(of: frames[0]))
    guard form.isGray else { return form }
    let isGray =
      try ground.isNeutral
      && items.allSatisfy { item in
        switch item.content {
        case .line(let line): line.color.isNeutral
        case .picture(let frame, _): try frame.isGray || glimpse(of: frame).isGray
        }
      }
    return isGray ? form : form.colored
  }

  /// A pixel of a frame, to see what its pixels are.
  private func glimpse(of frame: Frame) throws -> Image {
    try context.image(
      of: frame.geometry { $0.crop(to: PixelRectangle(x: 0, y: 0, width: 1, height: 1)) }
    )
  }

  /// The frame of an item that shows a picture.
  private func shown(by item: Item) -> Frame {
    guard case .picture(let frame, _) = item.content else { return frames[0] }
    return frame
  }

  // MARK: Pixels

  private func piece(of item: Item, in form: PixelForm, opened: Opened?) -> Piece {
    var mask: (@Sendable () throws -> Image)?
    if let shape = item.shape { mask = { try shape.mask(of: item.area, in: context) } }
    return Piece(
      area: item.area,
      mode: item.mode,
      opacity: item.opacity,
      isTurned: item.isTurned,
      pixels: { try pixels(of: item, in: form, opened) },
      mask: mask,
      failure: failure(of: item)
    )
  }

  private func failure(of item: Item) -> ItemError {
    switch item.content {
    case .picture(_, let name):
      context.error(
        .damaged,
        expected: "a complete picture, \(name.literal)",
        received: "data that ends early or cannot be decoded"
      )
    case .line:
      context.error(.operationFailed, expected: "a caption", received: "text that cannot be drawn")
    }
  }

  private func pixels(of item: Item, in form: PixelForm, _ opened: Opened?) throws -> Image {
    switch item.content {
    case .line(let line): return try line.image(in: form)
    case .picture(let frame, let name):
      let (image, losses) = try form.adapted(opened?.take() ?? context.image(of: frame))
      if losses.depth { context.note(.depthReduced, "\(name): 16 bit became 8 bit, rounded") }
      if let profile = losses.profile {
        let source = profile.isEmpty ? "its profile" : "\"\(profile)\""
        context.note(
          .colorConverted,
          "\(name): colors were converted from \(source) to the first picture's"
        )
      }
      return image
    }
  }
}

/// A picture that was opened to see what its pixels are, kept for whoever reads them first.
private final class Opened: Sendable {
  let form: PixelForm
  private let image: Mutex<Image?>

  init(_ image: Image) {
    form = PixelForm(of: image)
    self.image = Mutex(image)
  }

  /// Nil from the second time on: a stream is read once.
  func take() -> Image? {
    image.withLock { image in
      defer { image = nil }
      return image
    }
  }
}
