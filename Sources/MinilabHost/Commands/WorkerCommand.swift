import CSystem
import MinilabKit
import Vips

/// `minilab worker`: what the coordinator starts, and nobody else.
enum WorkerCommand {
  static func run(operations: [OperationEntry]) -> ExitStatus {
    csystem_return_memory()
    var isConfined = false
    let status = WorkerLoop.run { setup in
      let processor = try PictureProcessor(setup, operations: operations)
      // Libraries have been loaded, and nothing of a picture has been looked at.
      if let confinement = setup.confinement, !isConfined {
        try Sandbox.enter(confinement)
        isConfined = true
      }
      return processor
    }
    if Host.isAskedForLeaks { Host.stop() }
    return status == 0 ? .success : .someFailed
  }
}
