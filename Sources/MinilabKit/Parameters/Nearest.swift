/// The candidate that a misspelt word most likely meant, or nil where none is near.
public func nearestName(to word: String, among candidates: [String]) -> String? {
  // No name is nearly as long; a text that was put there by mistake may be.
  guard word.unicodeScalars.prefix(longestWord + 1).count <= longestWord else { return nil }
  let count = word.count
  let scored = candidates.filter { abs($0.count - count) <= max(2, count / 3) }
    .map { (name: $0, distance: editDistance(word, $0)) }
  guard let best = scored.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else {
    return nil
  }
  // Two letters left out are still that word; two others make a short word any other.
  let isShortened = best.name.count - word.count == best.distance
  let most = word.count <= 4 && !isShortened ? 1 : max(2, word.count / 3)
  return best.distance <= most ? best.name : nil
}

/// In code points.
private let longestWord = 200

/// What an error says was expected, with the nearest name where there is one.
public func expectedName(_ kind: String, for word: String, among candidates: [String]) -> String {
  guard let nearest = nearestName(to: word, among: candidates) else {
    return "\(kind) (one of \(candidates.sorted().joined(separator: ", ")))"
  }
  return "\(kind) (did you mean \"\(nearest)\"?)"
}

/// The number of insertions, deletions, replacements and swaps of neighbors that lead from one word
/// to the other (optimal string alignment; Damerau 1964).
func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left)
  let right = Array(right)
  var rows = [Array(0...right.count)]
  for i in left.indices {
    var row = [i + 1]
    for j in right.indices {
      let replaced = rows[i][j] + (left[i] == right[j] ? 0 : 1)
      var least = min(replaced, row[j] + 1, rows[i][j + 1] + 1)
      if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
        least = min(least, rows[i - 1][j - 1] + 1)
      }
      row.append(least)
    }
    rows.append(row)
  }
  return rows[left.count][right.count]
}
