import MinilabKit

/// Finds the highest quality with which a file is small enough, by bisection.
struct QualitySearch {
  let file: TemporaryFile
  let limit: ByteCount
  /// The output's name, for errors.
  let output: String
  /// Writes the file anew, and tells what it could not hold.
  typealias Writing = (any PictureEncoder) throws -> [Note]

  /// Leaves the file as the best quality makes it.
  ///
  /// One that is named is the highest that is tried.
  ///
  /// `chosen`: what is told where the encoder's own quality fits.
  func save(
    with encoder: any PictureEncoder,
    _ chosen: [Note],
    _ write: Writing
  ) throws -> [Note] {
    guard let quality = encoder.searched else {
      let lost = try write(encoder)
      try refuse(with: "no quality to choose")
      return lost + chosen
    }
    var isNamed = true
    if case .usual = quality { isNamed = false }
    let most = isNamed ? quality.number : Quality.best
    let lost = try write(encoder.with(quality: most))
    if fits { return lost + (isNamed ? chosen : [note(most)]) }
    return try bisect(encoder, below: most, write)
  }

  private func bisect(
    _ encoder: any PictureEncoder,
    below most: Int,
    _ write: Writing
  ) throws -> [Note] {
    var best: (quality: Int, bytes: [UInt8], lost: [Note])?
    var low = 1
    var high = most - 1
    while low <= high {
      let middle = (low + high) / 2
      let lost = try write(encoder.with(quality: middle))
      if fits {
        best = (middle, try contents(), lost)
        low = middle + 1
      } else {
        high = middle - 1
      }
    }
    guard let best else {
      // The last that was tried is the lowest.
      try refuse(with: "quality 1")
      return []
    }
    do {
      try file.empty()
      try System.writeAll(file.descriptor, best.bytes)
    } catch {
      throw OutputWriter.failure(error, writing: file.path)
    }
    return best.lost + [note(best.quality)]
  }

  private func note(_ quality: Int) -> Note {
    Note(
      .qualityChosen,
      "quality \(quality) is the highest that gives at most \(limit.bytes) bytes (max-bytes)"
    )
  }

  private var fits: Bool { file.length.map { $0 <= limit.bytes } ?? false }

  private func refuse(with quality: String) throws(ItemError) {
    if fits { return }
    throw ItemError(
      .tooLarge,
      expected: "at most \(limit.bytes) bytes (max-bytes of output \"\(output)\")",
      received: "\(file.length ?? 0) with \(quality)"
    )
  }

  private func contents() throws(ItemError) -> [UInt8] {
    do { return try file.contents() } catch {
      throw OutputWriter.failure(error, writing: file.path)
    }
  }
}
