import Glibc
import MinilabKit
import Vips

/// Looks for a small picture that need not be made.
struct PreviewFinder {
  let picture: OpenedPicture
  let frame: Frame
  /// What the preview must be at least, upright.
  let wanted: Size
  let policy: InputPolicy

  func search(_ kind: ReadyPreview) throws -> PreviewSearch {
    guard let turn = frame.turnOfWholePicture else {
      return .missing("an earlier step has changed more than the way up")
    }
    switch kind {
    case .embedded: return try embedded(turn)
    case .sidecar(let name): return try sidecar(name, turn)
    }
  }

  // MARK: Inside the file

  private func embedded(_ turn: Orientation) throws -> PreviewSearch {
    let missing = PreviewSearch.missing("no thumbnail is embedded")
    guard let stored = storedThumbnail() else { return missing }
    return try judged(stored, turn, "the embedded thumbnail")
  }

  /// As it is stored, which is as the picture is stored; nil where there is none that can be read.
  private func storedThumbnail() -> Image? {
    if picture.origin.format == .heif || picture.origin.format == .avif {
      guard let thumbnail = try? picture.reader.containedThumbnail(),
        thumbnail.width < picture.size.width
      else { return nil }
      return thumbnail
    }
    guard let bytes = picture.headerImage.blob("jpeg-thumbnail-data"), bytes.count > 2 else {
      return nil
    }
    let loader = Loader.of(.jpeg).operation
    guard let opened = try? load(loader, from: Source(bytes: bytes)),
      opened.width * opened.height <= policy.maxPixels
    else { return nil }
    return opened
  }

  // MARK: Beside the file

  private func sidecar(_ template: String, _ turn: Orientation) throws -> PreviewSearch {
    guard turn == picture.origin.orientation else {
      return .missing("an earlier step has turned the picture")
    }
    let name = filled(template)
    let path = picture.path.folder.appending(name)
    BesideFiles.add(path)
    guard let age = modified(path), let pictureAge = modified(picture.path) else {
      return .missing("there is no \(name.shown)")
    }
    guard age >= pictureAge else { return .missing("\(name.shown) is older than the picture") }
    var inspector = Inspector(policy.formats.formats)
    let inspection = inspector.inspect(path.bytes[...], in: AT_FDCWD, follow: false, named: true)
    guard case .picture(let format, _) = inspection,
      let opened = try? OpenedPicture(path, format: format, policy: policy)
    else { return .missing("\(name.shown) is no picture that can be opened") }
    let upright = try Renderer(raster: opened).image(of: Frame(opened.origin))
    return try judged(upright, .up, name.shown)
  }

  /// The names in braces are filled once, as bytes.
  private func filled(_ template: String) -> Path {
    let variables = [("{stem}", picture.path.stem), ("{name}", picture.path.lastComponent)]
    var bytes: [UInt8] = []
    var rest = template[...]
    while let character = rest.first {
      if let (name, value) = variables.first(where: { rest.hasPrefix($0.0) }) {
        bytes += value.bytes
        rest = rest.dropFirst(name.count)
      } else {
        bytes += Array(String(character).utf8)
        rest = rest.dropFirst()
      }
    }
    return Path(bytes: bytes)
  }

  private func modified(_ path: Path) -> Int? {
    var status = stat()
    guard path.withCString({ lstat($0, &status) }) == 0 else { return nil }
    return status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
  }

  // MARK: Whether it will do

  private func judged(
    _ stored: Image,
    _ turn: Orientation,
    _ what: String
  ) throws -> PreviewSearch {
    let size = turn.upright(Size(width: stored.width, height: stored.height))
    guard size.width >= wanted.width, size.height >= wanted.height else {
      return .missing("\(what) has only \(size)")
    }
    let aspect = Double(size.width) / Double(size.height)
    let own = Double(frame.size.width) / Double(frame.size.height)
    guard abs(aspect / own - 1) <= 0.01 else {
      return .missing("\(what) of \(size) has another aspect")
    }
    do {
      let pixels = try WorkingPixels(of: stored).image.turned(turn).inMemory().copy()
      MetadataField.carryTexts(from: picture.headerImage, to: pixels)
      return .found(pixels, "\(what) of \(size)")
    } catch {
      return .missing("\(what) cannot be decoded")
    }
  }
}
