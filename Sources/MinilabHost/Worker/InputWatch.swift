import Glibc
import MinilabKit

/// The files that a unit is made of, from before they are read until what was read is told by a digest.
///
/// A file that changes meanwhile gets no digest, so that the next run takes it for changed.
struct InputWatch {
  let paths: [Path]
  /// Nil where there is no file.
  let stamps: [FileStamp?]
  private let areSettled: [Bool]
  /// Digests that were needed before.
  private var known: [Int: ContentDigest] = [:]
  /// Tells the digest of the only file.
  private var aside: DigestAside?

  init(_ paths: [Path]) {
    self.paths = paths
    let now = FileStamp.now
    stamps = paths.map { (try? fileStatus(of: $0)).map(FileStamp.init) }
    areSettled = stamps.map { $0?.isSettled(at: now) ?? true }
  }

  /// Begins to tell the digest of a large file, aside; of a group nothing, which has many.
  mutating func begin() {
    guard paths.count == 1, known.isEmpty, let stamp = stamps[0], stamp.size >= DigestAside.large,
      let file = try? openFile(paths[0].bytes[...]), isUnchanged(file.number, stamp)
    else { return }
    aside = DigestAside(of: file)
  }

  /// The digest of a file; nil where it cannot be told.
  mutating func digest(_ place: Int) -> ContentDigest? {
    if let digest = known[place] { return digest }
    if let aside, let stamp = stamps[place], let digest = aside.wait(),
      isUnchanged(aside.descriptor, stamp)
    {
      known[place] = digest
      return digest
    }
    guard let stamp = stamps[place],
      let file = try? openFile(paths[place].bytes[...]),
      isUnchanged(file.number, stamp),
      let digest = try? ContentDigest(ofFile: file.number),
      isUnchanged(file.number, stamp)
    else { return nil }
    known[place] = digest
    return digest
  }

  /// What the ledger is told.
  mutating func finding(_ place: Int) -> InputFinding {
    InputFinding(stamp: areSettled[place] ? stamps[place] : nil, digest: digest(place))
  }

  mutating func findings() -> [InputFinding] { paths.indices.map { finding($0) } }
}

private func isUnchanged(_ descriptor: Int32, _ stamp: FileStamp) -> Bool {
  guard let status = try? System.status(of: descriptor) else { return false }
  return status.st_mode & S_IFMT == S_IFREG && FileStamp(status) == stamp
}

extension UnitRequest {
  /// The files of its items.
  var inputs: [Path] { group?.members.map(\.input) ?? [input] }
}
