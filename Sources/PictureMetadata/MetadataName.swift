/// A kind of metadata or one tag of it, as a profile names it: `exif`, `exif:Artist`,
/// `xmp:dc:rights`, `iptc:Byline`.
public enum MetadataName: Sendable, Equatable {
  case kind(MetadataKind)
  case exif(ExifTag)
  /// Without a name: all of the namespace.
  case xmp(XMPNamespace, String?)
  case iptc(IPTCTag)

  /// Nil where there is no such name.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 1, let kind = MetadataKind(rawValue: text) {
      self = .kind(kind)
    } else if parts.count == 2, parts[0] == "exif",
      let tag = ExifTag.all.first(where: { $0.name == parts[1] })
    {
      self = .exif(tag)
    } else if parts.count == 2, parts[0] == "iptc",
      let tag = IPTCTag.all.first(where: { $0.name == parts[1] })
    {
      self = .iptc(tag)
    } else if parts.count == 3, parts[0] == "xmp",
      let namespace = XMPNamespace.known.first(where: { $0.prefix == parts[1] }),
      parts[2] == "*" || namespace.has(parts[2])
    {
      self = .xmp(namespace, parts[2] == "*" ? nil : parts[2])
    } else {
      return nil
    }
  }

  var kind: MetadataKind {
    switch self {
    case .kind(let kind): kind
    case .exif: .exif
    case .xmp: .xmp
    case .iptc: .iptc
    }
  }

  public var text: String {
    switch self {
    case .kind(let kind): kind.rawValue
    case .exif(let tag): "exif:\(tag.name)"
    case .xmp(let namespace, let name): "xmp:\(namespace.prefix):\(name ?? "*")"
    case .iptc(let tag): "iptc:\(tag.name)"
    }
  }

  /// Names that a misspelt one may have meant.
  public static func candidates(for text: String) -> [String] {
    let kinds = MetadataKind.allCases.map(\.rawValue)
    switch text.prefix(while: { $0 != ":" }) {
    case "exif": return ExifTag.all.map { "exif:\($0.name)" }
    case "iptc": return IPTCTag.all.map { "iptc:\($0.name)" }
    case "xmp":
      let parts = text.split(separator: ":").map(String.init)
      let exact = XMPNamespace.known.filter { parts.count > 1 && $0.prefix == parts[1] }
      // The part behind a prefix that is not known says what was meant as well.
      let ending = parts.count > 2 ? parts[2] : "*"
      return exact.isEmpty
        ? XMPNamespace.known.map { "xmp:\($0.prefix):\(ending)" }
        : exact.flatMap { namespace in
          (namespace.names + ["*"]).map { "xmp:\(namespace.prefix):\($0)" }
        }
    default: return kinds
    }
  }
}
