import Glibc
import Synchronization

/// The digest of a large file, told by a thread of its own while the picture is made: a file of 200 MB
/// takes 0.16 s, which nobody has to wait for where a core is free.
final class DigestAside: @unchecked Sendable {
  // Sendable: what the thread writes is read once it was joined, the flag is atomic, and the rest does
  // not change.
  private let file: Descriptor
  private var digest: ContentDigest?
  private let isGivenUp = Atomic(false)
  private var thread: pthread_t?

  /// From so many bytes on a thread is worth its start.
  static let large = 16 << 20

  /// Of the open file.
  var descriptor: Int32 { file.number }

  /// Begins; nil where the system allows no more threads.
  init?(of file: consuming Descriptor) {
    self.file = file
    var thread = pthread_t()
    // It is joined before this is gone, so nothing need be retained.
    let context = Unmanaged.passUnretained(self).toOpaque()
    let status = pthread_create(
      &thread,
      nil,
      { context in
        guard let context else { return nil }
        Unmanaged<DigestAside>.fromOpaque(context).takeUnretainedValue().work()
        return nil
      },
      context
    )
    if status != 0 { return nil }
    self.thread = thread
  }

  deinit {
    isGivenUp.store(true, ordering: .relaxed)
    join()
  }

  /// The digest; nil where the file cannot be read.
  func wait() -> ContentDigest? {
    join()
    return digest
  }

  private func join() {
    guard let thread else { return }
    pthread_join(thread, nil)
    self.thread = nil
  }

  private func work() {
    digest = try? ContentDigest(ofFile: descriptor) { isGivenUp.load(ordering: .relaxed) }
  }
}
