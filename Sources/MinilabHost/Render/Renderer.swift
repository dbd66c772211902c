import MinilabKit
import Vips

/// Makes the pixels of a frame: its stages in order, each on what the one before has made.
struct Renderer {
  /// What each origin's pixels are decoded from.
  private let raster: (Origin) -> any Raster
  private let limit: SizeLimit
  let pipes: ReducingPipes?

  init(
    limit: SizeLimit = SizeLimit(),
    pipes: ReducingPipes? = nil,
    raster: @escaping (Origin) -> any Raster
  ) {
    self.limit = limit
    self.pipes = pipes
    self.raster = raster
  }

  /// For frames that come from one picture.
  init(raster: any Raster, limit: SizeLimit = SizeLimit()) {
    self.init(limit: limit) { _ in raster }
  }

  /// - Throws: `ItemError` where a step's work fails.
  func image(of frame: Frame) throws -> Image {
    var raster = try base(of: frame)
    var image: Image?
    for stage in frame.stages {
      switch stage {
      case .geometry(let geometry):
        image = try Resample(geometry: geometry, raster: raster, pipes: pipes).image()
      case .pixels(let work):
        guard let before = image else { preconditionFailure("a frame begins with geometry") }
        image = try run(work, on: before)
      }
      if let image { raster = ImageRaster(image: image) }
    }
    guard let image else { preconditionFailure("a frame begins with geometry") }
    return image
  }

  func facts(of origin: Origin) -> RasterFacts { raster(origin).facts }

  /// What the first stage begins on.
  func base(of frame: Frame) throws -> any Raster {
    switch frame.base {
    case .origin: raster(frame.origin)
    case .pixels(let image): ImageRaster(image: image)
    case .made(let making):
      ImageRaster(
        image: try described(
          checked(making.run, step: making.step, size: making.size),
          by: raster(frame.origin)
        )
      )
    }
  }

  /// A picture that is made of several has the texts of the first; libvips would add up those of
  /// all.
  private func described(_ image: Image, by raster: any Raster) throws -> Image {
    guard let first = raster as? OpenedPicture else { return image }
    let described = try image.copy()
    for name in described.fieldNames where MetadataField.isPersonal(name) { described.remove(name) }
    MetadataField.carryTexts(from: first.headerImage, to: described)
    return described
  }

  /// - Throws: `ItemError` where the step's work fails.
  func run(_ work: PixelWork, on image: Image) throws -> Image {
    let input = try work.access == .random ? image.held() : image
    var known: Size?
    if case .known(let size) = work.size { known = size }
    return try checked({ try work.run(input) }, step: work.step, size: known)
  }

  /// Runs a step's own code and holds its result to what the step has said.
  ///
  /// `size`: nil where it has said nothing.
  private func checked(
    _ make: () throws -> Image,
    step: String,
    size: Size?
  ) throws -> Image {
    do {
      let result = try WorkingPixels(of: make()).image
      let made = Size(width: result.width, height: result.height)
      if let size, made != size {
        throw ItemError(
          .operationFailed,
          step: step,
          expected: "\(size) as the step has said",
          received: "\(made)"
        )
      }
      try limit.check(made, after: step)
      return result
    } catch var error as ItemError {
      error.step = error.step ?? step
      throw error
    } catch let error as VipsError {
      if let cause = error.cause as? ItemError { throw cause }
      throw ItemError(
        .operationFailed,
        step: step,
        expected: "pixel work that succeeds",
        received: "\(error.operation) refused this picture"
      )
    }
  }
}
