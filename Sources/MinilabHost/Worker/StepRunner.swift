import MinilabKit
import Vips

/// Takes frames through steps, and makes pixels between them where a step needs to know a size that
/// only pixels can tell.
struct StepRunner {
  enum Source {
    /// A profile is checked; no picture is there.
    case nothing
    /// Headers may be read, and no more.
    case headers(UnitPictures)
    case pixels(UnitPictures)
  }

  let source: Source
  var limit = SizeLimit()
  /// Frames are those of a group, and errors must tell of which.
  var isGathered = false

  /// Carries out the steps on the frames of a unit.
  ///
  /// Each step is done to every frame, until one makes a single frame of them.
  ///
  /// - Parameters:
  ///   - steps: In their order.
  ///   - start: The frames; one that a step has left out is no longer treated.
  ///   - outputs: The frames of outputs that stand above.
  ///   - observe: Is told of each step with the frames before and after it.
  /// - Returns: The frames after them; nil where a header cannot tell what a step would be handed.
  /// - Throws: `FrameErrors` where some frames of a group cannot be treated so.
  /// - Throws: `ItemError` where a step refuses these pictures.
  func run(
    _ steps: [Step],
    on start: [Frame],
    outputs: [String: Frame] = [:],
    observe: (Step, [Frame], [Frame]) throws -> Void = { _, _, _ in }
  ) throws -> [Frame]? {
    var frames = start
    var areMembers = isGathered
    for step in steps {
      guard let entering = try sized(frames, areMembers),
        let named = try outputsNamed(by: step, in: outputs)
      else { return nil }
      let context = context(of: step, named)
      switch step.operation {
      case let operation as any ImageOperation:
        frames = try each(entering, areMembers) { try apply(operation, step, to: $0, context) }
      case let operation as any GroupOperation:
        frames = [try apply(operation, step, to: entering, context)]
        areMembers = false
      default: preconditionFailure("an operation treats one frame or a group")
      }
      try observe(step, entering, frames)
    }
    return frames
  }

  /// The steps on one frame.
  func run(_ steps: [Step], on start: Frame) throws -> Frame? {
    try run(steps, on: [start])?.first
  }

  private func apply(
    _ operation: any ImageOperation,
    _ step: Step,
    to frame: Frame,
    _ context: Context
  ) throws -> Frame {
    if frame.isSkipped { return frame }
    return try checked(operation.apply(to: frame, in: context), step)
  }

  /// Frames that a step has left out are not handed on; where none is left, the group is left out.
  private func apply(
    _ operation: any GroupOperation,
    _ step: Step,
    to frames: [Frame],
    _ context: Context
  ) throws -> Frame {
    let kept = frames.filter { !$0.isSkipped }
    guard !kept.isEmpty else {
      return frames.dropFirst().reduce(frames[0]) { $0.noting($1.notes) }
    }
    let made = try operation.apply(to: kept, in: context)
    // What was cut from one picture says nothing of a picture that is made of several.
    let result = kept.count > 1 ? made.withUnknownPlace() : made
    return try checked(frames.reduce(result) { $0.noting($1.notes) }, step)
  }

  private func checked(_ frame: Frame, _ step: Step) throws -> Frame {
    if let size = frame.knownSize { try limit.check(size, after: step.id) }
    return frame.attributed(to: step.id)
  }

  /// The frames with sizes that are known, as steps are handed them.
  private func sized(_ frames: [Frame], _ areMembers: Bool) throws -> [Frame]? {
    let ready = try each(frames, areMembers) { frame in
      let frame = frame.withoutGuides()
      return frame.isSkipped ? frame : try sized(frame)
    }
    return ready.contains { $0.knownSize == nil && !$0.isSkipped } ? nil : ready
  }

  /// The same frame where its size is known, or cannot be.
  private func sized(_ frame: Frame) throws -> Frame {
    guard frame.knownSize == nil, case .pixels(let pictures) = source else { return frame }
    return frame.replaced(by: try pictures.image(of: frame).inMemory())
  }

  /// The frames of outputs as a step is handed them; nil where a header cannot tell the size of
  /// one that it names.
  private func outputsNamed(
    by step: Step,
    in outputs: [String: Frame]
  ) throws -> [String: Frame]? {
    var named: [String: Frame] = [:]
    for name in step.operation.neededOutputs {
      guard let frame = outputs[name] else {
        // Where a profile is only checked there is none.
        if case .headers = source { return nil }
        continue
      }
      let ready = try sized(frame.withoutGuides())
      if ready.knownSize == nil { return nil }
      named[name] = ready
    }
    return named
  }

  /// Does something to each frame: to all members of a group, even where it fails for some.
  private func each(
    _ frames: [Frame],
    _ areMembers: Bool,
    _ body: (Frame) throws -> Frame
  ) throws -> [Frame] {
    guard areMembers else { return try frames.map(body) }
    var result: [Frame] = []
    var errors = FrameErrors()
    for frame in frames {
      do {
        result.append(try body(frame))
      } catch let error as ItemError {
        errors.all[frame.origin.picture] = error
      } catch {
        errors.all[frame.origin.picture] = PictureProcessor.damaged(frame.origin.format)
      }
    }
    if !errors.all.isEmpty { throw errors }
    return result
  }

  private func context(of step: Step, _ outputs: [String: Frame]) -> Context {
    switch source {
    case .nothing: Context(step: step.id, outputs: outputs)
    case .headers(let pictures): Context(step: step.id, files: pictures, outputs: outputs)
    case .pixels(let pictures):
      Context(step: step.id, pictures: pictures, files: pictures, outputs: outputs)
    }
  }
}

/// Why some frames of a group cannot be treated as a step would, by their pictures' places.
struct FrameErrors: Error {
  var all: [Int: ItemError] = [:]
}
