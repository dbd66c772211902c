import MinilabKit
import Vips

/// The way to the pixels of all outputs of a unit: what they have in common is made once.
///
/// It depends on all frames of the unit, whether their outputs are written or not, and on nothing that
/// only pixels or memory could tell.
final class CommonWay {
  private let renderer: Renderer
  private let store: PixelStore
  /// Of the unit, and those that steps have asked for.
  private let pictures: [RasterFacts]
  private var starts: [(key: Key, point: WayPoint)] = []

  /// What the first stage of a frame begins on.
  private enum Key: Equatable {
    case origin(picture: Int)
    case pixels(ObjectIdentifier)
    case made(WorkIdentity)

    init(_ frame: Frame) {
      self =
        switch frame.base {
        case .origin: .origin(picture: frame.origin.picture)
        case .pixels(let image): .pixels(ObjectIdentifier(image))
        case .made(let making): .made(making.identity)
        }
    }
  }

  /// - Parameters:
  ///   - frames: Of all outputs, in their order.
  ///   - renderer: Makes each stage.
  ///   - store: Where pixels are held.
  ///   - pictures: What steps can make pictures of.
  init(
    _ frames: [Frame],
    _ renderer: Renderer,
    _ store: PixelStore,
    pictures: [RasterFacts] = []
  ) {
    self.renderer = renderer
    self.store = store
    self.pictures = pictures
    for frame in frames { expect(frame) }
  }

  private func expect(_ frame: Frame) {
    var point = start(of: frame) ?? makeStart(of: frame)
    var geometry: Geometry?
    for stage in frame.stages {
      switch stage {
      case .geometry(let pending): geometry = pending
      case .pixels(let work):
        point = point.expectPoint(after: geometry, work) { [renderer] image in
          try renderer.run(work, on: image)
        }
        geometry = nil
      }
    }
    point.expect(geometry)
  }

  private func start(of frame: Frame) -> WayPoint? {
    starts.first { $0.key == Key(frame) }?.point
  }

  private func makeStart(of frame: Frame) -> WayPoint {
    // The frame keeps the pixels alive that tell its key from others.
    let facts = facts(ofBaseOf: frame)
    let point = WayPoint(
      store,
      renderer.pipes,
      facts,
      tellSource: { [pictures, renderer, store] reduction, tally in
        switch frame.base {
        case .origin: tally.decode(facts, picture: frame.origin.picture, reduction: reduction)
        case .pixels: break
        case .made(let making) where making.parts.isEmpty:
          tally.make(facts, of: pictures, step: making.step)
        case .made(let making):
          tally.make(facts, making) { part, tally in
            CommonWay([part], renderer, store, pictures: pictures).tell(part, &tally)
          }
        }
      },
      source: { [renderer] in try renderer.base(of: frame) }
    )
    starts.append((Key(frame), point))
    return point
  }

  /// What the first stage of a frame begins on.
  private func facts(ofBaseOf frame: Frame) -> RasterFacts {
    switch frame.base {
    case .origin: renderer.facts(of: frame.origin)
    case .pixels(let image): ImageRaster(image: image).facts
    case .made(let making):
      RasterFacts(
        size: making.size,
        bands: frame.hasAlpha ? 4 : 3,
        sampleSize: renderer.facts(of: frame.origin).sampleSize
      )
    }
  }

  /// Tells what making the pixels of a frame takes that was expected.
  ///
  /// - Returns: what is known of the pixels.
  func tell(_ frame: Frame, _ tally: inout WayTally) -> RasterFacts {
    guard let (point, geometry) = place(of: frame) else {
      preconditionFailure("a frame of the unit's outputs")
    }
    return point.tell(geometry, &tally)
  }

  /// The pixels of a frame, to be read once, top to bottom; nil of one that is no output's.
  func image(of frame: Frame) throws -> Image? {
    guard let (point, geometry) = place(of: frame), point.expects(geometry) else { return nil }
    return try point.image(of: geometry)
  }

  /// Where a frame's last picture is made, and how; nil for a frame that is no output's.
  private func place(of frame: Frame) -> (WayPoint, Geometry?)? {
    guard var point = start(of: frame) else { return nil }
    var geometry: Geometry?
    for stage in frame.stages {
      switch stage {
      case .geometry(let pending): geometry = pending
      case .pixels(let work):
        guard let next = point.point(after: geometry, work) else { return nil }
        (point, geometry) = (next, nil)
      }
    }
    return (point, geometry)
  }
}
