import MinilabKit

/// Hashes of output paths without regard to letters' case, so that clashes among millions of paths
/// are found without keeping the paths.
///
/// Equal hashes mean nothing until the paths are compared.
struct PathHash {
  /// Which bits count: all, or few in tests, where different paths must be made to meet.
  var mask: UInt64 = .max

  /// The hash of a folded path.
  func hash(_ folded: some Sequence<UInt8>) -> UInt64 {
    var state = start
    for byte in folded { step(&state, byte) }
    return finish(state)
  }

  /// The hash of each folder of a folded path, outermost first.
  func folders(_ folded: [UInt8], _ body: (_ length: Int, _ hash: UInt64) -> Void) {
    var state = start
    for (index, byte) in folded.enumerated() {
      if byte == UInt8(ascii: "/") { body(index, finish(state)) }
      step(&state, byte)
    }
  }

  // FNV-1a (Fowler, Noll, Vo), and the finalizer of SplitMix64 (Steele et al. 2014) to spread it.
  private var start: UInt64 { 0xcbf2_9ce4_8422_2325 }

  private func step(_ state: inout UInt64, _ byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  private func finish(_ state: UInt64) -> UInt64 {
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return (value ^ (value >> 31)) & mask
  }
}

/// A path as a file system sees it that does not tell letters' case apart: letters made small one
/// by one, and composed and decomposed letters kept apart.
///
/// Bytes that are no UTF-8 stay, but for ASCII letters.
func caseFolded(_ path: [UInt8]) -> [UInt8] {
  if !path.contains(where: { $0 >= 0x80 }) { return path.map(asciiFolded) }
  guard let text = String(validating: path, as: UTF8.self) else { return path.map(asciiFolded) }
  var folded: [UInt8] = []
  folded.reserveCapacity(path.count)
  for scalar in text.unicodeScalars {
    if scalar.isASCII {
      folded.append(asciiFolded(UInt8(scalar.value)))
    } else {
      // Through the capital: a final sigma and a sigma are one letter.
      let capital = scalar.properties.uppercaseMapping.unicodeScalars
      let single = capital.count == 1 ? capital.first ?? scalar : scalar
      folded += single.properties.lowercaseMapping.utf8
    }
  }
  return folded
}

private func asciiFolded(_ byte: UInt8) -> UInt8 {
  (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
}
