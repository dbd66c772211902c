import Glibc
import MinilabKit

// What workers are told of a plan's units.

extension Plan {
  /// What a worker is asked about a unit's header; nil for one that none has to see.
  func probe(at index: Int) -> ProbeRequest? {
    guard fate(at: index) == nil, let format = format(at: index) else { return nil }
    return ProbeRequest(
      id: index,
      input: items.path(at: lead(of: index)),
      format: format,
      group: group(at: index)
    )
  }

  /// What a worker is to do; nil for a unit that none has to see.
  func unit(at index: Int) -> UnitRequest? {
    guard fate(at: index) == nil, let format = format(at: index) else { return nil }
    return UnitRequest(
      id: index,
      input: items.path(at: lead(of: index)),
      format: format,
      outputs: outputs(at: index),
      group: group(at: index)
    )
  }

  /// What a unit's files are, as far as their records tell.
  func file(at index: Int) -> FileHint? {
    guard let format = format(at: index) else { return nil }
    var hint = FileHint(format: format, bytes: 0, count: 0)
    for item in units.items(of: index) where items.items[item].format != nil {
      hint.bytes += (try? fileStatus(of: items.path(at: item))).map { Int($0.st_size) } ?? 0
      hint.count += 1
    }
    return hint.count > 0 ? hint : nil
  }

  private func group(at index: Int) -> GroupRequest? {
    guard isGathered else { return nil }
    let members = units.items(of: index).map { item in
      let below = items.relativePath(at: item)
      let path = items.root(at: item).path.appending(below)
      return GroupMember(
        input: path,
        rootLength: path.bytes.count - below.bytes.count,
        format: items.items[item].format,
        error: items.failure(at: item)
      )
    }
    return GroupRequest(members: members, wanted: units.missingFrom(index, gather))
  }
}
