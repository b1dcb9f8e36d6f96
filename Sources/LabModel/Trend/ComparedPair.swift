/// Two targets of a run that are held against each other.
package struct ComparedPair: Hashable, Codable, Sendable {
  /// What the two have in common, such as the name of the target that both are builds of.
  package var name: String

  /// The name of the target that the other is compared with.
  package var baseline: String

  /// The name of the target that is judged.
  package var candidate: String

  package init(name: String, baseline: String, candidate: String) {
    self.name = name
    self.baseline = baseline
    self.candidate = candidate
  }
}
