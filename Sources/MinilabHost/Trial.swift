public import MinilabKit
public import Vips

/// One operation tried on pictures in memory: what an operation's own tests are written with.
public struct Trial {
  /// The frame after the operation: its size and notes.
  public let frame: Frame
  private let pictures: UnitPictures

  /// Applies an operation to a picture.
  ///
  /// `orientation` is how `image` is stored; steps see it upright.
  public init(
    _ operation: any StepOperation,
    on image: Image,
    orientation: Orientation = .up
  ) throws {
    try self.init(operation, on: [image], orientation: orientation)
  }

  /// Applies an operation to a group of pictures.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - images: The group; an operation on one picture is handed the first.
  ///   - orientation: How each is stored; steps see them upright.
  ///   - outputs: Frames of outputs that a step may name, by name, as pictures.
  /// - Throws: what the operation throws.
  public init(
    _ operation: any StepOperation,
    on images: [Image],
    orientation: Orientation = .up,
    outputs: [String: Image] = [:]
  ) throws {
    pictures = UnitPictures(images.map(ImageRaster.init(image:)), policy: InputPolicy())
    let frames = images.enumerated().map { place, image in
      Frame(
        Origin(
          format: .png,
          size: Size(width: image.width, height: image.height),
          orientation: orientation,
          hasAlpha: image.hasAlpha,
          isGray: image.isGray,
          picture: place
        )
      )
    }
    let name = type(of: operation).name
    let step = Step(
      id: name,
      operation: operation,
      place: Place(file: Path("trial.toml"), line: 1, column: 1)
    )
    let ready = outputs.mapValues { frames[0].replaced(by: $0) }
    guard
      let frame = try StepRunner(source: .pixels(pictures)).run([step], on: frames, outputs: ready)?
        .first
    else { preconditionFailure("with pixels at hand every step can be taken") }
    self.frame = frame
  }

  /// The pixels of the frame.
  public func image() throws -> Image {
    try pictures.image(of: frame).inMemory()
  }

  /// Reads an operation from the lines of a `[[step]]`, as a profile would.
  ///
  /// - Throws: `Problems` with everything that is wrong.
  public static func operation<Operation: StepOperation>(
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
