import MinilabKit

extension SheetRecorder {
  /// Takes a unit through the steps of the outputs that are shown, as far as they go.
  ///
  /// - Returns: the sheet up to there, and why it ends where it does.
  /// - Throws: what is no step's refusal of a single picture.
  static func preview(
    _ request: PreviewRequest,
    of profile: Profile,
    on frames: [Frame],
    _ runner: StepRunner,
    _ pictures: UnitPictures
  ) throws -> (sheet: Sheet, error: ItemError?) {
    var recorder = SheetRecorder(profile, on: frames, pictures: pictures)
    let error = try recorder.run(profile, request, on: frames, runner)
    var sheet = recorder.sheet(of: Set(request.outputs))
    sheet.hasGuides = request.guides
    if let step = request.step { sheet.show(only: step) }
    return (sheet, error)
  }

  /// - Returns: why not all steps could be done.
  private mutating func run(
    _ profile: Profile,
    _ request: PreviewRequest,
    on frames: [Frame],
    _ runner: StepRunner
  ) throws -> ItemError? {
    let shared: [Frame]?
    do {
      shared = try runner.run(profile.steps, on: frames) { try add($0, $1, $2) }
    } catch let error as ItemError {
      fail(error)
      return error
    }
    guard let shared else { return nil }
    var runner = runner
    runner.isGathered = runner.isGathered && !profile.sharesGroupStep
    let shown = profile.outputs.filter { request.outputs.contains($0.name) }
    let needed = Set(shown.flatMap(\.steps).flatMap(\.operation.neededOutputs))
    var named: [String: Frame] = [:]
    for output in profile.outputs {
      guard request.outputs.contains(output.name) else {
        // A composition may show what is not to be shown itself.
        if needed.contains(output.name) {
          named[output.name] = try runner.run(output.steps, on: shared, outputs: named)?.first
        }
        continue
      }
      begin(output)
      do {
        let made = try runner.run(output.steps, on: shared, outputs: named) {
          try addOwn($0, $1, $2)
        }
        named[output.name] = made?.first
      } catch let error as ItemError {
        failOwn(error)
        return error
      }
    }
    return nil
  }
}
