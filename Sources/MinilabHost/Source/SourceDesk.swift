import Glibc
import MinilabKit

/// A source process' side of its pipes: orders come in on a thread of their own, so that the end of a
/// run is seen whatever the device is doing.
///
/// What is shared between the threads is read and written under the mutex only; that makes it
/// sendable.
final class SourceDesk: ItemReceiver, @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var orders: [SourceRequest] = []
  private var room = 0
  private var hasEnded = false
  private var record: [UInt8]?

  private let requests: Int32
  private let replies: Int32
  private let stopSignal: Pipe
  /// Where items are written; set with the set-up.
  var files: CapturedFiles?

  init(requests: Int32, replies: Int32) throws(SystemError) {
    self.requests = requests
    self.replies = replies
    stopSignal = try System.pipe()
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  // The thread keeps its desk for as long as the process lives: there is no `deinit`.

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  // MARK: Orders

  /// Begins to read orders.
  ///
  /// - Parameter atEnd: is called on the reading thread when there are no more, with what was left to
  ///   be put back.
  /// - Throws: where the system allows no more threads.
  func open(
    atEnd: @escaping @Sendable (_ left: @Sendable () -> [UInt8]?) -> Void
  ) throws(SystemError) {
    let box = Unmanaged.passRetained(
      Reading { [self] in
        read()
        atEnd { [self] in locked { record } }
      }
    )
    var thread = pthread_t()
    let number = pthread_create(
      &thread,
      nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Reading>.fromOpaque(context).takeRetainedValue().body()
        return nil
      },
      box.toOpaque()
    )
    if number != 0 {
      box.release()
      throw SystemError(call: .spawn, number: number)
    }
    pthread_detach(thread)
  }

  private final class Reading: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private func read() {
    var lines = LineReader()
    while true {
      guard let line = lines.next() else {
        if let outcome = try? lines.read(from: requests), outcome != .end { continue }
        break
      }
      guard let request = try? Line.decode(SourceRequest.self, from: line) else { break }
      locked {
        if case .room(let more) = request { room += more } else { orders.append(request) }
        pthread_cond_broadcast(changed)
      }
    }
    locked {
      hasEnded = true
      pthread_cond_broadcast(changed)
    }
    try? System.writeAll(stopSignal.write.number, [0])
  }

  /// The next order; nil when no more will come.
  func nextOrder() -> SourceRequest? {
    locked {
      while orders.isEmpty, !hasEnded { pthread_cond_wait(changed, mutex) }
      return orders.isEmpty ? nil : orders.removeFirst()
    }
  }

  /// Tells the coordinator.
  ///
  /// Called from the main thread only.
  func send(_ reply: SourceReply) throws {
    try System.writeAll(replies, Line.encode(reply))
  }

  // MARK: A source's side

  var isStopping: Bool { locked { hasEnded } }

  var stopDescriptor: Int32 { stopSignal.read.number }

  func waitForRoom() -> Bool {
    locked {
      while room == 0, !hasEnded { pthread_cond_wait(changed, mutex) }
      return !hasEnded
    }
  }

  func wait(_ duration: Duration) -> Bool {
    let end = SuspendingClock.now + duration
    while !isStopping {
      let left = (end - SuspendingClock.now) / .milliseconds(1)
      if left <= 0 { return true }
      var state = [pollfd(fd: stopDescriptor, events: Int16(POLLIN), revents: 0)]
      guard
        (try? System.poll(&state, milliseconds: Int32(min(left.rounded(.up), 1e6)))) != nil
      else { return false }
    }
    return false
  }

  func leave(_ record: [UInt8]?) throws {
    locked { self.record = record }
    try send(.left(record))
  }

  func deliver(_ item: SourceItem) throws {
    guard let files else { preconditionFailure("a source that was begun has a place for items") }
    let name: Path
    do throws(SystemError) {
      name = try files.add(item.bytes, as: item.name)
    } catch {
      throw OutputWriter.failure(error, writing: CapturedFiles.place.appending(item.name))
    }
    try send(
      .item(
        CapturedItem(
          name: name,
          format: item.format,
          taken: item.taken,
          facts: CaptureFacts(middle: item.middle, isRaw: item.isRaw, notes: item.notes)
        )
      )
    )
    locked { room -= 1 }
  }
}
