public import Vips

/// A small picture of the whole picture that is there already.
public enum ReadyPreview: Sendable {
  /// Inside the file: EXIF's thumbnail, or HEIF's.
  case embedded
  /// A file beside the picture; `{stem}` and `{name}` in its name are the picture's.
  case sidecar(name: String)
}

/// What a search for a ready preview has come to.
public enum PreviewSearch: Sendable {
  /// Upright pixels, and what they are, in words.
  case found(Image, String)
  /// Why there is none that will do, in words.
  case missing(String)
}
