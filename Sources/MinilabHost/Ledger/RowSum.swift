import MinilabKit

/// A sum over what a row says.
///
/// SQLite does not notice when a disk turns a bit over within a cell, and a bit can make the difference
/// between what is to be made and what is left out.
struct RowSum {
  private(set) var bytes: [UInt8] = []

  /// As a column holds it.
  var value: Int { Int(truncatingIfNeeded: PathHash().hash(bytes)) }

  mutating func add(_ number: Int?) {
    bytes.append(number == nil ? 0 : 1)
    withUnsafeBytes(of: (number ?? 0).littleEndian) { bytes += $0 }
  }

  mutating func add(_ value: [UInt8]?) {
    add(value?.count)
    bytes += value ?? []
  }

  mutating func add(_ stamp: FileStamp?) {
    add(stamp?.size)
    add(stamp?.modified)
    add(stamp?.changed)
  }

  fileprivate mutating func add(_ input: LedgerInput) {
    add(input.root.bytes)
    add(input.path.bytes)
    add(input.stamp)
    add(input.digest?.bytes)
  }
}

extension LedgerOutput {
  /// Over all but the claim, which comes and goes.
  func sum(_ path: Path) -> Int {
    var sum = RowSum()
    sum.add(path.bytes)
    for number in [state.rawValue, unit, recipe, run] { sum.add(number) }
    sum.add(stamp)
    sum.add(digest?.bytes)
    sum.add(previous?.bytes)
    sum.add(record?.width)
    sum.add(record?.height)
    sum.add((record?.format.rawValue).map { Array($0.utf8) })
    sum.add(record?.pages)
    return sum.value
  }
}

extension LedgerUnit {
  var sum: Int {
    var sum = RowSum()
    sum.add(id)
    sum.add(inputs.count)
    for input in inputs { sum.add(input) }
    sum.add(beside.count)
    for file in beside { sum.add(file) }
    sum.add((reason?.rawValue).map { Array($0.utf8) })
    sum.add(notes.count)
    return sum.value
  }
}
