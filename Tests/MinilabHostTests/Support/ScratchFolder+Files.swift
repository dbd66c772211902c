import Glibc
import MinilabKit
import TestSupport
import Testing

@testable import MinilabHost

extension ScratchFolder {
  func file(_ name: String) -> Path { path.appending(name) }

  func lines(_ name: String) -> [String] {
    let bytes = System.contents(of: file(name)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func text(_ name: String) -> String? {
    System.contents(of: file(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  func names(_ folder: String = "") throws -> [String] {
    let folder = try Descriptor(opening: folder.isEmpty ? path : file(folder), O_RDONLY)
    return try System.names(in: folder.number).map(\.shown).sorted()
  }
}

/// Waits for something that another process brings about.
func waitUntil(_ what: String, _ condition: () -> Bool) throws {
  for _ in 0..<6000 {
    if condition() { return }
    usleep(10_000)
  }
  Issue.record("waited in vain: \(what)")
  throw CancellationError()
}
