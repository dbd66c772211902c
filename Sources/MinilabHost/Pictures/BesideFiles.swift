import MinilabKit
import Synchronization

/// Files beside the unit's pictures that were asked for, such as a preview that might be ready.
///
/// What is made depends on them, too. A worker does one unit at a time, so one list will do.
enum BesideFiles {
  private static let asked = Mutex<Set<Path>>([])

  static func add(_ path: Path) {
    _ = asked.withLock { $0.insert(path) }
  }

  /// Those of the unit in work, sorted; there are none then.
  static func take() -> [Path] {
    asked.withLock { asked in
      defer { asked = [] }
      return asked.sorted()
    }
  }
}
