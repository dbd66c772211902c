import MinilabKit

extension Path {
  /// As a person types it into a shell, whatever its bytes are.
  var quotedForShell: String {
    let plain = Array("/._-+=:,@%".utf8)
    let isPlain = bytes.allSatisfy { byte in
      plain.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
        || (0x61...0x7a).contains(byte)
    }
    if isPlain, !isEmpty { return shown }
    // What is no text, or would act on a terminal, is written as bash and others read it.
    if text == nil || shown != text {
      let inner = bytes.map { byte -> String in
        switch byte {
        case UInt8(ascii: "\\"): return "\\\\"
        case UInt8(ascii: "'"): return "\\'"
        case 0x20...0x7e: return String(UnicodeScalar(byte))
        default:
          let digits = String(byte, radix: 16)
          return "\\x" + (byte < 16 ? "0" : "") + digits
        }
      }
      return "$'\(inner.joined())'"
    }
    return "'" + shown.replacing("'", with: "'\\''") + "'"
  }
}
