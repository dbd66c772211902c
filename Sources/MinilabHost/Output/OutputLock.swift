import CSystem
import Glibc
import MinilabKit

/// The lock of an output root: one run at a time.
///
/// It is the kernel's, and goes with the processes that hold it, however they end. Who took it last is
/// written in its file, for people.
enum OutputLock {
  /// Takes the lock in a root's own folder.
  ///
  /// - Parameters:
  ///   - folder: `.minilab`, open.
  ///   - root: for messages.
  ///   - patience: how long it is tried for.
  ///   - waiting: told once who holds it; with it, patience has no end.
  /// - Returns: what holds it.
  /// - Throws: who else holds it, or why there can be no lock.
  static func take(
    in folder: Int32,
    of root: Path,
    _ patience: Duration,
    _ waiting: ((String) -> Void)?
  ) throws(OutputFolderError) -> Descriptor {
    let start = SuspendingClock.now
    var hasTold = false
    while true {
      let lock = try open(in: folder, of: root)
      do throws(SystemError) {
        try System.attempt(.flock) { _ in csystem_lock(lock.number, false) }
        // Taken back by a run that had nothing to do, it locks nothing any more.
        if try System.status(of: lock.number).st_nlink > 0 {
          sign(lock.number)
          return lock
        }
      } catch  where error.number == EWOULDBLOCK {
        // Who waits is told; others are turned away.
      } catch {
        throw OutputFolderError(
          path: root,
          expected: "a folder that can be locked",
          received: error.reason
        )
      }
      if SuspendingClock.now - start >= patience {
        let holder = holder(lock.number)
        guard let waiting else {
          throw OutputFolderError(
            path: root,
            expected: "a folder that no other run is using",
            received: holder
          )
        }
        if !hasTold { waiting(holder) }
        hasTold = true
      }
      usleep(hasTold ? 200_000 : 20_000)
    }
  }

  private static func open(
    in folder: Int32,
    of root: Path
  ) throws(OutputFolderError) -> Descriptor {
    do {
      return try Descriptor(
        opening: OutputFolder.lockName,
        in: folder,
        O_RDWR | Int32(O_CREAT) | Int32(O_NOFOLLOW)
      )
    } catch {
      throw OutputFolderError(
        path: root.appending(OutputFolder.ownName).appending(OutputFolder.lockName),
        expected: "a file that can be written",
        received: error.reason
      )
    }
  }

  // MARK: Who

  /// Writes down who holds it.
  private static func sign(_ descriptor: Int32) {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let text = "\(getpid()) \(Int(time(nil))) \(host)\n"
    // For people alone: where it cannot be written, they are told less.
    try? System.cut(descriptor, to: 0)
    try? System.writeAll(descriptor, at: 0, Array(text.utf8))
  }

  /// Who holds it, as a sentence goes on after "found".
  private static func holder(_ descriptor: Int32) -> String {
    let bytes = (try? System.read(descriptor, at: 0, count: 512)) ?? []
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count >= 3, let process = Int32(words[0]), let started = Int(words[1]) else {
      return "a run that is still going"
    }
    let since = WallClock(fileTime: Int64(started)).shown
    let host = Path(String(words[2])).shown
    return "a run that is still going (process \(process) on \(host), since \(since))"
  }

  /// Who holds the lock of a root; nil where nobody does, or there is none.
  static func holder(of root: Path) -> String? {
    let path = root.appending(OutputFolder.ownName).appending(OutputFolder.lockName)
    do {
      let file = try Descriptor(opening: path, O_RDONLY | Int32(O_NOFOLLOW))
      do {
        try System.attempt(.flock) { _ in csystem_lock(file.number, false) }
        return nil
      } catch {
        return error.number == EWOULDBLOCK ? holder(file.number) : nil
      }
    } catch {
      return nil
    }
  }
}

extension WallClock {
  /// As people write it.
  fileprivate var shown: String {
    String(decoding: written(as: "%Y-%m-%d %H:%M:%S"), as: UTF8.self)
  }
}
