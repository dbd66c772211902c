import MinilabKit
import Vips

/// Takes a frame through steps, and makes pixels between them where a step needs to know a size
/// that only pixels can tell.
struct StepRunner {
  /// Nil while only headers are read.
  let pictures: UnitPictures?
  var limit = SizeLimit()

  /// The frame after the steps, and what its pixels are made from.
  struct State {
    var frame: Frame
    /// Nil while only headers are read.
    var raster: (any Raster)?
  }

  /// Carries out the steps on a state.
  ///
  /// - Returns: The state after them; nil where a header cannot tell what a step would be handed.
  func run(_ steps: [Step], on start: State) throws -> State? {
    var state = start
    for step in steps {
      if state.frame.isSkipped { break }
      if state.frame.knownSize == nil {
        guard let raster = state.raster else { return nil }
        state = try realized(state.frame, raster)
      }
      if let raster = state.raster { pictures?.raster = raster }
      let context = Context(step: step.id, pictures: pictures)
      state.frame = try step.operation.apply(to: state.frame, in: context)
        .attributed(to: step.id)
      if let size = state.frame.knownSize { try limit.check(size, after: step.id) }
    }
    return state
  }

  private func realized(_ frame: Frame, _ raster: any Raster) throws -> State {
    let image = try Renderer(raster: raster, limit: limit).image(of: frame).inMemory()
    let size = Size(width: image.width, height: image.height)
    return State(
      frame: frame.restarted(size: size, hasAlpha: image.hasAlpha),
      raster: ImageRaster(image: image)
    )
  }
}
