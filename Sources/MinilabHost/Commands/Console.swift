import Glibc

/// Text for people and scripts, written at once and whole.
enum Console {
  /// To standard output.
  ///
  /// Where that takes no more, the program ends as a run does: a script must not take half
  /// an answer for a whole one.
  static func print(_ text: String) {
    do throws(SystemError) {
      try System.writeAll(STDOUT_FILENO, Array(text.utf8))
    } catch {
      let stop = RunStop.ofOutput(error)
      if case .outputFailed(let reason) = stop { warn("minilab: \(fault(reason))\n") }
      exit(RunCommand.status(stop, failed: 0).rawValue)
    }
  }

  /// What is told where standard output takes no more, and there is somebody to read it.
  static func fault(_ reason: String) -> String { "standard output cannot be written: \(reason)" }

  /// To standard error; where that is closed there is nobody to tell.
  static func warn(_ text: String) {
    try? System.writeAll(STDERR_FILENO, Array(text.utf8))
  }
}
