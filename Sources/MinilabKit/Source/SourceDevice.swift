/// A device that a source can make items of, as `minilab devices` shows it.
public struct SourceDevice: Sendable {
  /// What it calls itself.
  public var name: String
  public var path: Path
  /// Other names that lead to it and stay when it is plugged in again.
  public var links: [Path]
  /// Further facts, in words, each under a name that scripts can rely on.
  public var facts: [SourceAnnouncement.Fact]
  public var formats: [Format]
  public var controls: [Control]
  /// Why it cannot be used.
  public var problem: String?

  /// A form in which it delivers pictures.
  public struct Format: Sendable {
    /// As a profile writes it; nil for a form that is not read here.
    public var name: String?
    /// The device's own name of it.
    public var code: String
    /// Made by a library from another one.
    public var isEmulated: Bool
    /// In words, with the times between pictures: `1920 × 1080 (30, 15 a second)`.
    public var sizes: [SizeChoice]

    public init(name: String?, code: String, isEmulated: Bool, sizes: [SizeChoice]) {
      self.name = name
      self.code = code
      self.isEmulated = isEmulated
      self.sizes = sizes
    }
  }

  /// A size, or a range of sizes.
  public struct SizeChoice: Sendable {
    /// In pixels.
    public var least: Size
    /// In pixels; the same where it is one size.
    public var most: Size
    /// From one size to the next.
    public var step: Size
    /// Seconds from one picture to the next, each as a fraction; empty where it is not said.
    public var intervals: [Interval]

    public var isSingle: Bool { least == most }

    public struct Interval: Sendable {
      public var numerator: Int
      public var denominator: Int

      public init(numerator: Int, denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
      }
    }

    public init(least: Size, most: Size, step: Size, intervals: [Interval]) {
      self.least = least
      self.most = most
      self.step = step
      self.intervals = intervals
    }
  }

  /// A setting of the device.
  public struct Control: Sendable {
    /// As a profile writes it.
    public var name: String
    /// `integer`, `boolean`, `menu`, `button` or the like.
    public var kind: String
    public var range: ClosedRange<Int>
    public var step: Int
    public var standard: Int
    /// Nil where it cannot be read.
    public var value: Int?
    /// Of a menu: its numbers with their names.
    public var choices: [(number: Int, name: String)]
    /// `read-only`, `inactive` and the like.
    public var states: [String]

    public init(
      name: String,
      kind: String,
      range: ClosedRange<Int>,
      step: Int,
      standard: Int,
      value: Int?,
      choices: [(number: Int, name: String)] = [],
      states: [String] = []
    ) {
      self.name = name
      self.kind = kind
      self.range = range
      self.step = step
      self.standard = standard
      self.value = value
      self.choices = choices
      self.states = states
    }
  }

  public init(
    name: String,
    path: Path,
    links: [Path] = [],
    facts: [SourceAnnouncement.Fact] = [],
    formats: [Format] = [],
    controls: [Control] = [],
    problem: String? = nil
  ) {
    self.name = name
    self.path = path
    self.links = links
    self.facts = facts
    self.formats = formats
    self.controls = controls
    self.problem = problem
  }
}
