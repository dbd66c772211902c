import MinilabKit
import Vips

/// Takes a frame through steps, and makes pixels between them where a step needs to know a size
/// that only pixels can tell.
struct StepRunner {
  /// Nil while only headers are read.
  let pictures: UnitPictures?
  var limit = SizeLimit()

  /// Carries out the steps on a frame.
  ///
  /// - Returns: The frame after them; nil where a header cannot tell what a step would be handed.
  func run(_ steps: [Step], on start: Frame) throws -> Frame? {
    var frame = start
    for step in steps {
      if frame.isSkipped { break }
      if frame.knownSize == nil {
        guard let pictures else { return nil }
        frame = frame.replaced(by: try pictures.image(of: frame))
      }
      let context = Context(step: step.id, pictures: pictures)
      frame = try step.operation.apply(to: frame, in: context).attributed(to: step.id)
      if let size = frame.knownSize { try limit.check(size, after: step.id) }
    }
    return frame
  }
}
