internal import CVips
internal import CVipsShim

/// A named value for an operation.
public struct Argument: Sendable {
  public enum Value: Sendable {
    case image(Image)
    case images([Image])
    case int(Int)
    case double(Double)
    case bool(Bool)
    case string(String)
    /// By its nick, such as `bicubic`.
    case enumeration(String)
    case ints([Int])
    case doubles([Double])
    case blob([UInt8])
    /// By its nick: `nearest`, `bilinear`, `bicubic`, …
    case interpolate(String)
  }

  public let name: String
  public let value: Value

  public init(_ name: String, _ value: Value) {
    self.name = name
    self.value = value
  }
}

/// One call of a libvips operation: made by name, told its arguments, run once.
///
/// libvips only warns about unknown names and values out of range, so both are checked here before
/// it sees them.
public struct OperationCall: ~Copyable {
  private let pointer: UnsafeMutablePointer<VipsOperation>
  private let description: OperationDescription

  /// - Throws: `VipsError` where no operation has this name.
  public init(_ name: String) throws(VipsError) {
    let description = try OperationDescription.of(name)
    guard let pointer = vips_operation_new(name) else { throw VipsError.taken(by: name) }
    self.init(pointer, description)
  }

  private init(_ pointer: UnsafeMutablePointer<VipsOperation>, _ description: OperationDescription)
  {
    self.pointer = pointer
    self.description = description
  }

  deinit { cvips_unref(pointer) }

  private var object: UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self)
  }

  public func set(_ arguments: [Argument]) throws(VipsError) {
    for argument in arguments { try set(argument.name, argument.value) }
  }

  /// - Throws: `VipsError` for an unknown name, a value of another type or out of range.
  public func set(_ name: String, _ value: Argument.Value) throws(VipsError) {
    guard let argument = description.input(name) else {
      throw refusal(name, "it has no input of this name")
    }
    switch (argument.kind, value) {
    case (.image, .image(let image)):
      cvips_set_object(object, name, image.pointer)
    case (.images, .images(let images)):
      var pointers = images.map(\.pointer)
      cvips_set_images(object, name, &pointers, Int32(pointers.count))
    case (.int, .int(let number)):
      try check(Double(number), argument)
      cvips_set_int(object, name, Int32(number))
    case (.uint64, .int(let number)):
      try check(Double(number), argument)
      cvips_set_uint64(object, name, guint64(number))
    case (.double, .int(let number)):
      try check(Double(number), argument)
      cvips_set_double(object, name, Double(number))
    case (.double, .double(let number)):
      try check(number, argument)
      cvips_set_double(object, name, number)
    case (.bool, .bool(let flag)):
      cvips_set_bool(object, name, flag)
    case (.string, .string(let text)):
      cvips_set_string(object, name, text)
    case (.enumeration(let nicks), .enumeration(let nick)),
      (.enumeration(let nicks), .string(let nick)):
      guard nicks.contains(nick) else {
        throw refusal(name, "\"\(nick)\" is none of \(nicks.joined(separator: ", "))")
      }
      cvips_set_int(object, name, cvips_enum_value(gtype(argument), nick))
    case (.flags, .int(let bits)):
      guard let bits = Int32(exactly: bits) else { throw refusal(name, "\(bits) has no 32 bits") }
      cvips_set_int(object, name, bits)
    case (.doubles, .doubles(let numbers)):
      cvips_set_doubles(object, name, numbers, Int32(numbers.count))
    case (.doubles, .ints(let numbers)):
      cvips_set_doubles(object, name, numbers.map(Double.init), Int32(numbers.count))
    case (.doubles, .double(let number)):
      cvips_set_doubles(object, name, [number], 1)
    case (.doubles, .int(let number)):
      cvips_set_doubles(object, name, [Double(number)], 1)
    case (.ints, .ints(let numbers)):
      let narrow = numbers.compactMap(Int32.init(exactly:))
      guard narrow.count == numbers.count else { throw refusal(name, "a number has no 32 bits") }
      cvips_set_ints(object, name, narrow, Int32(narrow.count))
    case (.blob, .blob(let bytes)):
      bytes.withUnsafeBytes { buffer in
        // An empty array has no address; libvips wants one all the same.
        let nothing: UInt8 = 0
        withUnsafeBytes(of: nothing) { empty in
          guard let base = buffer.baseAddress ?? empty.baseAddress else { return }
          cvips_set_blob(object, name, base, buffer.count)
        }
      }
    case (.interpolate, .interpolate(let nick)), (.interpolate, .string(let nick)):
      guard let interpolate = vips_interpolate_new(nick) else {
        throw VipsError.taken(by: description.name)
      }
      cvips_set_object(object, name, interpolate)
      cvips_unref(interpolate)
    default:
      throw refusal(name, "a value of another type was given")
    }
  }

  /// Reads from a source: for loaders.
  public func set(_ name: String, from source: Source) throws(VipsError) {
    guard description.input(name)?.kind == .source else {
      throw refusal(name, "it takes no source")
    }
    cvips_set_object(object, name, source.pointer)
  }

  /// Writes to a target: for savers.
  public func set(_ name: String, to target: Target) throws(VipsError) {
    guard description.input(name)?.kind == .target else {
      throw refusal(name, "it takes no target")
    }
    cvips_set_object(object, name, target.pointer)
  }

  /// Builds the operation and takes its outputs.
  public consuming func run() throws(VipsError) -> Results {
    guard let built = vips_cache_operation_build(pointer) else {
      let error = VipsError.taken(by: description.name)
      vips_object_unref_outputs(
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: VipsObject.self)
      )
      throw error
    }
    let results = Results(
      of: UnsafeMutableRawPointer(built).assumingMemoryBound(to: GObject.self),
      described: description
    )
    vips_object_unref_outputs(
      UnsafeMutableRawPointer(built).assumingMemoryBound(to: VipsObject.self)
    )
    cvips_unref(built)
    return results
  }

  private func gtype(_ argument: OperationDescription.Argument) -> GType { GType(argument.type) }

  private func check(
    _ number: Double,
    _ argument: OperationDescription.Argument
  ) throws(VipsError) {
    guard argument.range.contains(number) else {
      throw refusal(
        argument.name,
        "\(number) is not in \(argument.range.lowerBound) to \(argument.range.upperBound)"
      )
    }
  }

  private func refusal(_ argument: String, _ text: String) -> VipsError {
    VipsError(operation: description.name, text: "\(argument): \(text)")
  }
}

