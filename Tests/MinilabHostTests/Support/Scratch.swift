import Foundation
import Glibc
import MinilabKit
import Testing

@testable import MinilabHost

/// A folder of its own, removed with its owner.
final class Scratch {
  let path: Path

  init() throws {
    var template = Array("/tmp/minilab-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SystemError(call: .mkdir, number: errno)
    }
    path = Path(bytes: template.dropLast().map { UInt8(bitPattern: $0) })
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path.shown)
  }

  func file(_ name: String) -> Path { path.appending(name) }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name).shown))
  }

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
