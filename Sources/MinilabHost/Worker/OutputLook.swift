import Glibc
import MinilabKit

/// A look at a file under an output's name.
struct OutputLook {
  private let path: Path
  private let full: Path

  init(_ root: Path, _ path: Path) {
    self.path = path
    full = root.appending(path)
  }

  /// Its content; nil where no regular file is there that can be read.
  var file: (stamp: FileStamp, digest: ContentDigest)? {
    // A link of that name is none of ours.
    guard let file = try? openFile(full.bytes[...], flags: Int32(O_NOFOLLOW)),
      let status = try? System.status(of: file.number), status.st_mode & S_IFMT == S_IFREG,
      let digest = try? ContentDigest(ofFile: file.number)
    else { return nil }
    return (FileStamp(status), digest)
  }

  /// What is to become of it.
  func fate(_ order: OutputOrder, inputIsChanged: Bool) -> OutputFate {
    if order.isLeft { return .kept }
    let reason = order.reason == nil && inputIsChanged ? .inputChanged : order.reason
    let whole = reason.map(OutputFate.make)
    guard let look = order.look else { return whole ?? .kept }
    var status = stat()
    let isThere = full.withCString { lstat($0, &status) } == 0
    guard isThere else { return whole ?? .make(.outputMissing) }
    // What it is cannot be told: somebody has put it there.
    guard let file else { return .altered(FileStamp(status)) }
    if file.digest == look.known.first { return whole ?? .sound(file.stamp) }
    // Renamed by a run of which the disk has lost the last moments, or damaged by it.
    if look.isDoubtful || look.known.contains(file.digest) { return whole ?? .make(.outputDamaged) }
    guard isPicture else { return whole ?? .make(.outputDamaged) }
    return look.mayBeOurs ? .compare(reason ?? .unfinished, file.stamp) : .altered(file.stamp)
  }

  /// It can be decoded to its end.
  private var isPicture: Bool {
    var inspector = Inspector(Set(PictureFormat.allCases))
    let found = inspector.inspect(full.bytes[...], in: AT_FDCWD, follow: false, named: true)
    guard case .picture(let format, _) = found else { return false }
    return switch DamageCheck(policy: InputPolicy()).fault(of: full, format)?.code {
    case .damaged, .unreadable, .unsupported: false
    // Larger than an input may be, it is a picture all the same.
    default: true
    }
  }
}
