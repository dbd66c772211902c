import COpenSSL

/// SHA-256 (FIPS 180-4) of what it is fed, by OpenSSL, which takes the processor's own instructions for it.
///
/// It owns its memory, which is taken once: pieces cost none.
struct SHA256: ~Copyable {
  /// Of a digest, in bytes.
  static let length = 32

  /// Looked for once, which takes longer than a short digest.
  ///
  /// `openssl.cnf` is not read: the environment may name another, which may put a library in OpenSSL's place.
  /// And nothing is taken apart at the end of the process, while other threads may still be at work.
  ///
  /// Unsafe by its name alone: it does not change once it is made, and threads may share it.
  private nonisolated(unsafe) static let algorithm: OpaquePointer = {
    let options = OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT
    guard OPENSSL_init_crypto(UInt64(options), nil) == 1,
      let found = EVP_MD_fetch(nil, "SHA256", nil)
    else { fatalError("libcrypto has no SHA-256") }
    return found
  }()

  private let context: OpaquePointer

  init() {
    guard let context = EVP_MD_CTX_new() else { fatalError("no memory for a digest") }
    self.context = context
    Self.check(EVP_DigestInit_ex2(context, Self.algorithm, nil))
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Makes everything ready that the first digest needs, for who gives up rights or memory after it.
  static func prepare() { _ = algorithm }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    Self.check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
  }

  /// Adds bytes and their count, so that no two rows of them are one.
  mutating func add(_ bytes: [UInt8]) {
    withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { update($0) }
    bytes.withUnsafeBytes { update($0) }
  }

  /// Adds a text and its length.
  mutating func add(_ text: String) { add(Array(text.utf8)) }

  /// The digest.
  consuming func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.length) { bytes, count in
      Self.check(EVP_DigestFinal_ex(context, bytes.baseAddress, nil))
      count = Self.length
    }
  }

  /// A digest that is wrong would have pictures passed over: rather none.
  private static func check(_ status: Int32) {
    if status != 1 { fatalError("libcrypto refuses to compute SHA-256") }
  }
}
