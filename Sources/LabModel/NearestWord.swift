/// Finds the known word that a misspelt one was probably meant to be.
///
/// - Returns: The first of the nearest candidates, if it is at most 2 edits away and at most
///   half of the word was changed.
package func nearestWord(to word: String, in candidates: [String]) -> String? {
  // A word much longer than every candidate cannot be near, and its distance would be costly.
  guard word.unicodeScalars.count <= 64 else { return nil }
  let ranked = candidates.map { (word: $0, distance: editDistance(word, $0)) }
  guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
  return best.distance <= min(2, max(1, word.unicodeScalars.count / 2)) ? best.word : nil
}

/// Counts the insertions, deletions and substitutions of characters between two words.
///
/// Source: Wagner and Fischer, "The string-to-string correction problem", JACM 21 (1974).
package func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left.lowercased())
  let right = Array(right.lowercased())
  var previous = Array(0...right.count)
  for (row, character) in left.enumerated() {
    var current = [row + 1]
    for column in right.indices {
      let substitution = previous[column] + (character == right[column] ? 0 : 1)
      current.append(min(substitution, previous[column + 1] + 1, current[column] + 1))
    }
    previous = current
  }
  return previous[right.count]
}

/// Tells the user which word to write instead of an unknown one.
package func spellingRemedy(for word: String, among candidates: [String]) -> String {
  if let nearest = nearestWord(to: word, in: candidates) { return "write `\(nearest)`" }
  return "use one of: \(candidates.joined(separator: ", "))"
}
