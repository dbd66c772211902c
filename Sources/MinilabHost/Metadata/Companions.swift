import MinilabKit
import PictureMetadata
import Vips

/// What stands in a picture's file beside the picture, and is left behind where the picture is encoded.
struct Companions: Equatable {
  /// A second picture says how much brighter than white each place is.
  var hasGainMap = false
  /// The main picture at other sizes.
  var hasPreview = false
  /// What there is else, in words.
  var others: Set<String> = []
  /// A signature of the file as it was made (C2PA).
  var hasCredentials = false

  static let film = "the film of a motion photo"
  static let depth = "a depth map"
  static func pictures(_ count: Int) -> String {
    count == 1 ? "a second picture" : "\(count) further pictures"
  }

  init() {}

  init(_ format: PictureFormat, _ data: PictureData, _ header: Image) {
    if let packet = header.blob("xmp-data") { add(xmp: packet) }
    guard let file = try? data.reopened() else { return }
    switch format {
    case .jpeg: try? JPEGSegments(file.number)?.add(to: &self)
    case .heif, .avif: try? addAuxiliaries(FileBytes(descriptor: file.number))
    default: break
    }
  }

  /// What was lost with them.
  ///
  /// `policy`: of the output; a signature is metadata.
  func notes(_ policy: MetadataPolicy) -> [Note] {
    var notes: [Note] = []
    if hasGainMap { notes.append(Self.gainMapDropped) }
    if hasPreview {
      notes.append(Note(.thumbnailDropped, "a preview behind the picture was left out"))
    }
    if !others.isEmpty {
      let list = others.sorted().joined(separator: " and ")
      notes.append(Note(.attachmentDropped, "\(list) in the file was left out"))
    }
    if hasCredentials, policy == .all || policy == .noLocation {
      notes.append(
        Note(.metadataDropped, "content credentials (C2PA), which sign the file, were left out")
      )
    }
    return notes
  }

  static let gainMapDropped = Note(
    .gainMapDropped,
    "the gain map for HDR screens was left out"
  )

  // MARK: XMP

  /// What the packet of a picture says of others.
  ///
  /// Properties are looked for by the prefixes that their makers write.
  mutating func add(xmp packet: [UInt8]) {
    let text = String(decoding: packet, as: UTF8.self)
    func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
    if says("hdrgm:", "HDRGainMap:", "\"GainMap\"", ">GainMap<") { hasGainMap = true }
    if says("MotionPhoto=\"1\"", "MotionPhoto>1<", "MicroVideo=\"1\"", "MicroVideo>1<") {
      others.insert(Self.film)
    }
    if says("GDepth:", "\"Depth\"", ">Depth<") { others.insert(Self.depth) }
  }

  // MARK: HEIF and AVIF

  /// Pictures that say what they are to another one, and items made of a picture and its gain map
  /// (ISO/IEC 23008-12, 6.5.8; ISO/IEC 21496-1).
  private mutating func addAuxiliaries(_ file: FileBytes) throws {
    let end = try file.count
    if try MetaBox.child("mpvd", file, in: 0..<end) != nil { others.insert(Self.film) }
    guard let meta = try MetaBox.child("meta", file, in: 0..<end), meta.count >= 4 else { return }
    let boxes = (meta.lowerBound + 4)..<meta.upperBound
    if try HEIFItems(file.descriptor)?.has("tmap") == true { hasGainMap = true }
    guard let properties = try MetaBox.child("iprp", file, in: boxes),
      let list = try MetaBox.child("ipco", file, in: properties)
    else { return }
    for box in try MetaBox.all("auxC", file, in: list) {
      // A version and flags, then a name up to a zero.
      let bytes = try file.read(at: box.lowerBound, count: min(200, box.count)).dropFirst(4)
      add(auxiliary: String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
    }
  }

  private mutating func add(auxiliary name: String) {
    let name = name.lowercased()
    if name.contains("gainmap") {
      hasGainMap = true
    } else if name.contains("depth") || name == "urn:mpeg:hevc:2015:auxid:2" {
      others.insert(Self.depth)
    } else if name.contains("matte") {
      others.insert("a matte")
    }
  }
}
