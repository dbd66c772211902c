import CSystem
import Glibc

/// SIGINT, SIGTERM and SIGHUP as something to poll.
///
/// As long as it lives they end nothing.
final class Interrupts {
  private let descriptor: Descriptor

  var number: Int32 { descriptor.number }

  init() throws(SystemError) {
    descriptor = Descriptor(
      adopting: try System.attempt(.signalDescriptor) { _ in csystem_open_interrupts() }
    )
  }

  deinit {
    _ = csystem_unblock_interrupts()
  }

  enum Event {
    case interrupt
    /// The lab was stopped by job control and goes on now.
    case resumed
  }

  func next() -> Event? {
    switch try? System.attempt(.read, { _ in csystem_read_interrupt(descriptor.number) }) {
    case nil, 0: nil
    case SIGCONT: .resumed
    default: .interrupt
    }
  }

  /// Outside of that, and before anything is begun, an interrupt ends the process at once.
  static func endProcess(status: Int32) {
    _ = csystem_exit_on_interrupts(status)
  }
}
