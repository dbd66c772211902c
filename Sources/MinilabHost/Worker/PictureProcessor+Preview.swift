import MinilabKit

// A sheet that a person has asked for: it takes the place of the profile's outputs.

extension PictureProcessor {
  struct Preview {
    let request: PreviewRequest
    /// How the sheet is written.
    let output: Output

    init?(_ request: PreviewRequest, _ operations: [OperationEntry]) {
      guard let output = request.output(operations) else { return nil }
      self.request = request
      self.output = output
    }
  }

  /// Draws the sheet, up to where a step refuses the pictures.
  func job(
    _ preview: Preview,
    on start: [Frame],
    _ runner: StepRunner,
    _ pictures: UnitPictures
  ) throws -> OutputJob {
    let (sheet, refused) = try SheetRecorder.preview(
      preview.request,
      of: profile,
      on: start,
      runner,
      pictures
    )
    let (image, failed) = try sheet.drawn()
    refusal = failed ?? refused
    return try OutputJob(
      preview.output,
      start[0].origin.format,
      pictures,
      start[0].replaced(by: image)
    )
  }
}
