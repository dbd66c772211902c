import Vips

/// A part of the program that reads bytes of strangers, and what must hold whatever they are.
struct Target: Sendable {
  let name: String
  /// Before the first input.
  var prepare: @Sendable () -> Void = {}
  /// Ends the process where something does not hold.
  let body: @Sendable ([UInt8]) -> Void

  init(_ name: String, needsVips: Bool = false, _ body: @escaping @Sendable ([UInt8]) -> Void) {
    self.init(name, needsVips: needsVips, [body])
  }

  /// Several that read much the same: one input is given to each.
  init(_ name: String, needsVips: Bool = false, _ bodies: [@Sendable ([UInt8]) -> Void]) {
    self.name = name
    body = { bytes in for body in bodies { body(bytes) } }
    if needsVips {
      prepare = {
        do { try Host.start() } catch { fatalError("\(error)") }
      }
    }
  }
}

/// Every target, by what it reads.
let allTargets =
  profileTargets + textTargets + protocolTargets + blockTargets + containerTargets
  + pictureTargets + ledgerTargets

/// What libFuzzer is to keep and show as a crash.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
  if !holds { fatalError(what()) }
}

/// Takes an input apart: several texts in one are parted by this byte, which none of them needs.
func parts(_ bytes: [UInt8], _ count: Int) -> [[UInt8]] {
  var parts = bytes.split(separator: 0x1e, maxSplits: count - 1, omittingEmptySubsequences: false)
    .map { Array($0) }
  while parts.count < count { parts.append([]) }
  return parts
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
