public import MinilabKit

/// `[gather]`: which items form a unit together.
public struct Gather: ParameterTable {
  public static let parameters: [Parameter<Self>] = [
    Parameter(
      "by",
      \.by,
      required: true,
      help: """
        What makes a group: `all` pictures, a `folder` without its subfolders, every N pictures \
        with `count:N`, or with `pattern:REGEX` the same text captured by the first group of a \
        regular expression in the path below the input.
        """
    ),
    Parameter(
      "incomplete",
      \.incomplete,
      help: """
        A group with a picture that failed, and a last group of `count:N` that is smaller: `keep` \
        goes on with the others and notes it, `skip` leaves the group out, `fail` makes it fail.
        """
    ),
    Parameter(
      "max-pictures",
      \.maxPictures,
      in: 1...1_000_000,
      help: "A group of more pictures fails, as all of them are opened at once."
    ),
  ]

  public var by = Grouping.all
  public var incomplete = IncompletePolicy.keep
  public var maxPictures = 10_000

  public init() {}
}

public enum IncompletePolicy: String, CaseIterable, ParameterChoice {
  case keep
  case skip
  case fail
}

/// What makes a group.
public enum Grouping: ParameterValue {
  case all
  case folder
  /// So many items, in the order of the plan; the last group may have fewer.
  case count(Int)
  /// The same captured text.
  case pattern(GroupPattern)

  private static let forms = ["all", "folder", "count:N", "pattern:REGEX"]

  public static var schema: Schema { .any([.choice(["all", "folder"]), .string]) }

  public static func decode(_ node: Node, as field: Field, _ problems: inout [Problem]) -> Self? {
    guard let text = node.text else { return field.refuse(node, as: Self.self, &problems) }
    func refuse(_ code: Problem.Code, _ expected: String, _ received: String) -> Self? {
      problems.append(
        Problem(code, at: node.place, key: field.key, expected: expected, received: received)
      )
      return nil
    }
    let words = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = words.count > 1 ? String(words[1]) : nil
    switch (words[0], value) {
    case ("all", nil): return .all
    case ("folder", nil): return .folder
    case ("count", let value):
      // `Int` takes a sign, too.
      guard let value, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let count = Int(value), count > 0
      else {
        return refuse(.outOfRange, "a count of pictures, 1 or more, such as count:3", node.shown)
      }
      return .count(count)
    case ("pattern", let value):
      guard let value, !value.isEmpty else {
        return refuse(.outOfRange, "a regular expression behind \"pattern:\"", node.shown)
      }
      do throws(BytePattern.Fault) {
        return .pattern(GroupPattern(try BytePattern(value)))
      } catch {
        let position = error.position.map {
          $0 > value.unicodeScalars.count ? " at the end" : " at character \($0)"
        }
        return refuse(
          .outOfRange,
          "a regular expression behind \"pattern:\"",
          "\(error.reason)\(position ?? "") of \(Node(.string(value), at: node.place).shown)"
        )
      }
    default:
      return refuse(.wrongType, expectedName("a grouping", for: text, among: forms), node.shown)
    }
  }

  public var literal: String {
    switch self {
    case .all: "all".literal
    case .folder: "folder".literal
    case .count(let count): "count:\(count)".literal
    case .pattern(let pattern): "pattern:\(pattern.text)".literal
    }
  }
}

/// The regular expression of a grouping.
public struct GroupPattern: Sendable {
  let bytes: BytePattern

  init(_ bytes: BytePattern) {
    self.bytes = bytes
  }

  /// As it was written.
  public var text: String { bytes.text }
}
