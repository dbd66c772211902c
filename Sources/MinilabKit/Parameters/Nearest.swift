/// The candidate that a misspelt word most likely meant, or nil where none is near.
public func nearestName(to word: String, among candidates: [String]) -> String? {
  let scored = candidates.map { (name: $0, distance: editDistance(word, $0)) }
  guard let best = scored.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else {
    return nil
  }
  return best.distance <= max(2, word.count / 2) ? best.name : nil
}

/// What an error says was expected, with the nearest name where there is one.
public func expectedName(_ kind: String, for word: String, among candidates: [String]) -> String {
  guard let nearest = nearestName(to: word, among: candidates) else {
    return "\(kind) (one of \(candidates.sorted().joined(separator: ", ")))"
  }
  return "\(kind) (did you mean \"\(nearest)\"?)"
}

/// The number of insertions, deletions and replacements that lead from one word to the other
/// (Levenshtein 1966).
func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left)
  let right = Array(right)
  var row = Array(0...right.count)
  for i in left.indices {
    var diagonal = row[0]
    row[0] = i + 1
    for j in right.indices {
      let above = row[j + 1]
      let replaced = diagonal + (left[i] == right[j] ? 0 : 1)
      row[j + 1] = min(replaced, row[j] + 1, above + 1)
      diagonal = above
    }
  }
  return row[right.count]
}
