import Glibc
import MinilabKit

@testable import MinilabHost

/// A folder of results that somebody else has prepared.
let ledgerTargets = [
  Target("ledger") { bytes in
    let file = LedgerFile(of: ledgerRoot)
    write(bytes, to: file.path)
    // Of one who only looks.
    let status = try? StatusCommand(of: ledgerRoot, [])
    _ = (status?.text, status?.json)
    // And of a run.
    guard let ledger = try? file.open().ledger else { return }
    do {
      try ledger.eachOutput { path, output in
        _ = try ledger.unit(output.unit)
        _ = try ledger.output(path)
        _ = try ledger.maker(output.recipe)
      }
      try ledger.eachFailure { _ = $0.error.text }
      _ = try ledger.lastRun()
      try ledger.claim(Path("a.jpg"))
      try ledger.leaveClaim(Path("b.jpg"))
      try ledger.forgetUnits()
      try ledger.end(Tally(planned: 1))
    } catch {
      require(error is DatabaseError, "another error: \(error)")
    }
  }
]

private let ledgerRoot: Path = {
  var name = Array("/dev/shm/minilab-fuzz-XXXXXX".utf8CString)
  guard mkdtemp(&name) != nil else { fatalError("no folder") }
  let root = Path(bytes: name.dropLast().map { UInt8(bitPattern: $0) })
  _ = root.appending(".minilab").withCString { mkdir($0, 0o700) }
  return root
}()

private func write(_ bytes: [UInt8], to path: Path) {
  for ending in ["-wal", "-shm", "-journal"] {
    _ = Path(bytes: path.bytes + Array(ending.utf8)).withCString { unlink($0) }
  }
  let file = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
  if Glibc.write(file, bytes, bytes.count) != bytes.count { fatalError("not written") }
  close(file)
}
