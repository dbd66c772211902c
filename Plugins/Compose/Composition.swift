import MinilabKit

/// What a step makes of a unit's frames, as arithmetic: the canvas, and what lies where on it.
struct Composition: Sendable {
  /// Something on the canvas, the pixels of which are still to be made.
  struct Item: Sendable {
    enum Content: Sendable {
      /// Shows what is visible of a picture; in words, which one.
      case picture(Frame, named: String)
      case line(Line)
    }

    var content: Content
    var area: PixelRectangle
    var mode = BlendMode.over
    var opacity = 1.0
    var shape: PlacedShape?
    /// It shows the first frame, whose pixels say what those of the canvas are.
    var isFirstFrame = false

    /// It lies at an angle that is no quarter turn.
    var isTurned: Bool {
      guard case .picture(let frame, _) = content, case .geometry(let geometry)? = frame.stages.last
      else { return false }
      return !geometry.map.isAxisAligned
    }
  }

  let operation: Compose
  let frames: [Frame]
  let context: Context
  private(set) var size = Size(width: 1, height: 1)
  /// The lowest first.
  private(set) var items: [Item] = []
  private(set) var remarks = Remarks()
  private(set) var boxes: [Guide.Box] = []

  init(of operation: Compose, _ frames: [Frame], in context: Context) throws {
    self.operation = operation
    self.frames = frames
    self.context = context
    let scale = operation.scale
    let tiles = operation.tiles(count: frames.count)
    let reference = operation.reference(of: frames[0].size, tiles)
    var layers: [(layer: Layer, picture: Frame, name: String, box: Box)] = []
    for (index, layer) in operation.layers.enumerated() {
      guard let picture = try picture(of: layer.source, layer: index + 1) else { continue }
      let box = layer.box(of: picture.size, on: reference, scale: scale)
      try refuse(layer: index + 1, box)
      layers.append((layer, picture, name(of: layer.source), box))
    }
    size = reference.scaled(scale, scale)
    var origin = Point(x: 0, y: 0)
    if operation.isFitted {
      // Tiles begin at the origin and are as large as the reference; layers may reach beyond them.
      let sheet = tiles == nil ? [] : [PixelRectangle(size)]
      let bounds = PixelRectangle(around: sheet + layers.map(\.box.pixels)) ?? PixelRectangle(size)
      size = bounds.size
      origin = Point(x: -Double(bounds.x), y: -Double(bounds.y))
    }
    try addBackground()
    if let tiles {
      let place = Gravity.center.position(of: tiles.size, on: reference)
      let corner = Point(x: Double(place.x), y: Double(place.y))
      add(tiles, at: operation.isFitted ? Point(x: 0, y: 0) : corner, moved: origin)
    }
    for (layer, picture, name, box) in layers {
      try add(layer, picture, name, box.moved(by: origin))
    }
  }

  // MARK: What there is

  /// Where a pixel of a layer lies is told to a fraction; of a longer side it no longer could be.
  private static let longestLayer = 1e12

  private func refuse(layer: Int, _ box: Box) throws {
    let side = max(box.width, box.height)
    if side <= Self.longestLayer { return }
    throw context.error(
      .tooManyPixels,
      expected: "sides of at most \(Self.longestLayer.literal) pixels, layer \(layer)",
      received: "a side of \(side.rounded().literal)"
    )
  }

  /// Nil for a frame that the unit does not have.
  private mutating func picture(of source: LayerSource, layer: Int) throws -> Frame? {
    switch source {
    case .frame(let number):
      if number <= frames.count { return frames[number - 1] }
      remarks.missing.append("layer \(layer), \(source.shown) of \(frames.count)")
      return nil
    // While a profile is only checked there is no other picture: any will do.
    case .file(let file): return try context.frame(of: file) ?? frames[0]
    case .output(let name): return context.output(name) ?? frames[0]
    }
  }

  private func name(of source: LayerSource) -> String {
    guard case .frame(let number) = source else { return source.shown }
    let name = frames[min(number, frames.count) - 1].origin.path.lastComponent
    return name.isEmpty ? source.shown : name.shown
  }

  // MARK: What lies where

  private mutating func addBackground() throws {
    guard case .picture(let file)? = operation.background else { return }
    let picture = try context.frame(of: file) ?? frames[0]
    let canvas = Box(
      center: Point(x: Double(size.width) / 2, y: Double(size.height) / 2),
      width: Double(size.width),
      height: Double(size.height)
    )
    add(picture, named: file.given, in: canvas, fit: .cover)
  }

