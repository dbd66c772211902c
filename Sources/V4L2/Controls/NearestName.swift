/// The word that differs in the fewest letters, if few; for a misspelt name.
func nearestName(to word: String, among words: [String]) -> String? {
  let distances = words.map { ($0, distance(Array(word.utf8), Array($0.utf8))) }
  guard let best = distances.min(by: { $0.1 < $1.1 }) else { return nil }
  return best.1 <= max(2, word.utf8.count / 3) ? best.0 : nil
}

/// Of Levenshtein.
private func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
  var row = Array(0...other.count)
  for (index, letter) in one.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for column in other.indices {
      let replaced = diagonal + (letter == other[column] ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
    }
  }
  return row[other.count]
}
