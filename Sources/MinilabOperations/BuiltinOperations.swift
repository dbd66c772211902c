import AdjustOperation
import BlurOperation
import CaptionOperation
import CaptureOperation
import ComposeOperation
import CropOperation
import FlattenOperation
import GrayscaleOperation
public import MinilabKit
import OrientOperation
import PadOperation
import ResizeOperation
import RotateOperation
import ShapeMaskOperation
import SharpenOperation
import ThumbnailPreviewOperation
import VipsOperation

extension [OperationEntry] {
  /// Every operation that ships, sorted by name: one for each folder of `Plugins`.
  public static let builtin: [OperationEntry] = [
    .init(Adjust.self),
    .init(Blur.self),
    .init(Caption.self),
    .init(Capture.self),
    .init(Compose.self),
    .init(Crop.self),
    .init(Flatten.self),
    .init(Grayscale.self),
    .init(Orient.self),
    .init(Pad.self),
    .init(Resize.self),
    .init(Rotate.self),
    .init(ShapeMask.self),
    .init(Sharpen.self),
    .init(ThumbnailPreview.self),
    .init(NamedOperation.self),
  ]
}
