internal import CVipsShim
internal import Glibc

/// Bytes under a file name, for operations that read only files.
///
/// - Parameters:
///   - bytes: What the file holds.
///   - body: Is handed the name, which is good until it returns.
/// - Returns: What `body` gives.
/// - Throws: `VipsError` where there is no memory, and what `body` throws.
public func withFile<Result>(
  of bytes: [UInt8],
  _ body: (String) throws -> Result
) throws -> Result {
  let file = bytes.withUnsafeBytes { buffer in
    buffer.baseAddress.map { cvips_memory_file($0, buffer.count) } ?? -1
  }
  guard file >= 0 else { throw VipsError(operation: "memfd_create", text: "no file in memory") }
  defer { close(file) }
  return try body("/proc/self/fd/\(file)")
}
