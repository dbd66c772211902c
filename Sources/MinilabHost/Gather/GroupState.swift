import MinilabKit

/// The members of a gathered unit while it is worked on: which have failed, and what follows.
struct GroupState {
  private let group: GroupRequest
  private let policy: IncompletePolicy
  /// By their place in the group.
  private var failures: [Int: ItemError] = [:]

  /// The group is to be left out.
  struct Skipped: Error {
    /// What it lacks.
    let notes: [Note]
  }

  init(_ group: GroupRequest, _ policy: IncompletePolicy) {
    self.group = group
    self.policy = policy
    for (place, member) in group.members.enumerated() where member.error != nil {
      failures[place] = member.error
    }
  }

  /// The places of members that have not failed.
  var open: [Int] { group.members.indices.filter { failures[$0] == nil } }

  func member(_ place: Int) -> GroupMember { group.members[place] }

  mutating func fail(_ place: Int, _ error: ItemError) {
    failures[place] = error
  }

  /// Holds what has failed against the profile.
  ///
  /// - Throws: `Skipped`, or the unit's error where it has failed.
  func check() throws {
    let first = failures.min { $0.key < $1.key }
    if let first, failures.count == group.members.count { throw first.value }
    guard group.wanted != nil || first != nil else { return }
    switch policy {
    case .keep: return
    case .skip: throw Skipped(notes: notes)
    case .fail:
      throw ItemError.incompleteGroup(
        of: group.members.count,
        wanted: group.wanted,
        first.map { (group.members[$0.key].name, $0.value) }
      )
    }
  }

  /// What a group says of what it lacks, made all the same or left out.
  var notes: [Note] {
    var notes: [Note] = []
    let count = group.members.count
    if let wanted = group.wanted {
      notes.append(Note(.incompleteGroup, "the last group has \(count) of \(wanted) pictures"))
    }
    if !failures.isEmpty {
      let most = 5
      let named = failures.sorted { $0.key < $1.key }.prefix(most).map { place, error in
        "\(group.members[place].name.shown) (\(error.text))"
      }
      let more = failures.count > most ? " and \(failures.count - most) more" : ""
      let list = named.joined(separator: ", ") + more
      notes.append(
        Note(
          .incompleteGroup,
          "\(failures.count) of \(count) pictures \(failures.count == 1 ? "is" : "are") missing: \(list)"
        )
      )
    }
    return notes
  }

  /// What is said of single pictures, each note once, with their names before it.
  func naming(_ notes: [(place: Int, notes: [Note])]) -> [Note] {
    var order: [Note] = []
    var places: [Note: [Int]] = [:]
    for (place, own) in notes {
      for note in own {
        if places[note] == nil { order.append(note) }
        places[note, default: []].append(place)
      }
    }
    return order.map { note in
      let most = 3
      let all = places[note] ?? []
      let names = all.prefix(most).map { group.members[$0].name.shown }.joined(separator: ", ")
      let more = all.count > most ? " and \(all.count - most) more" : ""
      return Note(note.code, "\(names)\(more): \(note.text)")
    }
  }
}
