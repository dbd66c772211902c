internal import CVips
internal import CVipsShim

/// Metadata fields by libvips' names: `exif-data`, `icc-profile-data`, `orientation`, `n-pages` …
extension Image {
  /// The names of all fields.
  ///
  /// Bytes that are no UTF-8 are replaced.
  public var fieldNames: [String] {
    guard let fields = vips_image_get_fields(pointer) else { return [] }
    defer { g_strfreev(fields) }
    var names: [String] = []
    var next = fields
    while let name = next.pointee {
      names.append(String(cString: name))
      next += 1
    }
    return names
  }

  public func has(_ name: String) -> Bool { vips_image_get_typeof(pointer, name) != 0 }

  /// A whole number, nil where the field is missing or something else.
  public func int(_ name: String) -> Int? {
    var value: Int32 = 0
    guard has(name) else { return nil }
    guard vips_image_get_int(pointer, name, &value) == 0 else {
      vips_error_clear()
      return nil
    }
    return Int(value)
  }

  /// A field as text, nil where it is missing.
  ///
  /// Bytes that are no UTF-8 are replaced.
  public func string(_ name: String) -> String? {
    guard has(name) else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    guard vips_image_get_as_string(pointer, name, &text) == 0, let text else {
      vips_error_clear()
      return nil
    }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// A field of bytes, nil where it is missing or something else.
  public func blob(_ name: String) -> [UInt8]? {
    var length = 0
    guard let bytes = cvips_metadata_blob(pointer, name, &length) else { return nil }
    return Array(UnsafeRawBufferPointer(start: bytes, count: length))
  }

  /// Sets a field.
  ///
  /// Only on a fresh `copy()`.
  public func set(_ name: String, int value: Int) {
    vips_image_set_int(pointer, name, Int32(value))
  }

  /// A field of whole numbers, nil where it is missing or something else.
  public func ints(_ name: String) -> [Int]? {
    guard has(name) else { return nil }
    var numbers: UnsafeMutablePointer<Int32>?
    var count: Int32 = 0
    guard vips_image_get_array_int(pointer, name, &numbers, &count) == 0, let numbers else {
      vips_error_clear()
      return nil
    }
    return UnsafeBufferPointer(start: numbers, count: Int(count)).map(Int.init)
  }

  /// Sets a field.
  ///
  /// Only on a fresh `copy()`.
  public func set(_ name: String, ints values: [Int]) {
    let values = values.map { Int32(clamping: $0) }
    vips_image_set_array_int(pointer, name, values, Int32(values.count))
  }

  /// Sets a field.
  ///
  /// Only on a fresh `copy()`.
  public func set(_ name: String, blob bytes: [UInt8]) {
    bytes.withUnsafeBytes {
      if let base = $0.baseAddress { cvips_set_metadata_blob(pointer, name, base, $0.count) }
    }
  }

  /// Sets a field.
  ///
  /// Only on a fresh `copy()`.
  public func set(_ name: String, string text: String) {
    vips_image_set_string(pointer, name, text)
  }

  /// Removes a field if it is there.
  ///
  /// Only on a fresh `copy()`.
  public func remove(_ name: String) {
    vips_image_remove(pointer, name)
  }
}
