/// A namespace of XMP properties under its usual prefix.
///
/// In a packet the prefix may be another: what counts is the URI.
public struct XMPNamespace: Sendable, Equatable {
  public let prefix: String
  let uri: String
  /// The properties of its specification; empty where it is open.
  let names: [String]

  func has(_ name: String) -> Bool {
    names.isEmpty ? Self.isName(name) : names.contains(name)
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "/") && $0 < 0x7f }
  }

  static let dc = "http://purl.org/dc/elements/1.1/"
  static let tiff = "http://ns.adobe.com/tiff/1.0/"
  static let exif = "http://ns.adobe.com/exif/1.0/"
  static let xmp = "http://ns.adobe.com/xap/1.0/"
  static let rights = "http://ns.adobe.com/xap/1.0/rights/"
  static let photoshop = "http://ns.adobe.com/photoshop/1.0/"
  static let note = "http://ns.adobe.com/xmp/note/"
  static let creativeCommons = "http://creativecommons.org/ns#"
  static let plus = "http://ns.useplus.org/ldf/xmp/1.0/"
  static let terms = "http://purl.org/dc/terms/"
  static let iptcCore = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
  static let iptcExtension = "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"

  /// Those that a profile may name (XMP specification part 2; IPTC Photo Metadata Standard; Creative
  /// Commons; PLUS).
  static let known: [XMPNamespace] = [
    XMPNamespace(
      prefix: "dc",
      uri: dc,
      names: [
        "contributor", "coverage", "creator", "date", "description", "format", "identifier",
        "language", "publisher", "relation", "rights", "source", "subject", "title", "type",
      ]
    ),
    XMPNamespace(
      prefix: "xmpRights",
      uri: rights,
      names: ["Certificate", "Marked", "Owner", "UsageTerms", "WebStatement"]
    ),
    XMPNamespace(
      prefix: "photoshop",
      uri: photoshop,
      names: [
        "AuthorsPosition", "CaptionWriter", "Category", "City", "ColorMode", "Country", "Credit",
        "DateCreated", "Headline", "History", "ICCProfile", "Instructions", "Source", "State",
        "SupplementalCategories", "TransmissionReference", "Urgency",
      ]
    ),
    XMPNamespace(
      prefix: "Iptc4xmpCore",
      uri: iptcCore,
      names: [
        "AltTextAccessibility", "CountryCode", "CreatorContactInfo", "ExtDescrAccessibility",
        "IntellectualGenre", "Location", "Scene", "SubjectCode",
      ]
    ),
    XMPNamespace(prefix: "xmp", uri: xmp, names: []),
    XMPNamespace(prefix: "xmpMM", uri: "http://ns.adobe.com/xap/1.0/mm/", names: []),
    XMPNamespace(prefix: "tiff", uri: tiff, names: []),
    XMPNamespace(prefix: "exif", uri: exif, names: []),
    XMPNamespace(prefix: "exifEX", uri: "http://cipa.jp/exif/1.0/", names: []),
    XMPNamespace(prefix: "aux", uri: "http://ns.adobe.com/exif/1.0/aux/", names: []),
    XMPNamespace(prefix: "crs", uri: "http://ns.adobe.com/camera-raw-settings/1.0/", names: []),
    XMPNamespace(prefix: "lr", uri: "http://ns.adobe.com/lightroom/1.0/", names: []),
    XMPNamespace(prefix: "Iptc4xmpExt", uri: iptcExtension, names: []),
    XMPNamespace(prefix: "cc", uri: creativeCommons, names: []),
    XMPNamespace(prefix: "plus", uri: plus, names: []),
    XMPNamespace(prefix: "dcterms", uri: terms, names: []),
    XMPNamespace(prefix: "digiKam", uri: "http://www.digikam.org/ns/1.0/", names: []),
    XMPNamespace(
      prefix: "mwg-rs",
      uri: "http://www.metadataworkinggroup.com/schemas/regions/",
      names: []
    ),
    XMPNamespace(prefix: "GPano", uri: "http://ns.google.com/photos/1.0/panorama/", names: []),
  ]

  // MARK: What properties are about

  /// Maker, owner, and what may be done with the picture.
  static func areRights(_ schema: String, _ name: String) -> Bool {
    switch schema {
    case rights, creativeCommons, plus: true
    case dc: ["creator", "rights"].contains(name)
    case photoshop: ["AuthorsPosition", "Credit", "Source"].contains(name)
    case tiff: ["Artist", "Copyright"].contains(name)
    case iptcCore: name == "CreatorContactInfo"
    case terms: ["license", "rights", "rightsHolder"].contains(name)
    default: false
    }
  }

  /// The place that the picture shows or was taken at.
  ///
  /// A maker writes it under names of his own, so names count in every namespace. What a contact
  /// says is somebody's address, and no such place.
  static func isPlace(_ schema: String, _ path: [String]) -> Bool {
    guard let first = path.first, let last = path.last else { return false }
    if schema == iptcCore, first == "CreatorContactInfo" { return false }
    if schema == dc, first == "coverage" { return true }
    if placeSchemas.contains(where: schema.hasPrefix) { return true }
    return soundsLikePlace(last)
  }

  static func soundsLikePlace(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("gps") || placeNames.contains(name)
      || placeParts.contains { name.contains($0) }
  }

  /// Vocabularies of nothing but places: W3C's Basic Geo, GeoRSS, GML, GeoNames, OGC's GeoSPARQL.
  private static let placeSchemas = [
    "http://www.w3.org/2003/01/geo/", "http://www.georss.org/georss", "http://www.opengis.net/",
    "http://www.geonames.org/ontology", "https://www.geonames.org/ontology",
  ]
  private static let placeNames: Set<String> = [
    "city", "coordinates", "country", "countrycode", "countryname", "geo", "geopoint", "lat",
    "latlong", "latlng", "lng", "location", "locationcreated", "locationname", "locationshown",
    "lon", "long", "province", "provincestate", "shotlocation", "spatial", "state", "sublocation",
    "worldregion",
  ]
  private static let placeParts = ["latitude", "longitude", "longtitude", "geotag", "geolocation"]

  /// A second picture that says how much brighter than white each place is, and motion pictures:
  /// they stood in the file behind the picture.
  static func isOfOtherPicture(_ schema: String, _ name: String) -> Bool {
    switch schema {
    case "http://ns.adobe.com/hdr-gain-map/1.0/", "http://ns.apple.com/HDRGainMap/1.0/",
      "http://ns.google.com/photos/1.0/container/",
      "http://ns.google.com/photos/1.0/container/item/",
      "http://ns.apple.com/pixeldatainfo/1.0/", "http://ns.google.com/photos/1.0/depthmap/",
      "http://ns.google.com/photos/1.0/image/":
      true
    case "http://ns.google.com/photos/1.0/camera/":
      ["MotionPhoto", "MicroVideo"].contains { name.hasPrefix($0) }
    default: false
    }
  }
}
