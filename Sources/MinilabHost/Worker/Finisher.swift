import Glibc

/// A second thread of a worker that brings units to their end: waiting for the disk takes about as
/// long as a small picture takes to make, and needs no processor.
///
/// Jobs are done one after the other, in the order they came.
final class Finisher: @unchecked Sendable {
  // Everything below is read and written under the mutex only; that makes it sendable.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var waiting: [() -> Void] = []
  private var isBusy = false
  private var hasThread = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  // The thread keeps its finisher for as long as the process lives: there is no `deinit`.

  /// Hands a job over; waits while another one is still to be begun.
  ///
  /// What the job holds is the thread's from here on.
  func finish(_ job: @escaping () -> Void) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    guard startThread() else { return job() }
    while !waiting.isEmpty { pthread_cond_wait(changed, mutex) }
    waiting.append(job)
    pthread_cond_broadcast(changed)
  }

  /// Waits until all jobs are done.
  func drain() {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while isBusy || !waiting.isEmpty { pthread_cond_wait(changed, mutex) }
  }

  /// False where the system allows no more threads.
  private func startThread() -> Bool {
    if hasThread { return true }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread,
      nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Finisher>.fromOpaque(context).takeRetainedValue().work()
        return nil
      },
      box.toOpaque()
    )
    hasThread = status == 0
    if hasThread { pthread_detach(thread) } else { box.release() }
    return hasThread
  }

  private func work() {
    pthread_mutex_lock(mutex)
    while true {
      while waiting.isEmpty { pthread_cond_wait(changed, mutex) }
      let job = waiting.removeFirst()
      isBusy = true
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
      job()
      pthread_mutex_lock(mutex)
      isBusy = false
      pthread_cond_broadcast(changed)
    }
  }
}
