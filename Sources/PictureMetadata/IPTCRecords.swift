internal import CIptc
internal import Glibc

/// A data set of IPTC-IIM by libiptcdata's name of it.
public struct IPTCTag: Sendable, Equatable {
  public let name: String
  let record: Int
  let number: Int

  /// All that a profile may name: those of the application record.
  static let all: [IPTCTag] = (0...255).compactMap { number in
    guard let name = ciptc_name(2, Int32(number)) else { return nil }
    return IPTCTag(name: String(cString: name), record: 2, number: number)
  }
}

/// A list of IPTC-IIM data sets.
enum IPTCRecords {
  /// The data sets that are kept, each as it was: nil where the list cannot be read, empty where
  /// nothing is left that says anything.
  static func filtered(
    _ bytes: [UInt8],
    keeping isKept: (_ record: Int, _ number: Int) -> Bool
  ) -> [UInt8]? {
    struct Context {
      let isKept: (Int, Int) -> Bool
      var tellingCount = 0
    }
    return withoutActuallyEscaping(isKept) { isKept in
      var context = Context(isKept: isKept)
      var kept = 0
      var count = 0
      let result = withUnsafeMutablePointer(to: &context) { context in
        bytes.withUnsafeBufferPointer { buffer -> UnsafeMutablePointer<UInt8>? in
          guard let base = buffer.baseAddress else { return nil }
          return ciptc_filter(
            base,
            buffer.count,
            context,
            { context, record, number in
              guard let context = context?.assumingMemoryBound(to: Context.self) else {
                return false
              }
              let isKept = context.pointee.isKept(Int(record), Int(number))
              if isKept, !MetadataPolicy.isIPTCFrame(Int(record), Int(number)) {
                context.pointee.tellingCount += 1
              }
              return isKept
            },
            &kept,
            &count
          )
        }
      }
      guard let result else { return nil }
      defer { free(result) }
      guard context.tellingCount > 0 else { return [] }
      return Array(UnsafeBufferPointer(start: result, count: count))
    }
  }

  /// The text of the first data set of a number in the application record; nil where there is none.
  static func text(_ number: Int, in list: [UInt8]) -> String? {
    // A mark, the record, the number and a length of two bytes, then the text.
    let found = filtered(list) { $0 == 2 && $1 == number }
    guard let found, let length = found.number(at: 3, count: 2, .big), length < 0x8000 else {
      return nil
    }
    return found.slice(at: 5, count: length).map { String(decoding: $0, as: UTF8.self) }
  }
}
