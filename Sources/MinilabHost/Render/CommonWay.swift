import MinilabKit
import Vips

/// The way to the pixels of all outputs of a unit: what they have in common is made once.
///
/// It depends on all frames of the unit, whether their outputs are written or not, and on nothing that
/// only pixels or memory could tell.
final class CommonWay {
  private let renderer: Renderer
  private let store: PixelStore
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
  init(_ frames: [Frame], _ renderer: Renderer, _ store: PixelStore) {
    self.renderer = renderer
    self.store = store
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
    let point = WayPoint(store, renderer.pipes) { [renderer] in try renderer.base(of: frame) }
    starts.append((Key(frame), point))
    return point
  }

  /// The pixels of a frame, to be read once, top to bottom; nil of one that is no output's.
  func image(of frame: Frame) throws -> Image? {
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
    guard point.expects(geometry) else { return nil }
    return try point.image(of: geometry)
  }
}
