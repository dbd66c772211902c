internal import CVips
internal import CVipsShim
internal import Synchronization

/// What libvips says about one of its operations: names, types and ranges, introspected.
public struct OperationDescription: Sendable {
  public struct Argument: Sendable {
    public enum Kind: Sendable, Equatable {
      case image
      case images
      case int
      case uint64
      case double
      case bool
      case string
      /// The nicks of its values.
      case enumeration([String])
      case flags
      case ints
      case doubles
      case blob
      case source
      case target
      case interpolate
      case other
    }

    public let name: String
    public let summary: String
    public let kind: Kind
    public let isRequired: Bool
    /// Of numbers.
    public let range: ClosedRange<Double>
    /// Of numbers and booleans; of an enumeration its number.
    public let fallback: Double
    let type: UInt
  }

  /// The nickname, such as `resize`.
  public let name: String
  public let summary: String
  public let inputs: [Argument]
  public let outputs: [Argument]
  /// It loads, saves, or runs a program.
  public let isForeign: Bool
  public let isDeprecated: Bool

  public func input(_ name: String) -> Argument? { inputs.first { $0.name == name } }

  /// The description of an operation.
  ///
  /// It is read once in a process.
  public static func of(_ name: String) throws(VipsError) -> OperationDescription {
    if let known = cache.withLock({ $0[name] }) { return known }
    guard let operation = vips_operation_new(name) else {
      throw VipsError.taken(by: name)
    }
    defer { cvips_unref(operation) }
    let described = OperationDescription(of: operation, name: name)
    cache.withLock { $0[name] = described }
    return described
  }

  /// The names of all operations that can be called, sorted.
  public static var names: [String] {
    var names: [String] = []
    withUnsafeMutablePointer(to: &names) { list in
      cvips_each_operation(
        { name, context in
          context?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
        },
        list
      )
    }
    return Array(Set(names)).sorted()
  }

  private static let cache = Mutex<[String: OperationDescription]>([:])

  private init(of operation: UnsafeMutablePointer<VipsOperation>, name: String) {
    let object = UnsafeMutableRawPointer(operation).assumingMemoryBound(to: VipsObject.self)
    let count = Int(cvips_arguments(object, nil, 0))
    let list = [CVipsArgument](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = Int(cvips_arguments(object, buffer.baseAddress, Int32(count)))
    }
    let usable = list.filter { !$0.is_deprecated }
    self.name = name
    summary = String(cString: cvips_description(object))
    inputs = usable.filter(\.is_input).map(Argument.init)
    outputs = usable.filter(\.is_output).map(Argument.init)
    isForeign = cvips_is_foreign(object)
    isDeprecated = cvips_is_deprecated(object)
  }
}

extension OperationDescription.Argument {
  fileprivate init(_ argument: CVipsArgument) {
    name = String(cString: argument.name)
    summary = String(cString: argument.blurb)
    kind = Kind(argument)
    isRequired = argument.is_required
    range = argument.minimum...max(argument.minimum, argument.maximum)
    fallback = argument.fallback
    type = UInt(argument.type)
  }
}

extension OperationDescription.Argument.Kind {
  fileprivate init(_ argument: CVipsArgument) {
    switch argument.kind {
    case CVIPS_IMAGE: self = .image
    case CVIPS_IMAGES: self = .images
    case CVIPS_INT: self = .int
    case CVIPS_UINT64: self = .uint64
    case CVIPS_DOUBLE: self = .double
    case CVIPS_BOOL: self = .bool
    case CVIPS_STRING: self = .string
    case CVIPS_ENUM:
      var nicks: [String] = []
      while let nick = cvips_enum_nick(argument.type, Int32(nicks.count)) {
        nicks.append(String(cString: nick))
      }
      self = .enumeration(nicks)
    case CVIPS_FLAGS: self = .flags
    case CVIPS_INTS: self = .ints
    case CVIPS_DOUBLES: self = .doubles
    case CVIPS_BLOB: self = .blob
    case CVIPS_SOURCE: self = .source
    case CVIPS_TARGET: self = .target
    case CVIPS_INTERPOLATE: self = .interpolate
    default: self = .other
    }
  }
}
