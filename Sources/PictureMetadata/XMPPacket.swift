internal import CExempi
internal import Glibc
internal import Synchronization

/// An XMP packet that is being edited.
///
/// A packet that nothing is changed in stays as it is, byte by byte.
struct XMPPacket {
  let bytes: [UInt8]

  /// What has become of a packet.
  enum Result {
    /// Nil where nothing is left that says anything.
    case written([UInt8]?)
    case unreadable
  }

  private struct Property {
    let schema: String
    let path: String

    /// The names on its path, without prefixes and places in arrays.
    var names: [String] {
      path.split(separator: "/").map { part in
        let name = part.prefix { $0 != "[" }
        return String(name.split(separator: ":", maxSplits: 1).last ?? name)
      }
    }
  }

  init(_ packet: [UInt8]) {
    // Some writers end a packet with zeros.
    bytes = Array(packet.prefix((packet.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  /// exempi has one table of namespaces for the process: one packet at a time.
  private static let turn = Mutex(())

  /// Removes what a policy does not keep, and what is no longer true.
  ///
  /// `lost`: set where the packet says that there was more of it.
  func edited(_ policy: MetadataPolicy, _ truth: MetadataTruth, lost: inout Bool) -> Result {
    guard XMPScan.isFitToRead(bytes) else { return .unreadable }
    return Self.turn.withLock { _ in
      guard let opened = Self.opened(bytes) else { return .unreadable }
      defer { cexempi_close(opened) }
      let properties = Self.properties(of: opened)
      let removals = Self.removals(properties, policy, truth, &lost)
      // From the end, so that places in an array stay what they are.
      for property in removals.reversed() { cexempi_remove(opened, property.schema, property.path) }
      let isStated = Self.state(truth, in: opened)
      if removals.isEmpty, !isStated { return .written(properties.isEmpty ? nil : bytes) }
      if Self.properties(of: opened).isEmpty { return .written(nil) }
      return Self.written(opened).map { .written($0) } ?? .unreadable
    }
  }

  /// The values of properties at the top, each under the prefix of its namespace, as far as they are there.
  func values(_ names: [(schema: String, name: String)]) -> [String] {
    guard XMPScan.isFitToRead(bytes) else { return [] }
    return Self.turn.withLock { _ in
      guard let opened = Self.opened(bytes) else { return [] }
      defer { cexempi_close(opened) }
      return names.compactMap { Self.text($0.name, $0.schema, of: opened) }
    }
  }

  /// To be closed.
  private static func opened(_ bytes: [UInt8]) -> OpaquePointer? {
    bytes.withUnsafeBytes { buffer in
      buffer.baseAddress.flatMap {
        cexempi_open($0.assumingMemoryBound(to: CChar.self), buffer.count)
      }
    }
  }

  // MARK: What goes

  private static func removals(
    _ properties: [Property],
    _ policy: MetadataPolicy,
    _ truth: MetadataTruth,
    _ lost: inout Bool
  ) -> [Property] {
    var removals: [Property] = []
    for property in properties {
      // What is below it goes with it.
      if let last = removals.last, last.schema == property.schema,
        property.path.hasPrefix(last.path + "/") || property.path.hasPrefix(last.path + "[")
      {
        continue
      }
      let names = property.names
      guard let first = names.first else { continue }
      let isTop = !property.path.contains { $0 == "/" || $0 == "[" }
      if property.schema == XMPNamespace.note, first == "HasExtendedXMP" { lost = true }
      let isStale =
        isTop
        && (property.schema == XMPNamespace.note
          || XMPNamespace.isOfOtherPicture(property.schema, first)
          || truth.isEncoded && property.schema == XMPNamespace.xmp && first == "Thumbnails")
      if isStale || !policy.keepsXMP(property.schema, names) { removals.append(property) }
    }
    return removals
  }

  /// In the order of the packet, those above before those below.
  private static func properties(of packet: OpaquePointer) -> [Property] {
    var properties: [Property] = []
    withUnsafeMutablePointer(to: &properties) {
      cexempi_visit(packet, $0) { context, schema, path in
        context?.assumingMemoryBound(to: [Property].self).pointee
          .append(Property(schema: String(cString: schema), path: String(cString: path)))
      }
    }
    return properties
  }

  // MARK: What is true

  /// Sets what the packet says of the pixels, where it says something of it.
  ///
  /// - Returns: whether that has changed anything.
  private static func state(_ truth: MetadataTruth, in packet: OpaquePointer) -> Bool {
    let resolution = truth.resolution.map { "\(Int(($0 * 1000).rounded()))/1000" }
    let (across, down) =
      truth.swapsResolution && resolution == nil
      ? (text("tiff:YResolution", of: packet), text("tiff:XResolution", of: packet))
      : (resolution, resolution)
    let values: [(schema: String, name: String, value: String?)] = [
      (XMPNamespace.tiff, "tiff:Orientation", truth.orientation.map(String.init)),
      (XMPNamespace.tiff, "tiff:ImageWidth", truth.width.map(String.init)),
      (XMPNamespace.tiff, "tiff:ImageLength", truth.height.map(String.init)),
      (XMPNamespace.exif, "exif:PixelXDimension", truth.width.map(String.init)),
      (XMPNamespace.exif, "exif:PixelYDimension", truth.height.map(String.init)),
      (XMPNamespace.tiff, "tiff:XResolution", down == nil ? nil : across),
      (XMPNamespace.tiff, "tiff:YResolution", across == nil ? nil : down),
      (XMPNamespace.tiff, "tiff:ResolutionUnit", resolution.map { _ in "2" }),
      (XMPNamespace.exif, "exif:ColorSpace", truth.colorSpace.map(String.init)),
    ]
    var isChanged = false
    for (schema, name, value) in values {
      guard let value else { continue }
      guard let before = text(name, schema, of: packet), before != value else { continue }
      cexempi_set(packet, schema, name, value)
      isChanged = true
    }
    return isChanged
  }

  /// Nil where the packet says nothing of it.
  private static func text(
    _ name: String,
    _ schema: String = XMPNamespace.tiff,
    of packet: OpaquePointer
  ) -> String? {
    var buffer = [CChar](repeating: 0, count: 64)
    guard cexempi_get(packet, schema, name, &buffer, buffer.count) else { return nil }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
      as: UTF8.self
    )
  }

  // MARK: Writing

  private static let opening =
    "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
  private static let closing = "\n<?xpacket end=\"w\"?>"

  private static func written(_ packet: OpaquePointer) -> [UInt8]? {
    var count = 0
    guard let text = cexempi_write(packet, &count) else { return nil }
    defer { free(text) }
    let body = UnsafeRawBufferPointer(start: text, count: count)
    return Array(opening.utf8) + Array(body) + Array(closing.utf8)
  }
}
