public import MinilabKit

/// Cuts a rectangle out of the picture, or frames it as an editor would.
///
/// Four ways to say where, each chosen by its own key; all but the editor's never scale.
public struct Crop: ImageOperation {
  public static let name = "crop"
  public static let version = 1
  public static let summary = "Cut a rectangle out, or frame the picture as a photo editor would."

  // 1: edges.
  public var rect: LengthRectangle?

  // 2: a frame that was drawn on a view of the picture.
  public var view: Pair<Double>?
  public var viewFrame: LengthRectangle?
  public var fit = Fit.contain

  // 3: a size that must be placed.
  public var size: Pair<Length>?
  public var aspect: Aspect?
  public var followOrientation = false
  public var gravity = CropGravity.fixed(.center)
  public var focus: Pair<Length>?

  // 4: an editor's transform.
  public var frameSize: Pair<Double>?
  public var frameRect: LengthRectangle?
  public var zoom = 1.0
  public var minZoom: Double?
  public var maxZoom: Double?
  public var pan = Pair(0.0, 0.0)
  public var angle = Angle(degrees: 0)
  public var checkBounds = true
  public var background = Color.transparent
  public var outputWidth: OutputWidth?

  // For 1 and 2.
  public var clamp: Clamp?
  public var minSize: Int?

  // For 1 to 3.
  public var lossless = LosslessPolicy.perfect

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    try cropped(frame.lossless(lossless), in: context)
  }

  private func cropped(_ frame: Frame, in context: Context) throws -> Frame {
    if let viewFrame, let view { return try cropped(frame, to: viewFrame, on: view, in: context) }
    if let aspect { return try placed(frame, aspect, in: context) }
    if let size { return try placed(frame, size, in: context) }
    if let frameSize { return try edited(frame, EditorFrame(size: frameSize), in: context) }
    if let frameRect, let view {
      return try edited(frame, EditorFrame(frameRect, on: view), in: context)
    }
    let edges = Edges(rect ?? Self.centerHalf, in: frame.size)
    return try cropped(frame, to: edges, in: context)
  }

  private static let centerHalf = LengthRectangle(
    x: .fraction(0.25),
    y: .fraction(0.25),
    width: .fraction(0.5),
    height: .fraction(0.5)
  )

  /// The frame cut to a rectangle inside it, with what a report and a preview tell of it.
  func cut(_ frame: Frame, to rectangle: PixelRectangle) -> Frame {
    frame.geometry { $0.crop(to: rectangle) }.reportingCrop().showing(.crop(rectangle))
  }
}
