import CSystem
import MinilabKit
import Vips

/// `minilab worker`: what the coordinator starts, and nobody else.
enum WorkerCommand {
  static func run(operations: [OperationEntry]) -> ExitStatus {
    csystem_return_memory()
    let status = WorkerLoop.run { try PictureProcessor($0, operations: operations) }
    if Host.isAskedForLeaks { Host.stop() }
    return status == 0 ? .success : .someFailed
  }
}
