import Glibc
import MinilabKit

/// What the first look at one file says.
enum Inspection: Equatable {
  case picture(PictureFormat, seconds: Int64)
  case leftOut(WritableKeyPath<LeftOut, Int>)
  /// A picture of a format that the profile does not open.
  case off(PictureFormat)
  case failed(ItemError)
  /// It has gone since its folder was listed.
  case gone
}

/// Looks at files: by their first bytes, and by their names only for what these promise.
struct Inspector {
  private let formats: Set<PictureFormat>
  /// Extensions of the formats that are opened: such a file is a picture or has failed.
  private let promising: Set<String>
  private var buffer = [UInt8](repeating: 0, count: FileContent.headLength)

  init(_ formats: Set<PictureFormat>) {
    self.formats = formats
    promising = Set(formats.flatMap(\.extensions))
  }

  func promisesPicture(_ name: some Collection<UInt8>) -> Bool {
    promising.contains(lowerCaseExtension(of: name))
  }

  /// Opens one file, looks at it, and closes it.
  ///
  /// - Parameters:
  ///   - name: Relative to the folder, or a path.
  ///   - folder: The descriptor of a folder, or `AT_FDCWD`.
  ///   - follow: Through a symbolic link.
  ///   - named: A person named this very file, so it is never passed over as no picture.
  /// - Returns: What to do with it.
  mutating func inspect(
    _ name: ArraySlice<UInt8>,
    in folder: Int32,
    follow: Bool,
    named: Bool = false
  ) -> Inspection {
    let status: stat
    let length: Int
    do {
      let file = try openFile(name, in: folder, flags: follow ? 0 : Int32(O_NOFOLLOW))
      status = try System.status(of: file.number)
      guard FileKind(mode: status.st_mode) == .file else { return .leftOut(\.notAPicture) }
      length = try readHead(of: file.number)
    } catch {
      if error.number == ENOENT, !named { return .gone }
      if error.number == ELOOP, !follow { return .leftOut(\.link) }
      return .failed(.unreadable("a file that can be read", error))
    }
    let fileExtension = lowerCaseExtension(of: name)
    switch FileContent(of: Head(buffer[..<length]), extension: fileExtension) {
    case .raw: return .leftOut(\.raw)
    case .picture(let format):
      guard formats.contains(format) else { return .off(format) }
      return .picture(format, seconds: Int64(status.st_mtim.tv_sec))
    case .noPicture:
      guard named || promising.contains(fileExtension) else { return .leftOut(\.notAPicture) }
      return .failed(
        ItemError(
          .notAPicture,
          expected: "a picture",
          received: length == 0 ? "an empty file" : "content of no format that is known here"
        )
      )
    }
  }

  private mutating func readHead(of file: Int32) throws(SystemError) -> Int {
    var length = 0
    while length < buffer.count {
      // `withUnsafeMutableBytes` does not pass a typed error on.
      let got = buffer.withUnsafeMutableBytes { bytes in
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[length...])
        return Result { () throws(SystemError) in
          try System.attempt(.read) {
            pread(file, rest.baseAddress, min($0, rest.count), off_t(length))
          }
        }
      }
      let count = try got.get()
      if count == 0 { break }
      length += count
    }
    return length
  }
}

extension ItemError {
  static func unreadable(_ expected: String, _ error: SystemError) -> ItemError {
    ItemError(.unreadable, expected: expected, received: error.reason)
  }
}

/// What stands behind the last dot, with ASCII letters made small; empty where there is none.
///
/// A leading dot begins no extension.
private func lowerCaseExtension(of name: some Collection<UInt8>) -> String {
  let name = Array(name.suffix(longestExtension + 1))
  guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return "" }
  let letters = name[(dot + 1)...].map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
  return String(decoding: letters, as: UTF8.self)
}

/// No extension that means anything here is longer; ends of names are looked at, not whole ones.
private let longestExtension = 8
