import MinilabKit

/// What units in work may hold together, beside what their workers hold when they are idle.
///
/// It decides how many are in work at a time and how often pixels are made, and no pixel.
struct MemoryBudget: Equatable {
  /// In bytes.
  let bytes: Int
  let jobs: Int

  /// `asked`: nil for half of what the machine or its control group allows.
  init(_ asked: Int?, _ limits: MachineLimits, jobs: Int) {
    self.init(bytes: asked ?? limits.memory.map { $0 / 2 } ?? Int.max, jobs: jobs)
  }

  init(bytes: Int, jobs: Int) {
    self.bytes = bytes
    self.jobs = max(1, jobs)
  }

  /// For each unit, where all workers have one.
  private var share: Int { bytes / jobs }

  /// How much a unit may hold of what its outputs have in common: half of its share is left for what each
  /// output needs of its own.
  var pixelBound: Int { min(PixelStore.usualBound, share / 2) }

  /// What is set aside for a unit of which only the file's size is known.
  ///
  /// The worker finds out what it needs, and gives it back where that is more.
  var ofUnknown: Int { min(Self.usual, max(Self.least, share)) }

  /// Nearly every picture whose file is small gets along with it.
  private static let usual = 64 << 20
  /// With less there would be more giving back than work.
  private static let least = 16 << 20
}
