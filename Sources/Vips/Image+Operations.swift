/// libvips operations under their own names, as far as Minilab uses them; any other goes through
/// `call`.
extension Image {
  /// Runs an operation whose first input is this picture and whose result is one picture.
  public func call(
    _ operation: String,
    _ arguments: [Argument] = [],
    input: String = "in"
  ) throws(VipsError) -> Image {
    let call = try OperationCall(operation)
    try call.set(input, .image(self))
    try call.set(arguments)
    return try call.run().image
  }

  /// A picture of its own over the same pixels, whose metadata may be changed.
  public func copy(_ arguments: [Argument] = []) throws(VipsError) -> Image {
    try call("copy", arguments)
  }

  public func copy(interpretation: Interpretation) throws(VipsError) -> Image {
    try copy([Argument("interpretation", .enumeration(interpretation.nick))])
  }

  public func extractArea(
    left: Int,
    top: Int,
    width: Int,
    height: Int
  ) throws(VipsError) -> Image {
    if left == 0, top == 0, width == self.width, height == self.height { return self }
    return try call(
      "extract_area",
      [
        .init("left", .int(left)), .init("top", .int(top)), .init("width", .int(width)),
        .init("height", .int(height)),
      ],
      input: "input"
    )
  }

  /// Puts the picture at a place of a larger canvas.
  ///
  /// `extend` is a nick of VipsExtend.
  public func embed(
    left: Int,
    top: Int,
    width: Int,
    height: Int,
    extend: String,
    background: [Double] = []
  ) throws(VipsError) -> Image {
    var arguments: [Argument] = [
      .init("x", .int(left)), .init("y", .int(top)), .init("width", .int(width)),
      .init("height", .int(height)), .init("extend", .enumeration(extend)),
    ]
    if !background.isEmpty { arguments.append(.init("background", .doubles(background))) }
    return try call("embed", arguments)
  }

  public func resize(
    _ horizontal: Double,
    vertical: Double,
    kernel: String = "lanczos3"
  ) throws(VipsError) -> Image {
    try call(
      "resize",
      [
        .init("scale", .double(horizontal)), .init("vscale", .double(vertical)),
        .init("kernel", .enumeration(kernel)),
      ]
    )
  }

  /// Averages blocks of whole pixels.
  public func shrink(_ horizontal: Int, _ vertical: Int) throws(VipsError) -> Image {
    try call(
      "shrink",
      [.init("hshrink", .int(horizontal)), .init("vshrink", .int(vertical))]
    )
  }

  public func rotate(quarterTurns: Int) throws(VipsError) -> Image {
    guard quarterTurns != 0 else { return self }
    return try call("rot", [.init("angle", .enumeration("d\(quarterTurns * 90)"))])
  }

  public func flipHorizontally() throws(VipsError) -> Image {
    try call("flip", [.init("direction", .enumeration("horizontal"))])
  }

  public func extractBands(_ first: Int, count: Int) throws(VipsError) -> Image {
    try call("extract_band", [.init("band", .int(first)), .init("n", .int(count))])
  }

  public func joined(bands other: Image) throws(VipsError) -> Image {
    let call = try OperationCall("bandjoin")
    try call.set("in", .images([self, other]))
    return try call.run().image
  }

  public func cast(_ format: PixelFormat) throws(VipsError) -> Image {
    if self.format == format { return self }
    return try call("cast", [.init("format", .enumeration("\(format)"))])
  }

  public func colourspace(_ space: Interpretation) throws(VipsError) -> Image {
    try call("colourspace", [.init("space", .enumeration(space.nick))])
  }

  /// Multiplies the colors by the alpha.
  ///
  /// Samples become float.
  public func premultiply(maximum: Double) throws(VipsError) -> Image {
    try call("premultiply", [.init("max-alpha", .double(maximum))])
  }

  /// Divides the colors by the alpha.
  public func unpremultiply(maximum: Double) throws(VipsError) -> Image {
    try call("unpremultiply", [.init("max-alpha", .double(maximum))])
  }

  /// Blends the alpha onto a color and drops it.
  public func flatten(background: [Double], maximum: Double) throws(VipsError) -> Image {
    try call(
      "flatten",
      [.init("background", .doubles(background)), .init("max-alpha", .double(maximum))]
    )
  }

  /// A picture with every sample the same.
  public static func filled(
    _ samples: [Double],
    width: Int,
    height: Int,
    like other: Image
  ) throws(VipsError) -> Image {
    let black = try OperationCall("black")
    try black.set("width", .int(width))
    try black.set("height", .int(height))
    return try black.run().image
      .call(
        "linear",
        [.init("a", .doubles(samples.map { _ in 1 })), .init("b", .doubles(samples))]
      )
      .cast(other.format).copy(interpretation: other.interpretation)
  }

  /// The average of all samples.
  public func average() throws(VipsError) -> Double {
    let call = try OperationCall("avg")
    try call.set("in", .image(self))
    return try call.run().double("out")
  }
}

/// Opens a picture with a loader by its libvips name.
public func load(
  _ loader: String,
  from source: Source,
  _ arguments: [Argument] = []
) throws(VipsError) -> Image {
  let call = try OperationCall(loader)
  try call.set("source", from: source)
  try call.set(arguments)
  return try call.run().image
}

/// Opens a picture with a loader that only takes file names.
///
/// The name is one that holds no character with a meaning to libvips, such as `/proc/self/fd/5`.
public func load(
  _ loader: String,
  fromFile name: String,
  _ arguments: [Argument] = []
) throws(VipsError) -> Image {
  let call = try OperationCall(loader)
  try call.set("filename", .string(name))
  try call.set(arguments)
  return try call.run().image
}

extension Image {
  /// Computes the pixels and saves them with a saver by its libvips name.
  public func save(
    _ saver: String,
    to target: Target,
    _ arguments: [Argument] = []
  ) throws(VipsError) {
    let call = try OperationCall(saver)
    try call.set("in", .image(self))
    try call.set("target", to: target)
    try call.set(arguments)
    _ = try call.run()
  }
}
