/// A value of a text, and those that are part of it.
package struct StageTextNode: Hashable, Sendable {
  package var value: StageTextValue
  package var children: [StageTextNode]
}

extension StageTextBlock {
  /// The values as they are nested, in the order of the text; those without a depth are not.
  ///
  /// In a text with depths what is contained comes before what contains it: a module before the one
  /// that imports it, a function before its caller.
  package var tree: [StageTextNode] {
    var open: [(depth: Int, node: StageTextNode)] = []
    for value in stages {
      let depth = min(value.depth ?? 0, Self.deepest)
      var node = StageTextNode(value: value, children: [])
      while let last = open.last, last.depth > depth {
        node.children.append(last.node)
        open.removeLast()
      }
      node.children.reverse()
      open.append((depth, node))
    }
    return open.map(\.node)
  }

  /// So that no text makes a tree that is too deep to be walked.
  private static let deepest = 200
}
