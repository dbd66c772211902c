import CSystem
import Glibc
import MinilabKit

/// One line on a terminal that is drawn over itself.
struct ProgressLine {
  /// Ten times a second: more is not seen, and costs a slow terminal.
  static let interval = Duration.milliseconds(100)

  private let descriptor: Int32
  private let start: SuspendingClock.Instant
  private var drawn = ""

  /// Nil where there is nobody to see it.
  init?(on descriptor: Int32, start: SuspendingClock.Instant) {
    let kind = getenv("TERM").map { String(cString: $0) }
    guard csystem_terminal_columns(descriptor) > 0, kind != "dumb" else { return nil }
    self.descriptor = descriptor
    self.start = start
  }

  mutating func draw(_ tally: Tally) {
    let seconds = (SuspendingClock.now - start) / .seconds(1)
    // Asked each time: windows change their size.
    let columns = Int(csystem_terminal_columns(descriptor))
    let text = String(Self.text(tally, seconds: seconds).prefix(max(0, columns - 1)))
    if text == drawn { return }
    drawn = text
    show("\r\(text)\u{1b}[K")
  }

  /// Makes room for other lines.
  mutating func clear() {
    if drawn.isEmpty { return }
    drawn = ""
    show("\r\u{1b}[K")
  }

  /// - Parameters:
  ///   - tally: the counts so far.
  ///   - seconds: since the first unit was handed out.
  /// - Returns: done/total, rate, time left, failures.
  static func text(_ tally: Tally, seconds: Double) -> String {
    let finished = tally.finished
    let percent = tally.planned > 0 ? finished * 100 / tally.planned : 100
    var parts = ["\(finished)/\(tally.planned)", "\(percent) %"]
    if finished > 0, seconds > 0 {
      let rate = Double(finished) / seconds
      parts.append(rate < 10 ? "\(JSONLine.rounded(rate, digits: 1))/s" : "\(Int(rate))/s")
      parts.append("\(clock(Double(tally.planned - finished) / rate)) left")
    }
    if tally.failed > 0 { parts.append("\(tally.failed) failed") }
    return parts.joined(separator: "  ")
  }

  /// `m:ss`, or `h:mm:ss`.
  private static func clock(_ seconds: Double) -> String {
    let seconds = Int(min(seconds.rounded(.up), 1e9))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (minutes, rest) = (seconds / 60, seconds % 60)
    return minutes < 60
      ? "\(minutes):\(two(rest))" : "\(minutes / 60):\(two(minutes % 60)):\(two(rest))"
  }

  private func show(_ text: String) {
    // Where the terminal is gone there is nobody to see it.
    try? System.writeAll(descriptor, Array(text.utf8))
  }
}
