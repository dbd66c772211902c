public import MinilabKit
public import Vips

/// One operation tried on one picture in memory: what an operation's own tests are written with.
public struct Trial {
  /// The frame after the operation: its size and notes.
  public let frame: Frame
  private let raster: any Raster

  /// Applies an operation to a picture.
  ///
  /// `orientation` is how `image` is stored; steps see it upright.
  public init(
    _ operation: any ImageOperation,
    on image: Image,
    orientation: Orientation = .up
  ) throws {
    let origin = Origin(
      format: .png,
      size: Size(width: image.width, height: image.height),
      orientation: orientation,
      hasAlpha: image.hasAlpha
    )
    let raster = ImageRaster(image: image)
    self.raster = raster
    let name = type(of: operation).name
    let context = Context(step: name, pictures: UnitPictures(raster, policy: InputPolicy()))
    frame = try operation.apply(to: Frame(origin), in: context).attributed(to: name)
  }

  /// The pixels of the frame.
  public func image() throws -> Image {
    try Renderer(raster: raster).image(of: frame).inMemory()
  }

  /// Reads an operation from the lines of a `[[step]]`, as a profile would.
  ///
  /// - Throws: `Problems` with everything that is wrong.
  public static func operation<Operation: ImageOperation>(
    _ type: Operation.Type,
    _ toml: String
  ) throws -> Operation {
    let node: Node
    do {
      node = try TOMLReader.read(Array(toml.utf8), from: Path("trial.toml"))
    } catch {
      throw Problems([error])
    }
    var problems: [Problem] = []
    guard let operation = Operation.decode(node, key: Operation.name, &problems) else {
      throw Problems(problems)
    }
    return operation
  }
}
