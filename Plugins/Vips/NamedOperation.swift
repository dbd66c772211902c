public import MinilabKit

/// Any libvips operation that takes pictures and numbers and gives one picture, by its name.
///
/// Its parameters are not written here: libvips is asked for their names, types and ranges.
public struct NamedOperation: ImageOperation {
  public static let name = "vips"
  public static let version = 2
  public static let summary = "Run a libvips operation by its name."
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "operation",
      \.operation,
      required: true,
      help: """
        The operation's libvips name, such as `canny`; its own options stand beside it. Never one \
        that loads, saves, or runs a program. Where it mixes neighboring pixels, transparent ones \
        lend no color.
        """
    )
  ]
  public static let examples = [
    Example("Edges.", "operation = \"canny\"\nsigma = 1.4"),
    Example("A negative.", "operation = \"invert\""),
    Example(
      "Brighter by a linear function.",
      "operation = \"linear\"\na = [1.2]\nb = [5.0]\nuchar = true"
    ),
  ]

  public static let takesOtherKeys = true

  public var operation = ""
  var arguments: [Argument] = []
  /// The input that is handed the frame.
  var input = "in"
  var files: [(name: String, file: FileReference)] = []

  public init() {}

  public func apply(to frame: Frame, in context: Context) throws -> Frame {
    frame.pixels(size: .fromPixels, access: .random) { image in
      try sparingHiddenColors(image) { image in
        let call = try OperationCall(operation)
        try call.set(input, .image(image))
        try call.set(arguments)
        for (name, file) in files {
          try call.set(name, .image(context.picture(file)))
        }
        return try call.run().image
      }
    }
  }
}
