/// A stated loss or choice on an item.
///
/// Codes are stable: scripts read them.
public struct Note: Sendable, Codable, Hashable {
  public enum Code: String, Sendable, Codable, CaseIterable {
    /// Transparency went onto the output's background.
    case alphaFlattened = "alpha-flattened"
    /// Half transparency became all or none.
    case alphaReduced = "alpha-reduced"
    /// A film, a depth map or another picture that stood in the file beside the picture was left behind.
    case attachmentDropped = "attachment-dropped"
    /// The original of a captured picture whose unit has failed was kept.
    case captureKept = "capture-kept"
    /// Colors were converted to the output's space, or from one that operations do not work in.
    case colorConverted = "color-converted"
    /// The picture was copied, not encoded again.
    case copied
    /// A control that the camera does not have, or that it refuses, was left alone.
    case controlNotSet = "control-not-set"
    /// A crop stuck out and was moved or cut.
    case cropClamped = "crop-clamped"
    /// A damaged picture was used as far as it could be read.
    case damaged
    /// The decoder has warned about the file, and could read all of it.
    case decoderWarned = "decoder-warned"
    /// More than 8 bits a channel became 8.
    case depthReduced = "depth-reduced"
    /// A JPEG was only turned or cropped and had to be encoded again all the same.
    case encodedAgain = "encoded-again"
    /// The camera was lost while the run waited for a picture, and came back.
    case deviceReturned = "device-returned"
    /// The picture has become larger than it was.
    case enlarged
    /// The camera has no flash, or none that can be set as was asked.
    case flashUnsupported = "flash-unsupported"
    /// A font is not installed, and text was drawn with another one.
    case fontReplaced = "font-replaced"
    /// Frames of the camera that were damaged were passed over.
    case framesDropped = "frames-dropped"
    /// A gain map (HDR) was left behind.
    case gainMapDropped = "gain-map-dropped"
    /// A group lacks pictures and was made without them.
    case incompleteGroup = "incomplete-group"
    /// A layer of a composition was left out.
    case layerLeftOut = "layer-left-out"
    /// A layer of a composition lies wholly outside the canvas.
    case layerOutside = "layer-outside"
    /// The coded blocks of a JPEG were turned or cropped, and not encoded again.
    case lossless
    /// Maker notes stand elsewhere than their camera put them, which some of them do not survive.
    case makerNotesMoved = "maker-notes-moved"
    /// Metadata the output cannot carry.
    case metadataDropped = "metadata-dropped"
    /// The name promises another format than the content is.
    case nameMismatch = "name-mismatch"
    /// Encoding again would have made the file larger; it was copied.
    case originalKept = "original-kept"
    /// The camera does not have what was asked for, and gave the nearest: a size, or a form of pixels.
    case nearestFormat = "nearest-format"
    /// Where a small picture comes from: one that was ready, or the picture itself.
    case previewSource = "preview-source"
    /// Somebody else has changed an output, and it was left as it is.
    case outputAltered = "output-altered"
    /// Only the first of several pages or frames was used.
    case pagesDropped = "pages-dropped"
    /// The embedded color profile is broken, does not fit the picture, or is not wanted; it was left
    /// out.
    case profileDropped = "profile-dropped"
    /// The quality of the encoder was looked for.
    case qualityChosen = "quality-chosen"
    /// Text was too long for its place and was drawn smaller, or cut.
    case textShrunk = "text-shrunk"
    /// The delays or the loop count of an animation had to be changed, or left out.
    case timingChanged = "timing-changed"
    /// An embedded thumbnail no longer showed the picture and was dropped.
    case thumbnailDropped = "thumbnail-dropped"
    /// Edges were cut off so that a JPEG could be turned or cropped without being encoded again.
    case trimmed
    /// The picture was within the wanted size already.
    case withinLimit = "within-limit"
    /// The camera's own zoom does not reach as far as was asked: the rest was cut from the middle.
    case zoomCropped = "zoom-cropped"
    /// The zoom of a crop or a camera was brought within its limits, or to where the picture covers the frame.
    case zoomChanged = "zoom-changed"
  }

  public let code: Code
  public let text: String

  public init(_ code: Code, _ text: String) {
    self.code = code
    self.text = text
  }
}
