import MinilabKit
import Vips

/// Makes the pixels of a frame: its stages in order, each on what the one before has made.
struct Renderer {
  /// The origin of the frames.
  let raster: any Raster
  var limit = SizeLimit()

  /// - Throws: `ItemError` where a step's work fails.
  func image(of frame: Frame) throws -> Image {
    var raster: any Raster = frame.base.map(ImageRaster.init(image:)) ?? raster
    var image: Image?
    for stage in frame.stages {
      switch stage {
      case .geometry(let geometry):
        image = try Resample(geometry: geometry, raster: raster).image()
      case .pixels(let work):
        guard let before = image else { preconditionFailure("a frame begins with geometry") }
        image = try run(work, on: before)
      }
      if let image { raster = ImageRaster(image: image) }
    }
    guard let image else { preconditionFailure("a frame begins with geometry") }
    return image
  }

  private func run(_ work: PixelWork, on image: Image) throws -> Image {
    let input = try work.access == .random ? image.inMemory() : image
    do {
      let result = try WorkingPixels(of: work.run(input)).image
      if case .known(let size) = work.size {
        guard result.width == size.width, result.height == size.height else {
          throw ItemError(
            .operationFailed,
            step: work.step,
            expected: "\(size) as the step has said",
            received: "\(result.width) × \(result.height)"
          )
        }
      }
      try limit.check(Size(width: result.width, height: result.height), after: work.step)
      return result
    } catch var error as ItemError {
      error.step = error.step ?? work.step
      throw error
    } catch let error as VipsError {
      throw ItemError(
        .operationFailed,
        step: work.step,
        expected: "pixel work that succeeds",
        received: "\(error.operation) refused this picture"
      )
    }
  }
}
