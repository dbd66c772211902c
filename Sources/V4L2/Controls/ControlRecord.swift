/// The controls of a device as they stood before they were changed: plain data, for whoever is to
/// put them back.
public struct ControlRecord: Hashable, Sendable, Codable {
  public struct Entry: Hashable, Sendable, Codable {
    public var id: UInt32
    public var name: String
    /// What to put back.
    public var value: Int

    public init(id: UInt32, name: String, value: Int) {
      self.id = id
      self.name = name
      self.value = value
    }
  }

  /// In the order of the changes.
  public var entries: [Entry]

  public init(entries: [Entry] = []) {
    self.entries = entries
  }
}
