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
    guard hasLengthsThatFit(bytes) else { return nil }
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

  /// Whether each data set ends within the list.
  ///
  /// libiptcdata reads the length of a long data set as 32 bits and adds it to an offset of 32 bits,
  /// so that a length next to 2³² seems to fit, and it copies as much.
  private static func hasLengthsThatFit(_ list: [UInt8]) -> Bool {
    var offset = 0
    while offset + 5 <= list.count, list[offset] == 0x1c {
      guard var length = list.number(at: offset + 3, count: 2, .big) else { return false }
      offset += 5
      if length & 0x8000 != 0 {
        // The rest says how many bytes the length has.
        let width = length & 0x7fff
        guard width <= 8, let long = list.number(at: offset, count: width, .big) else {
          return false
        }
        offset += width
        length = long
      }
      guard length <= list.count - offset else { return false }
      offset += length
    }
    return true
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
