/// One entry of `files:`: a file, a directory with all below it, a pattern, or an exclusion.
///
/// `*` and `?` stand for characters within one component of a path, `**` for any number of
/// components. Of several entries the last one that matches a path decides.
package struct FilePattern: Hashable, Sendable {
  /// Whether what matches is not the target's own; written as a leading `!`.
  package let isExclusion: Bool

  /// The deepest directory or file that no wildcard is above.
  package var root: String

  /// The components below ``root`` that have wildcards, or follow one; none for a plain path.
  private let components: [Substring]

  /// - Parameter text: An absolute path, after the `!` of an exclusion.
  package init(_ text: String) {
    isExclusion = text.hasPrefix("!")
    let names = text.dropFirst(isExclusion ? 1 : 0).split(separator: "/")
    let fixed = names.prefix { !Self.hasWildcard($0) }
    root = "/" + fixed.joined(separator: "/")
    components = Array(names.dropFirst(fixed.count))
  }

  /// A path whose characters all stand for themselves.
  package init(plain path: String) {
    isExclusion = false
    root = path
    components = []
  }

  /// Whether it names one file or directory, without wildcards.
  package var isPlain: Bool { components.isEmpty }

  /// Whether a text would be read as a plain path.
  package static func isPlain(_ text: String) -> Bool {
    !text.hasPrefix("!") && FilePattern(text).isPlain
  }

  /// Whether a path, or a directory that it lies in, is matched.
  package func matches(_ path: String) -> Bool {
    let base = root == "/" ? "" : root
    guard path.hasPrefix(base) else { return false }
    let rest = path.dropFirst(base.count)
    guard rest.isEmpty || rest.hasPrefix("/") else { return false }
    return Self.matches(components[...], rest.split(separator: "/")[...])
  }

  /// Whether the last of several patterns that matches a path says that it is the target's own;
  /// nil when none matches.
  package static func verdict(of patterns: [FilePattern], on path: String) -> Bool? {
    patterns.last { $0.matches(path) }.map { !$0.isExclusion }
  }

  private static func hasWildcard(_ name: Substring) -> Bool {
    name.contains("*") || name.contains("?")
  }

  private static func matches(
    _ pattern: ArraySlice<Substring>,
    _ path: ArraySlice<Substring>
  ) -> Bool {
    guard let first = pattern.first else { return true }
    if first == "**" {
      let rest = pattern.drop { $0 == "**" }
      return rest.isEmpty || path.indices.contains { matches(rest, path[$0...]) }
    }
    guard let name = path.first, matches(first.utf8, name.utf8) else { return false }
    return matches(pattern.dropFirst(), path.dropFirst())
  }

  /// Matches one component; `*` is tried anew from where it last stood.
  private static func matches(_ pattern: Substring.UTF8View, _ name: Substring.UTF8View) -> Bool {
    let pattern = Array(pattern)
    let name = Array(name)
    var (place, star, retry) = (0, -1, 0)
    var index = 0
    while index < name.count {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        (star, retry) = (place, index)
        place += 1
      } else if place < pattern.count,
        pattern[place] == UInt8(ascii: "?") || pattern[place] == name[index]
      {
        place += 1
        index += 1
      } else if star >= 0 {
        retry += 1
        (place, index) = (star + 1, retry)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
