public import MinilabKit

/// `[limits]`: what a run as a whole may use up.
public struct RunLimits: ParameterTable {
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "worker-memory",
      \.workerMemory,
      help: """
        The most data a worker may hold, such as `"2GB"`; a picture that needs more has failed. \
        Unset: three quarters of what the machine, or its control group, has.
        """
    ),
    Parameter(
      "max-output",
      \.maxOutput,
      help: """
        When the files that a run has written have so many bytes together, such as `"500GB"`, it \
        stops early. Unset: no limit.
        """
    ),
    Parameter(
      "keep-free",
      \.keepFree,
      help: """
        A run stops early where less than this is free on the file system of the results: bytes such \
        as `"20GB"`, or a part of it such as `"5%"`. Unset: 1 %, and no more than 1 GB.
        """
    ),
  ]

  public var workerMemory: ByteCount?
  public var maxOutput: ByteCount?
  public var keepFree: FreeSpace?

  public init() {}
}

extension RunLimits {
  /// In bytes; nil where nothing tells.
  func workerMemory(of machine: MachineLimits) -> Int? {
    // The rest is for the coordinator and for everybody else.
    workerMemory?.bytes ?? machine.memory.map { $0 / 4 * 3 }
  }
}

/// Room on a file system: bytes, or a part of all there is.
public enum FreeSpace: ParameterValue, Equatable {
  case bytes(ByteCount)
  /// 0.05 is `"5%"`.
  case part(Double)

  public static var schema: Schema { .any([.string, .integer]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    if case .integer(0) = node.value { return .part(0) }
    if let text = node.text, text.hasSuffix("%") {
      let number = text.dropLast()
      if number.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }),
        let percent = Double(number), percent <= 100
      {
        return .part(percent / 100)
      }
      problems.append(
        Problem(
          .outOfRange,
          at: node.place,
          key: field.key,
          expected: "0% to 100%",
          received: node.shown
        )
      )
      return nil
    }
    return ByteCount.decode(node, as: field, &problems).map { .bytes($0) }
  }

  public var literal: String {
    switch self {
    case .bytes(let count): count.literal
    case .part(let part): "\((part * 100).literal)%".literal
    }
  }

  /// In bytes, of a file system of that size.
  func bytes(of size: Int) -> Int {
    switch self {
    case .bytes(let count): count.bytes
    case .part(let part): Int(Double(size) * part)
    }
  }
}

extension FreeSpace? {
  /// Enough for whoever has to clear up, and on a small file system not most of it.
  func bytes(of size: Int) -> Int {
    self?.bytes(of: size) ?? min(size / 100, 1_000_000_000)
  }
}
