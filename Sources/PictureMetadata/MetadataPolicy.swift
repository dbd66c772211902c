/// Which metadata of a picture goes to an output.
public enum MetadataPolicy: Sendable, Equatable {
  case all
  case none
  /// Who made the picture, who owns it, and what may be done with it.
  case copyright
  /// Everything but the place that the picture shows or was taken at.
  case noLocation
  /// The kinds and tags that are named.
  case only([MetadataName])

  /// Whole blocks stay as they are, but for single entries.
  public func keepsWhole(_ kind: MetadataKind) -> Bool {
    switch self {
    case .all, .noLocation: true
    case .none, .copyright: false
    case .only(let names): names.contains(.kind(kind))
    }
  }

  /// Something of a kind may be kept.
  func keepsSome(of kind: MetadataKind) -> Bool {
    switch self {
    case .all, .noLocation: true
    case .none: false
    case .copyright: kind != .comment
    case .only(let names): names.contains { $0.kind == kind }
    }
  }

  // MARK: EXIF

  func keepsEXIF(_ directory: ExifDirectoryKind, _ tag: Int) -> Bool {
    switch self {
    case .all: true
    case .none: false
    case .copyright: directory == .picture && Self.exifRights.contains(tag)
    case .noLocation: directory != .gps
    case .only(let names):
      names.contains(.kind(.exif))
        || names.contains {
          if case .exif(let named) = $0 {
            named.number == tag && named.isIn(directory)
          } else {
            false
          }
        }
    }
  }

  private static let exifRights: Set<Int> = [
    ExifNumber.artist, ExifNumber.copyright, ExifNumber.xpAuthor,
  ]

  // MARK: IPTC

  func keepsIPTC(_ record: Int, _ number: Int) -> Bool {
    switch self {
    case .all: return true
    case .none: return false
    case .copyright:
      return Self.isIPTCFrame(record, number) || record == 2 && Self.iptcRights.contains(number)
    case .noLocation: return !(record == 2 && Self.iptcPlaces.contains(number))
    case .only(let names):
      return names.contains(.kind(.iptc)) || Self.isIPTCFrame(record, number)
        || names.contains {
          if case .iptc(let named) = $0 {
            named.record == record && named.number == number
          } else {
            false
          }
        }
    }
  }

  /// What says how the other data sets are to be read: the records' versions and the character set
  /// (IPTC-IIM 4.2, 1:00, 1:90, 2:00).
  static func isIPTCFrame(_ record: Int, _ number: Int) -> Bool {
    (record, number) == (1, 0) || (record, number) == (1, 90) || (record, number) == (2, 0)
  }

  /// By-line, By-line Title, Credit, Source, Copyright Notice, Contact.
  private static let iptcRights: Set<Int> = [80, 85, 110, 115, 116, 118]
  /// Content Location Code and Name, City, Sub-location, Province/State, Country Code and Name.
  private static let iptcPlaces: Set<Int> = [26, 27, 90, 92, 95, 100, 101]

  // MARK: XMP

  /// `path`: names from the top on, as in `["Iptc4xmpExt:LocationShown", "Iptc4xmpExt:City"]`, each
  /// without its prefix.
  func keepsXMP(_ schema: String, _ path: [String]) -> Bool {
    guard let name = path.first else { return true }
    switch self {
    case .all: return true
    case .none: return false
    case .copyright: return XMPNamespace.areRights(schema, name)
    case .noLocation: return !XMPNamespace.isPlace(schema, path)
    case .only(let names):
      return names.contains(.kind(.xmp))
        || names.contains {
          guard case .xmp(let namespace, let wanted) = $0 else { return false }
          return namespace.uri == schema && (wanted ?? name) == name
        }
    }
  }

  // MARK: Free text

  /// Of a text under a key, as PNG has them, or of a comment without one.
  public func keepsText(_ key: String?) -> Bool {
    switch self {
    case .all: return true
    case .none: return false
    case .copyright: return key.map { ["author", "copyright"].contains($0.lowercased()) } ?? false
    case .noLocation: return key.map { !XMPNamespace.soundsLikePlace($0) } ?? true
    case .only(let names): return names.contains(.kind(.comment))
    }
  }
}

/// The kinds of metadata that a profile may name.
public enum MetadataKind: String, Sendable, CaseIterable {
  case exif
  case xmp
  case iptc
  /// Free text in a file: a JPEG's comments, the texts of a PNG.
  case comment
}
