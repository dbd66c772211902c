import V4L2

@testable import MinilabHost
@testable import MinilabKit
@testable import PictureMetadata

/// What pictures say of themselves, as blocks of bytes.
let blockTargets = [
  Target("exif") { bytes in
    checkEdited(bytes, { MetadataBlocks(exif: $0) }, { $0.exif }, growth: 64)
    _ = MetadataBlocks(exif: bytes).datesTaken
    _ = MultiPictureIndex(bytes)
  },
  Target("xmp") { bytes in
    checkEdited(
      bytes,
      { block in
        var blocks = MetadataBlocks()
        blocks.xmp = block
        return blocks
      },
      { $0.xmp },
      // An entity may stand for each character.
      growth: bytes.count * 8 + 4096
    )
  },
  Target("iptc", [readIPTC, readRawProfile]),
  Target("icc", needsVips: true) { bytes in
    let profile = ICCProfile(bytes)
    _ = profile.shown
    _ = profile.faultAsTarget
    _ = profile.fault(isGray: true)
    _ = profile.fault(isGray: false)
    _ = MatrixShaper(profile)
    _ = profile.isSRGB || profile.isGrayOfSRGB
    require(profile.meansTheSame(as: profile), "not what it is itself")
  },
]

@Sendable
func readFrame(_ bytes: [UInt8]) {
  _ = try? MotionJPEG.size(of: bytes)
  _ = try? MotionJPEG.meanLuma(of: bytes)
  if let bare = try? MotionJPEG.withoutTables(bytes) {
    require(bare.count <= bytes.count, "grown by what was left out")
  }
  guard let whole = try? MotionJPEG.repaired(bytes) else { return }
  require(whole.starts(with: [0xff, 0xd8]) && whole.suffix(2) == [0xff, 0xd9], "no JPEG")
  require(whole.count <= bytes.count + 4 * 420, "grown by more than tables")
  require((try? MotionJPEG.repaired(whole)) == whole, "repaired, and broken")
}

@Sendable
private func readIPTC(_ bytes: [UInt8]) {
  checkEdited(bytes, { MetadataBlocks(iptc: $0) }, { $0.iptc }, growth: 64)
}

@Sendable
private func readRawProfile(_ bytes: [UInt8]) {
  let parts = parts(bytes, 2)
  var blocks = MetadataBlocks()
  RawProfile(key: "Raw profile type " + text(parts[0]), text: text(parts[1]))?.add(to: &blocks)
  let sizes = [blocks.exif, blocks.xmp, blocks.iptc].compactMap { $0?.count }
  require(sizes.reduce(0, +) <= parts[1].count / 2, "more bytes than digits")
}

private let policies: [MetadataPolicy] = [
  .all, .copyright, .noLocation,
  .only(
    ["exif:MakerNote", "exif:GPSLatitude", "xmp:dc:*", "iptc:Byline"].compactMap(MetadataName.init)
  ),
]

/// What is true of a picture that was encoded anew.
private let truth: MetadataTruth = {
  var truth = MetadataTruth()
  truth.orientation = 1
  truth.width = 70_000
  truth.height = 100
  truth.resolution = 300
  truth.colorSpace = 65_535
  return truth
}()

/// A block that was edited does not grow, can be read, and is not changed by the same edit again.
private func checkEdited(
  _ bytes: [UInt8],
  _ make: ([UInt8]) -> MetadataBlocks,
  _ take: (MetadataBlocks) -> [UInt8]?,
  growth: Int
) {
  for policy in policies {
    for isEncoded in [true, false] {
      var truth = truth
      truth.isEncoded = isEncoded
      var losses: [MetadataLoss] = []
      guard let once = take(make(bytes).edited(policy, truth, losses: &losses)) else { continue }
      require(once.count <= bytes.count + growth, "\(policy): grown to \(once.count)")
      losses = []
      let twice = take(make(once).edited(policy, truth, losses: &losses))
      require(
        !losses.contains { if case .unreadable = $0 { true } else { false } },
        "\(policy): what was written cannot be read"
      )
      if isTidy(once) {
        require(twice == once, "\(policy), \(isEncoded): changed by the same edit again")
      }
    }
  }
}

/// False for EXIF whose directories stand on each other or on values: what is done to one is done to
/// another, too.
private func isTidy(_ bytes: [UInt8]) -> Bool {
  guard let block = ExifBlock(bytes) else { return true }
  let directories = [0..<8] + block.directories.map(\.range)
  let values = block.directories.flatMap { directory in
    directory.entries.compactMap { $0.isInline ? nil : $0.value }
  }
  return directories.indices.allSatisfy { index in
    !directories[(index + 1)...].contains { $0.overlaps(directories[index]) }
      && !values.contains { $0.overlaps(directories[index]) }
  }
}

extension MetadataBlocks {
  fileprivate init(exif: [UInt8]? = nil, iptc: [UInt8]? = nil) {
    self.init()
    self.exif = exif
    self.iptc = iptc
  }
}
