internal import CVips
internal import CVipsShim

/// Where a picture is read from.
///
/// Holds one reference.
public final class Source {
  let pointer: UnsafeMutablePointer<VipsSource>

  /// Reads from an open file.
  ///
  /// The descriptor is duplicated; the caller closes its own.
  public init(descriptor: Int32) throws(VipsError) {
    guard let pointer = vips_source_new_from_descriptor(descriptor) else {
      throw VipsError.taken(by: "vips_source_new_from_descriptor")
    }
    self.pointer = pointer
  }

  /// Reads from a copy of the bytes.
  public init(bytes: [UInt8]) throws(VipsError) {
    let blob = bytes.withUnsafeBytes { vips_blob_copy($0.baseAddress, $0.count) }
    guard let blob else { throw VipsError.taken(by: "vips_blob_copy") }
    defer { vips_area_unref(UnsafeMutableRawPointer(blob).assumingMemoryBound(to: VipsArea.self)) }
    guard let pointer = vips_source_new_from_blob(blob) else {
      throw VipsError.taken(by: "vips_source_new_from_blob")
    }
    self.pointer = pointer
  }

  deinit { cvips_unref(pointer) }
}

/// Where a picture is saved to.
///
/// Holds one reference.
public final class Target {
  let pointer: UnsafeMutablePointer<VipsTarget>

  /// Writes to an open file.
  ///
  /// The descriptor is duplicated; TIFF wants it open for reading too.
  public init(descriptor: Int32) throws(VipsError) {
    guard let pointer = vips_target_new_to_descriptor(descriptor) else {
      throw VipsError.taken(by: "vips_target_new_to_descriptor")
    }
    cvips_retry_interrupted_writes(pointer)
    self.pointer = pointer
  }

  /// Writes to memory; `bytes` has the result.
  public init() throws(VipsError) {
    guard let pointer = vips_target_new_to_memory() else {
      throw VipsError.taken(by: "vips_target_new_to_memory")
    }
    self.pointer = pointer
  }

  /// What was written to memory.
  public var bytes: [UInt8] {
    let object = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self)
    var length = 0
    guard let bytes = cvips_get_blob(object, "blob", &length) else { return [] }
    defer { g_free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: length))
  }

  deinit { cvips_unref(pointer) }
}
