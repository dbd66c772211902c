extension Head {
  /// True where the first element of an XML text is `svg`, or its document type says so.
  var isSVG: Bool {
    var offset = begins([0xef, 0xbb, 0xbf]) ? 3 : 0
    while offset < bytes.count {
      if isSpace(offset) {
        offset += 1
      } else if has("<?", at: offset) {
        guard let end = find("?>", from: offset) else { return false }
        offset = end + 2
      } else if has("<!--", at: offset) {
        guard let end = find("-->", from: offset + 4) else { return false }
        offset = end + 3
      } else if has("<!DOCTYPE", at: offset) {
        offset += 9
        while isSpace(offset) { offset += 1 }
        // Whatever entities follow, perhaps beyond the bytes there are.
        return has("svg", at: offset) && !isNameByte(offset + 3)
      } else {
        return isSVGElement(offset)
      }
    }
    return false
  }

  /// `<svg>`, also with a prefix for its namespace: `<ns0:svg>`.
  private func isSVGElement(_ offset: Int) -> Bool {
    guard has("<", at: offset) else { return false }
    var name = offset + 1
    while isNameByte(name) { name += 1 }
    if byte(name) == UInt8(ascii: ":"), name > offset + 1 {
      return has("svg", at: name + 1) && !isNameByte(name + 4)
    }
    return has("svg", at: offset + 1) && name == offset + 4
  }

  private func isNameByte(_ offset: Int) -> Bool {
    guard let byte = byte(offset) else { return false }
    return byte >= 0x80 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: ".") || (0x30...0x39).contains(byte)
      || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }

  /// The netpbm family: a letter and a digit alone would take in many a text, so the numbers behind
  /// them must be there too.
  var isPNM: Bool {
    guard byte(0) == UInt8(ascii: "P"), let kind = byte(1), isSpace(2) || byte(2) == 0x23 else {
      return false
    }
    var offset = 2
    switch kind {
    case UInt8(ascii: "1"), UInt8(ascii: "4"):
      return skipNumber(&offset) && skipNumber(&offset)
    case UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "5"), UInt8(ascii: "6"):
      return skipNumber(&offset) && skipNumber(&offset) && skipNumber(&offset)
    case UInt8(ascii: "F"), UInt8(ascii: "f"):
      return skipNumber(&offset) && skipNumber(&offset) && isScale(offset)
    case UInt8(ascii: "7"):
      return byte(2) == 0x0a && find("\nWIDTH ", from: 2) != nil
        && find("\nHEIGHT ", from: 2) != nil
    default: return false
    }
  }

  /// Steps over blanks, comments and one number with a blank or a comment behind it.
  private func skipNumber(_ offset: inout Int) -> Bool {
    skipBlanks(&offset)
    let start = offset
    while isDigit(offset) { offset += 1 }
    return offset > start && (isSpace(offset) || byte(offset) == UInt8(ascii: "#"))
  }

  private func isScale(_ offset: Int) -> Bool {
    var offset = offset
    skipBlanks(&offset)
    return isDigit(offset) || byte(offset) == UInt8(ascii: "-") && isDigit(offset + 1)
  }

  private func skipBlanks(_ offset: inout Int) {
    while true {
      if isSpace(offset) {
        offset += 1
      } else if byte(offset) == UInt8(ascii: "#") {
        while let byte = byte(offset), byte != 0x0a { offset += 1 }
      } else {
        return
      }
    }
  }
}
