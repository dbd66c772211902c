import Glibc
import MinilabKit

/// The keys of a profile's outputs, and the numbers under which a ledger has them.
///
/// A number also tells which profile has made an output, and as which of its outputs: what is to become of
/// a file is a question to that profile. Whether a file is up to date is a question to the key alone, so that
/// a profile whose file was renamed, moved or copied makes nothing again; what it finds becomes its own.
struct Recipes {
  private let keys: [ContentDigest]
  private let names: [String]
  /// As the ledger has it, without links on the way.
  private let profile: Path
  /// Of each output; nil where nothing was made by it yet.
  private var own: [Int?] = []
  /// Of each output all numbers that have its key, whoever made something by them.
  private var equal: [Set<Int>] = []

  init(_ profile: Profile, _ ledger: Ledger) throws(DatabaseError) {
    keys = OutputKeys.keys(of: profile)
    names = profile.outputs.map(\.name)
    self.profile = ledger.start?.profile ?? profile.file
    try look(in: ledger)
  }

  /// Takes the numbers of a ledger, which may be a new one.
  mutating func look(in ledger: Ledger) throws(DatabaseError) {
    own = []
    equal = []
    for (key, name) in zip(keys, names) {
      own.append(try ledger.recipe(key, profile, name))
      equal.append(try ledger.recipes(with: key))
    }
  }

  /// What was made by this number is what would be made now.
  ///
  /// `place`: of the output among those of a unit.
  func isCurrent(_ number: Int, at place: Int) -> Bool {
    equal[place % keys.count].contains(number)
  }

  /// What was made by this number is what would be made now, and belongs to another profile or output.
  func isForeign(_ number: Int, at place: Int) -> Bool {
    isCurrent(number, at: place) && own[place % keys.count] != number
  }

  /// Something that is up to date may belong to another profile or output.
  var mayBeForeign: Bool { zip(own, equal).contains { !$1.subtracting([$0 ?? -1]).isEmpty } }

  /// The number of an output's key, which the ledger has from now on.
  mutating func number(at place: Int, in ledger: Ledger) throws(DatabaseError) -> Int {
    let output = place % keys.count
    if let known = own[output] { return known }
    let number = try ledger.addRecipe(keys[output], profile, names[output])
    own[output] = number
    equal[output].insert(number)
    return number
  }

  /// The numbers of all that the profile has ever made, also under a name that its file has no longer.
  func all(in ledger: Ledger) throws(DatabaseError) -> Set<Int> {
    var all = try ledger.recipes(of: profile)
    for number in equal.joined() where !all.contains(number) {
      guard let maker = try ledger.maker(number) else { continue }
      let kind = try? System.kind(of: maker.profile)
      if kind == .nothing { all.insert(number) }
    }
    return all
  }
}
