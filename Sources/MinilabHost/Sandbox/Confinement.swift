import MinilabKit

/// What a worker may still touch once it has locked itself in.
///
/// It is said once for all that a worker will do: what has been given up does not come back.
struct Confinement: Codable, Equatable {
  /// Files, and folders with all that is below them.
  var readable: [Path]
  /// Folders in which files are made, renamed and removed.
  var writable: [Path] = []
  /// Outputs take over the mode or the times of their inputs.
  var changesAttributes = false
  /// The most data a worker may hold, in bytes; nil: as much as it is given.
  var memory: Int?
}

extension Confinement {
  /// What the units of a run need.
  ///
  /// `inputs`: below which, or in which, the plan has found its items. `output`: the output root.
  init(_ profile: Profile, inputs: [Path], output: Path?, memory: Int?) {
    readable = inputs + profile.files
    writable = output.map { [$0] } ?? []
    changesAttributes = profile.outputs.contains {
      $0.settings.mode == .input || $0.settings.timestamps == .input
    }
    self.memory = memory
  }
}

/// Whether workers lock themselves in.
enum SandboxMode: String, CaseIterable {
  /// As far as the kernel can.
  case auto
  /// A kernel that cannot is an error.
  case require
  case off

  struct Unavailable: Error {
    let text: String
  }

  /// Says what the kernel cannot do.
  ///
  /// - Throws: `Unavailable` where that is required.
  func check(quiet: Bool) throws {
    guard self != .off, let lack = Sandbox.lack else { return }
    let text = "workers cannot be locked in: this kernel \(lack)"
    if self == .require { throw Unavailable(text: "\(text) (--sandbox require)") }
    if !quiet { Console.warn("minilab: \(text)\n") }
  }
}
