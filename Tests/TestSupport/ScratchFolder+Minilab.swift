public import Foundation
import MinilabKit

// Runs of the program on a profile, in a folder of their own.

extension ScratchFolder {
  /// A new folder with a profile in it.
  public convenience init(profile: String, as name: String) throws {
    try self.init()
    try write(profile, to: name)
  }

  /// Runs `minilab` there, to its end.
  ///
  /// `words`: its arguments. `environment`: added to this process's own.
  public func minilab(
    _ words: [String],
    environment: [String: String] = [:]
  ) throws -> Program.Result {
    try Program.minilab.run(words.map { Path($0) }, in: path, environment: environment)
  }

  /// Starts `minilab` there and does not wait for its end; what it prints is lost.
  ///
  /// `messages`: a file of the folder that is made and takes what it says on standard error.
  public func begin(_ words: [String], messages: String? = nil) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try Program.minilab.path.shown)
    process.currentDirectoryURL = URL(fileURLWithPath: text)
    process.arguments = words
    process.standardOutput = FileHandle.nullDevice
    process.standardError =
      try messages.map { name in
        try FileHandle(forWritingTo: URL(fileURLWithPath: write("", to: name).shown))
      } ?? FileHandle.nullDevice
    try process.run()
    return process
  }
}