/// What an operation gave back, by the names of its outputs.
public struct Results {
  public enum Value {
    case image(Image)
    case int(Int)
    case double(Double)
    case bool(Bool)
    case doubles([Double])
  }

  public let values: [String: Value]
  private let operation: String

  fileprivate init(
    of object: UnsafeMutablePointer<GObject>,
    described description: OperationDescription
  ) {
    var values: [String: Value] = [:]
    for output in description.outputs {
      let name = output.name
      switch output.kind {
      case .image:
        if let image = cvips_get_image(object, name) {
          values[name] = .image(Image(adopting: image))
        }
      case .int: values[name] = .int(Int(cvips_get_int(object, name)))
      case .double: values[name] = .double(cvips_get_double(object, name))
      case .bool: values[name] = .bool(cvips_get_bool(object, name))
      case .doubles:
        let count = Int(cvips_get_doubles(object, name, nil, 0))
        let numbers = [Double](unsafeUninitializedCapacity: count) { buffer, initialized in
          initialized = Int(cvips_get_doubles(object, name, buffer.baseAddress, Int32(count)))
        }
        values[name] = .doubles(numbers)
      default: break
      }
    }
    self.values = values
    operation = description.name
  }

  /// The picture of an operation that gives one.
  public var image: Image {
    get throws(VipsError) {
      guard case .image(let image)? = values["out"] else {
        throw VipsError(operation: operation, text: "gave no picture")
      }
      return image
    }
  }

  public func double(_ name: String) throws(VipsError) -> Double {
    switch values[name] {
    case .double(let number): return number
    case .int(let number): return Double(number)
    default: throw VipsError(operation: operation, text: "gave no number \(name)")
    }
  }
}
