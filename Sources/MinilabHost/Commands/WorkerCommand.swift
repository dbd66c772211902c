import CSystem
import Glibc
import MinilabKit
import Vips

/// `minilab worker`: what the coordinator starts, and nobody else.
enum WorkerCommand {
  static func run(operations: [OperationEntry]) -> ExitStatus {
    csystem_keep_memory()
    var isConfined = false
    let status = WorkerLoop.run { setup in
      if let output = setup.output { holdTemporaries(below: output) }
      let processor = try PictureProcessor(setup, operations: operations)
      // Libraries have been loaded, and nothing of a picture has been looked at.
      if let confinement = setup.confinement, !isConfined {
        SHA256.prepare()
        try Sandbox.enter(confinement)
        isConfined = true
      }
      return processor
    }
    if Host.isAskedForLeaks { Host.stop() }
    return status == 0 ? .success : .someFailed
  }

  /// libvips' own temporary files belong where there is room for the results.
  private static func holdTemporaries(below output: Path) {
    let folder = output.appending(OutputFolder.ownName).appending(OutputFolder.temporariesName)
    _ = folder.withCString { setenv("TMPDIR", $0, 1) }
  }
}
