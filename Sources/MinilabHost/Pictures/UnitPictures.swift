import Glibc
import MinilabKit
import Vips

/// The pixels of one unit, as its steps ask for them.
///
/// Sendable because a worker does one unit at a time, on one thread; only the closures of pixel
/// work, which libvips never keeps, see it.
final class UnitPictures: PictureMaker, @unchecked Sendable {
  private let raster: any Raster
  private let policy: InputPolicy
  private var limit: SizeLimit { SizeLimit(maxPixels: policy.maxPixels) }

  /// `raster`: what the unit's frames come from.
  init(_ raster: any Raster, policy: InputPolicy) {
    self.raster = raster
    self.policy = policy
  }

  /// The pixels of a frame, held in memory.
  func image(of frame: Frame) throws -> Image {
    try Renderer(raster: raster, limit: limit).image(of: frame).inMemory()
  }

  /// Made anew for each step that asks, so that it depends on the frame alone.
  func reduction(of frame: Frame, to side: Int) throws -> Image {
    guard frame.size.longerSide > side else { return try image(of: frame) }
    let reduced = frame.geometry { $0.resize(to: frame.size.scaled(longerSide: side)) }
    return try image(of: reduced)
  }

  func readyPreview(
    _ kind: ReadyPreview,
    of frame: Frame,
    atLeast wanted: Size
  ) throws -> PreviewSearch {
    guard let picture = raster as? OpenedPicture else { return .missing("there is no file") }
    return try PreviewFinder(picture: picture, frame: frame, wanted: wanted, policy: policy)
      .search(kind)
  }

  func picture(_ file: FileReference) throws -> Image {
    var inspector = Inspector(policy.formats.formats)
    let inspection = inspector.inspect(
      file.path.bytes[...],
      in: AT_FDCWD,
      follow: true,
      named: true
    )
    guard case .picture(let format, _) = inspection else {
      throw ItemError(
        .notAPicture,
        expected: "a picture in \(file.path.shown)",
        received: "something else"
      )
    }
    let opened = try OpenedPicture(file.path, format: format, policy: policy)
    return try Renderer(raster: opened).image(of: Frame(opened.origin)).inMemory()
  }
}
