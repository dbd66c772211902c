import CJpeg
import Glibc
import MinilabKit
import Vips

/// Tells whether a picture is damaged, where decoding it has not failed but raised a doubt.
///
/// A JPEG with an end marker in its middle decodes without an error, and the missing rows are gray.
/// The decoder warns of that, and of much that is harmless; only where it has warned is a file
/// looked at more closely.
struct DamageCheck {
  let policy: InputPolicy

  /// How often decoders have warned since the log was taken last.
  ///
  /// To be asked when pipelines are gone; only then is the log whole.
  private static func warningCount() -> Int {
    let log = Log.take()
    return log.dropped + log.kept.count { $0.domain == "VIPS" }
  }

  /// Whether decoders have warned since the log was taken last.
  ///
  /// `pictures`: how many were decoded. Throws `ItemError` where they have warned too often.
  func hasWarned(of pictures: Int = 1) throws(ItemError) -> Bool {
    let count = Self.warningCount()
    if count > policy.maxWarnings * pictures {
      throw ItemError(
        .tooManyWarnings,
        expected:
          "a decoder that warns at most \(counted(policy.maxWarnings, "time")) \(LimitNames.shown("max-warnings"))",
        received: "\(count) warnings"
      )
    }
    return count > 0
  }

  /// A closer look at a file whose decoder has warned.
  func isDamaged(_ path: Path, _ format: PictureFormat) throws -> Bool {
    if format == .jpeg {
      let file = try Descriptor(opening: path, O_RDONLY)
      return cjpeg_state(file.number) == CJPEG_DAMAGED
    }
    // Where damage is refused the decoder has refused it already.
    if policy.damaged == .reject { return false }
    var strict = policy
    strict.damaged = .reject
    do {
      try OpenedPicture(path, format: format, policy: strict).decodeWhole()
      return false
    } catch {
      return true
    }
  }

  /// What is wrong with a picture, told by making all of its pixels, as they are handed to steps, and
  /// nothing else; nil for a good one.
  func fault(of path: Path, _ format: PictureFormat) -> ItemError? {
    _ = Log.take()
    defer { _ = Log.take() }
    do {
      let picture = try OpenedPicture(path, format: format, policy: policy.ofFirstPage)
      let pictures = UnitPictures([picture], policy: policy)
      _ = try pictures.image(of: Frame(picture.origin)).average()
    } catch let error as ItemError {
      return error
    } catch {
      return PictureProcessor.damaged(format)
    }
    guard policy.damaged == .reject, Self.warningCount() > 0,
      (try? isDamaged(path, format)) != false
    else { return nil }
    return PictureProcessor.damaged(format)
  }

  /// The decoder warned of a picture that is whole.
  static let warned = Note(.decoderWarned, "the decoder warned of the file, and read all of it")

  /// A damaged picture was used.
  static let used = Note(.damaged, "the file is damaged; what could be read was used")
}
