import MinilabKit

/// Stands in for the template of output paths until it is merged.
public struct PathTemplate: Sendable {
  init?(_ text: String, at place: Place, key: String, _ problems: inout [Problem]) {}
}