  /// `corner`: of all tiles on the reference, in pixels of the profile.
  private mutating func add(_ tiles: Tiles, at corner: Point, moved origin: Point) {
    for (index, picture) in frames.enumerated() {
      func box(_ place: PixelRectangle) -> Box {
        Box(
          center: Point(
            x: corner.x + Double(place.x) + Double(place.width) / 2,
            y: corner.y + Double(place.y) + Double(place.height) / 2
          ),
          width: Double(place.width),
          height: Double(place.height)
        )
      }
      var tile = box(tiles.place(index))
      (tile.width, tile.height) = operation.fit.size(
        of: picture.size,
        in: (tile.width, tile.height)
      )
      let placed = tile.scaled(by: operation.scale).moved(by: origin)
      let number = LayerSource.frame(index + 1)
      let count = items.count
      add(picture, named: name(of: number), in: placed, fit: operation.fit)
      if index == 0, items.count > count { items[count].isFirstFrame = true }
      show(placed, name(of: number))
      guard let caption = operation.caption else { continue }
      let room = box(tiles.captionPlace(index)).scaled(by: operation.scale).moved(by: origin).pixels
      let area = room.intersection(PixelRectangle(size))
      let line = Line(
        caption.filled(for: picture, in: context),
        of: operation,
        in: room,
        visible: area
      )
      if !area.isEmpty, !line.isBlank { items.append(Item(content: .line(line), area: area)) }
    }
  }

  private mutating func add(
    _ layer: Layer,
    _ picture: Frame,
    _ name: String,
    _ box: Box
  ) throws {
    if operation.requireInside, !box.isInside(size) {
      remarks.stickingOut.append(name)
      return
    }
    show(box, name)
    let count = items.count
    add(picture, named: name, in: box, fit: layer.fit)
    guard items.count > count else { return }
    items[count].mode = layer.blend
    items[count].opacity = layer.opacity
    if case .frame(1) = layer.source { items[count].isFirstFrame = true }
    items[count].shape = try layer.shape.map {
      try PlacedShape($0, in: box, scale: operation.scale, context)
    }
  }

  private mutating func add(_ picture: Frame, named name: String, in box: Box, fit: Fit) {
    guard let placement = Placement(picture, in: box, fit: fit, on: size) else {
      remarks.outside.append(name)
      return
    }
    if placement.enlargement > 1 + 1e-6 {
      let times = (placement.enlargement * 100).rounded() / 100
      remarks.enlarged.append("\(name), \(times) times")
    }
    items.append(Item(content: .picture(placement.frame, named: name), area: placement.area))
  }

  private mutating func show(_ box: Box, _ name: String) {
    boxes.append(Guide.Box(corners: box.corners, label: name))
  }
}

extension Compose {
  /// Nil where layers lie freely.
  func tiles(count: Int) -> Tiles? {
    let size = Size(width: tile.x, height: tile.y)
    let room = caption == nil ? 0 : Int((captionSize * 1.5).rounded(.up))
    switch arrangement {
    case .free: return nil
    case .strip: return Tiles(count: count, columns: count, gap: gap, tile: size, caption: room)
    case .grid: return Tiles(count: count, columns: columns, gap: gap, tile: size, caption: room)
    }
  }

  var isFitted: Bool { (canvas ?? (arrangement == .free ? .frame : .fit)) == .fit }

  /// What places and percentages of layers are reckoned on, in pixels of the profile.
  func reference(of first: Size, _ tiles: Tiles?) -> Size {
    if case .size(let size)? = canvas {
      return Size(
        width: max(1, Int(size.x.pixels(of: first.width).rounded())),
        height: max(1, Int(size.y.pixels(of: first.height).rounded()))
      )
    }
    return isFitted ? tiles?.size ?? first : first
  }
}

extension PixelRectangle {
  /// The smallest around others; nil around none.
  fileprivate init?(around others: [PixelRectangle]) {
    guard let left = others.map(\.x).min(), let top = others.map(\.y).min(),
      let right = others.map({ $0.x + $0.width }).max(),
      let bottom = others.map({ $0.y + $0.height }).max()
    else { return nil }
    self.init(x: left, y: top, width: right - left, height: bottom - top)
  }
}
