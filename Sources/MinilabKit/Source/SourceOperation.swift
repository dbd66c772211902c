/// A step that makes the items of a run itself, such as `capture`: the first step of a profile that
/// is run without inputs.
///
/// It is asked in a process of its own, which the host starts, watches and outlives: a device that
/// hangs costs no more than that process. Nothing that it prints is seen.
public protocol SourceOperation: StepOperation {
  /// How many items it makes where nothing goes wrong.
  var itemCount: Int { get }

  /// How long it may take from one item to the next, where there is room for it; one that takes longer
  /// counts as hung and is ended.
  ///
  /// Nil: as long as it likes.
  var longestSilence: Duration? { get }

  /// Says what it would make, and of what.
  ///
  /// It may ask a device what it can do, and changes nothing there.
  ///
  /// - Throws: `ItemError` where there is nothing to make items of: the run is not begun then.
  func announce() throws -> SourceAnnouncement

  /// Makes the items, one after the other, until all are made or no more are wanted.
  ///
  /// - Throws: `ItemError` where it cannot go on. What was delivered is processed all the same.
  func makeItems(for receiver: any ItemReceiver) throws

  /// Puts back what a process that was killed has changed, as it said with `ItemReceiver.leave`.
  func restore(_ record: [UInt8]) throws

  /// The devices that are there.
  static func devices() throws -> [SourceDevice]
}

extension SourceOperation {
  public var longestSilence: Duration? { nil }

  /// Nothing has to be put back.
  public func restore(_ record: [UInt8]) {}

  /// It makes its items of no device.
  public static func devices() -> [SourceDevice] { [] }
}

/// Who takes the items of a source: the host's side of it.
public protocol ItemReceiver {
  /// True from when no more items are wanted; the source then soon returns.
  var isStopping: Bool { get }

  /// Becomes readable, for ever, when no more items are wanted: for sources that wait in `poll`.
  var stopDescriptor: Int32 { get }

  /// Waits until there is room for one more item.
  ///
  /// Where items are processed slower than they are made, they would fill the disk.
  ///
  /// - Returns: false where no more are wanted.
  func waitForRoom() -> Bool

  /// Lets time pass.
  ///
  /// - Returns: false where no more items are wanted; the wait ends then.
  func wait(_ duration: Duration) -> Bool

  /// Leaves word of what another process must put back should this one be killed.
  ///
  /// To be called before the change is made; nil where nothing has to be put back any more.
  ///
  /// - Throws: where nobody is there to take it.
  func leave(_ record: [UInt8]?) throws

  /// Hands an item over.
  ///
  /// - Throws: `ItemError` where it cannot be written.
  func deliver(_ item: SourceItem) throws
}
