public import Glibc
import MinilabKit

/// A process is gone: one that has ended and that its new parent has not looked after yet is, too.
///
/// A process whose parent was killed gets another one, which may look after it late or never.
public func isGone(_ process: pid_t) -> Bool {
  if kill(process, 0) == -1 && errno == ESRCH { return true }
  guard let status = try? contents(of: Path("/proc/\(process)/stat")) else { return true }
  return String(decoding: status, as: UTF8.self).contains(") Z ")
}
