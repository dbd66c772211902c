import MinilabKit
import Vips

// From pixels to a file: once, or with one quality after the other until the right one is found.

extension OutputImage {
  /// Computes the pixels and writes the file.
  ///
  /// - Returns: what was chosen on the way.
  /// - Throws: `ItemError` where no quality gives a file that is small enough.
  func save(to file: TemporaryFile) throws -> [Note] {
    guard encoder.searched == .automatic || settings.maxBytes != nil else {
      try write(encoder, to: file)
      return []
    }
    return try withPixelsInMemory().search(file)
  }

  private func search(_ file: TemporaryFile) throws -> [Note] {
    var encoder = encoder
    var notes: [Note] = []
    if encoder.searched == .automatic {
      let found = try AutomaticQuality(of: image, encoder, on: settings.background).lowest()
      encoder = encoder.with(quality: found)
      notes = [Note(.qualityChosen, AutomaticQuality.text(found))]
    }
    guard let maxBytes = settings.maxBytes else {
      try write(encoder, to: file)
      return notes
    }
    return try fit(encoder, into: maxBytes, file) ?? notes
  }

  /// Finds the highest quality that fits, by bisection.
  ///
  /// A quality that is named is the highest that is tried.
  ///
  /// - Returns: what was chosen; nil where it is what the output has named.
  private func fit(
    _ encoder: any PictureEncoder,
    into limit: ByteCount,
    _ file: TemporaryFile
  ) throws -> [Note]? {
    guard let quality = encoder.searched else {
      try write(encoder, to: file)
      try refuse(file, over: limit, "no quality to choose")
      return nil
    }
    var isNamed = true
    if case .usual = quality { isNamed = false }
    let most = isNamed ? quality.number : Quality.best
    try write(encoder.with(quality: most), to: file)
    if fits(file, limit) { return isNamed ? nil : [Self.note(most, limit)] }
    var best: (quality: Int, bytes: [UInt8])?
    var low = 1
    var high = most - 1
    while low <= high {
      let middle = (low + high) / 2
      try write(encoder.with(quality: middle), to: file)
      if fits(file, limit) {
        best = (middle, try contents(of: file))
        low = middle + 1
      } else {
        high = middle - 1
      }
    }
    guard let best else {
      // The last that was tried is the lowest.
      try refuse(file, over: limit, "quality 1")
      return nil
    }
    try replace(file, with: best.bytes)
    return [Self.note(best.quality, limit)]
  }

  private static func note(_ quality: Int, _ limit: ByteCount) -> Note {
    Note(
      .qualityChosen,
      "quality \(quality) is the highest that gives at most \(limit.bytes) bytes (max-bytes)"
    )
  }

  private func fits(_ file: TemporaryFile, _ limit: ByteCount) -> Bool {
    file.length.map { $0 <= limit.bytes } ?? false
  }

  private func refuse(
    _ file: TemporaryFile,
    over limit: ByteCount,
    _ quality: String
  ) throws(ItemError) {
    if fits(file, limit) { return }
    throw ItemError(
      .tooLarge,
      expected: "at most \(limit.bytes) bytes (max-bytes of output \"\(settings.name)\")",
      received: "\(file.length ?? 0) with \(quality)"
    )
  }

  private func contents(of file: TemporaryFile) throws -> [UInt8] {
    do { return try file.contents() } catch {
      throw OutputWriter.failure(error, writing: file.path)
    }
  }

  private func replace(_ file: TemporaryFile, with bytes: [UInt8]) throws {
    do {
      try file.empty()
      try System.writeAll(file.descriptor, bytes)
    } catch {
      throw OutputWriter.failure(error, writing: file.path)
    }
  }
}
