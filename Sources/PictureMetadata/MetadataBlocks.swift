/// What a picture file says of itself beside its pixels, as blocks of bytes.
public struct MetadataBlocks: Sendable, Equatable {
  /// A TIFF structure; before it is edited there may be "Exif\0\0" before it.
  public var exif: [UInt8]?
  /// A packet.
  public var xmp: [UInt8]?
  /// Photoshop's image resources with IPTC data sets in them, or a bare list of data sets.
  public var iptc: [UInt8]?
  /// Free text, as JPEG has it.
  public var comments: [[UInt8]] = []
  /// What the file has of these kinds beside the blocks that were read.
  public var unread: Set<UnreadBlock> = []
  /// The maker notes stand elsewhere than where they were written.
  public var hasMovedMakerNote = false

  public init() {}

  /// Blocks that say a resolution and nothing else, for a container with no other place for it.
  ///
  /// `perInch`: in pixels per inch.
  public init(resolution perInch: Double) {
    let order = ByteOrder.little
    let value = order.bytes(Int((perInch * 1000).rounded()), count: 4) + order.bytes(1000, count: 4)
    exif = ExifWriter(order: order).block([
      .picture: [
        .init(tag: ExifNumber.xResolution, type: 5, count: 1, value: value),
        .init(tag: ExifNumber.yResolution, type: 5, count: 1, value: value),
        // 2 is an inch.
        .init(tag: ExifNumber.resolutionUnit, type: 3, count: 1, value: order.bytes(2, count: 2)),
      ]
    ])
  }

  /// Takes what one segment of a file says, the first block and what continues it.
  ///
  /// A block of more than a segment holds goes on in the next one: that begins with no byte order, as
  /// exiftool writes it.
  public mutating func add(exif segment: [UInt8]) {
    if let exif {
      if ByteOrder(mark: segment.prefix(2)) == nil, !unread.contains(.further(.exif)) {
        self.exif = exif + segment
      } else {
        unread.insert(.further(.exif))
      }
    } else {
      exif = segment
    }
  }

  public var isEmpty: Bool { exif == nil && xmp == nil && iptc == nil && comments.isEmpty }

  /// The blocks as a policy wants them and with what is true of the pixels.
  ///
  /// - Parameters:
  ///   - policy: what is kept.
  ///   - truth: what is true of the file that they go to.
  ///   - losses: what was lost that the policy would have kept.
  /// - Returns: blocks of which each says something.
  public func edited(
    _ policy: MetadataPolicy,
    _ truth: MetadataTruth,
    losses: inout [MetadataLoss]
  ) -> MetadataBlocks {
    var result = MetadataBlocks()
    guard policy != .none else { return result }
    result.exif = exif.flatMap { editedEXIF($0, policy, truth, &losses) }
    if let xmp {
      var lost = false
      switch XMPPacket(xmp).edited(policy, truth, lost: &lost) {
      case .written(let packet): result.xmp = packet
      case .unreadable: losses.append(.unreadable("XMP"))
      }
      if lost { losses.append(.extendedXMP) }
    }
    result.iptc = iptc.flatMap { editedIPTC($0, policy, truth, &losses) }
    if policy.keepsText(nil) { result.comments = comments }
    losses += unread.filter { policy.keepsSome(of: $0.kind) }
      .sorted { $0.kind.rawValue < $1.kind.rawValue }.map(MetadataLoss.unread)
    return result
  }

  // MARK: EXIF

  private func editedEXIF(
    _ bytes: [UInt8],
    _ policy: MetadataPolicy,
    _ truth: MetadataTruth,
    _ losses: inout [MetadataLoss]
  ) -> [UInt8]? {
    // Read once more as stated: a number that is in its entry now no longer leads to its old place.
    guard let stated = ExifBlock(bytes)?.stating(truth), var block = ExifBlock(stated) else {
      losses.append(.unreadable("EXIF"))
      return nil
    }
    let note = block.directory(.exposure)?.entries.first { $0.tag == ExifNumber.makerNote }?.value
    guard policy.keepsWhole(.exif) else {
      guard
        let fields = block.fields({ policy.keepsEXIF($0, $1.tag) && !Self.isForeign($0, $1.tag) })
      else {
        losses.append(.unreadable("EXIF"))
        return nil
      }
      if note != nil, policy.keepsEXIF(.exposure, ExifNumber.makerNote) {
        losses.append(.makerNotesMoved)
      }
      return ExifWriter(order: block.order).block(fields)
    }
    if policy == .noLocation, block.hasConfusedDirectories {
      losses.append(.unreadable("EXIF"))
      return nil
    }
    if truth.isEncoded, block.directory(.thumbnail) != nil {
      losses.append(.thumbnail)
    }
    if hasMovedMakerNote, note != nil { losses.append(.makerNotesMoved) }
    if policy == .noLocation, let note {
      for range in MakerNotePlace.ranges(in: block, note: note) { block.bytes.clear(range) }
    }
    // Maker notes may lead to bytes that nothing else leads to.
    let clearsUnknown = policy == .noLocation && (note == nil || block.hasLostPlaces)
    let edited = block.removing(clearsUnknown: clearsUnknown) { directory, entry in
      Self.isForeign(directory, entry.tag)
        || (directory == .thumbnail ? truth.isEncoded : !policy.keepsEXIF(directory, entry.tag))
    }
    return ExifBlock(edited)?.directories.contains { !$0.entries.isEmpty } == true ? edited : nil
  }

  private static func isForeign(_ directory: ExifDirectoryKind, _ tag: Int) -> Bool {
    directory == .picture && ExifNumber.foreign.contains(tag)
  }

  // MARK: IPTC

  private func editedIPTC(
    _ bytes: [UInt8],
    _ policy: MetadataPolicy,
    _ truth: MetadataTruth,
    _ losses: inout [MetadataLoss]
  ) -> [UInt8]? {
    guard var resources = PhotoshopResources(bytes) else {
      losses.append(.unreadable("IPTC"))
      return nil
    }
    if policy == .all {
      if resources.hasThumbnail, truth.isEncoded { losses.append(.thumbnail) }
      if truth.isEncoded { resources.removeStale() }
      return resources.bytes
    }
    resources.keepIPTC(andRights: policy.keepsWhole(.iptc) || policy == .copyright)
    if let list = resources.iptc {
      let kept = IPTCRecords.filtered(list, keeping: policy.keepsIPTC)
      if kept == nil { losses.append(.unreadable("IPTC")) }
      resources.replaceIPTC(kept)
    }
    return resources.bytes
  }
}

/// A block that nobody has read.
public enum UnreadBlock: Sendable, Hashable {
  /// One of its kind was read, and this is another one.
  case further(MetadataKind)
  case compressed(MetadataKind)

  public var kind: MetadataKind {
    switch self {
    case .further(let kind), .compressed(let kind): kind
    }
  }
}

/// What a policy would have kept, and could not be kept as it was.
public enum MetadataLoss: Sendable, Equatable {
  /// A block that cannot be read cannot be made true.
  case unreadable(String)
  /// An embedded thumbnail showed the picture as it was.
  case thumbnail
  /// Maker notes stand elsewhere than their maker put them.
  case makerNotesMoved
  /// The part of XMP that a JPEG has in segments of its own.
  case extendedXMP
  case unread(UnreadBlock)
}
