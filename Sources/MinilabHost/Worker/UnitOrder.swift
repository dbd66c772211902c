import MinilabKit

// What the coordinator's ledger makes of a unit, as the worker is told, and what the worker finds.

/// Why an output is made.
enum MakingReason: String, Codable, CaseIterable {
  /// The ledger knows nothing of it.
  case new
  case inputChanged = "input-changed"
  case profileChanged = "profile-changed"
  case outputMissing = "output-missing"
  /// It can no longer be read, or is not what an interrupted run has written down.
  case outputDamaged = "output-damaged"
  /// A run that did not end well had begun it.
  case unfinished
  /// It was asked for.
  case forced

  /// As a sentence has it.
  var shown: String {
    switch self {
    case .new: "new"
    case .inputChanged: "input changed"
    case .profileChanged: "profile changed"
    case .outputMissing: "output missing"
    case .outputDamaged: "output damaged"
    case .unfinished: "unfinished"
    case .forced: "forced"
    }
  }
}

/// What is to be made of a unit, and what is to be looked at before.
struct UnitOrder: Codable {
  /// Digests that inputs had, by their places: each is to be compared, as its file looks changed.
  var inputs: [Int: ContentDigest] = [:]
  /// Nothing about the inputs is new: they need not be told of.
  var inputsAreKnown = false
  /// One for each of the unit's outputs.
  var outputs: [OutputOrder]
}

extension Work {
  /// For another worker, as the first has died, and may have brought files to their names before.
  var again: Work {
    guard case .unit(var unit) = self, var order = unit.order else { return self }
    order.outputs = order.outputs.map { output in
      var output = output
      if !output.mustEqual { output.mayReplace = true }
      output.look?.mayBeOurs = true
      return output
    }
    unit.order = order
    return .unit(unit)
  }
}

struct OutputOrder: Codable {
  /// Why it is made whatever is found; nil where it is made only if its input has changed, or its
  /// file is not what it was.
  var reason: MakingReason?
  /// Its file looks changed and is to be looked at first.
  var look: Look?
  /// What stands under its name, it replaces.
  var mayReplace = false
  /// What stands under its name must be what would be made.
  var mustEqual = false
  /// It is left as somebody else has made it, even where its input has changed.
  var isLeft = false
  /// What stands under its name was made of this, which the inputs must be.
  var origin: OutputOrigin?

  struct Look: Codable {
    /// What the file was when it was made, and before that.
    var known: [ContentDigest]
    /// It is known to be of a run that did not end well: another content is damage.
    var isDoubtful = false
    /// A run that did not end well may have made it anew: another content is held against what would be
    /// made.
    var mayBeOurs = false
  }
}

/// What a worker has found, for the ledger.
struct UnitFindings: Codable {
  /// Of each input, in the order of the unit's members.
  var inputs: [InputFinding] = []
  /// Files beside the inputs that were asked for, there or not.
  var beside: [InputFinding] = []
  /// Of each of the unit's outputs.
  var outputs: [OutputFinding] = []
}

struct InputFinding: Codable, Equatable {
  /// Of a file that is beside an input; of an input the coordinator knows it.
  var path: Path?
  /// Nil where there is no file, or where it cannot be trusted to show the next change.
  var stamp: FileStamp?
  /// Nil where the file changed while it was read, or could not be read.
  var digest: ContentDigest?
}

/// What has become of an output.
enum OutputFinding: Codable, Equatable {
  /// It was made; the stamp is nil where the file system does not give one.
  case made(FileStamp?, ContentDigest, MakingReason)
  /// There was a file that is what would have been made.
  case equal(FileStamp, ContentDigest)
  /// A step leaves it out.
  case leftOut
  /// It was not to be made, and not looked at.
  case kept
  /// Its file is what it was, under another stamp.
  case sound(FileStamp)
  /// Somebody else has changed its file, which still reads as a picture.
  case altered(FileStamp)
}
