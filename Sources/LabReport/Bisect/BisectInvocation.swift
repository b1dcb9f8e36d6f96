/// The words of the command line that a bisection was asked for by, for commands that repeat some of
/// them.
package struct BisectInvocation {
  private let options: [[String]]

  /// What follows `--`; empty without it.
  private let command: [String]

  /// Options that only `bisect` has, with a value or without one; those of a launch are others.
  package static let ownOptions: Set = [
    "--scenario", "--build", "--submodules", "--artifacts", "--alert", "--target", "--state",
    "--metric", "--find", "--min-effect", "--confidence", "--max-launches", "--max-builds",
    "--max-time", "--build-timeout", "--jobs", "--skip", "--path", "--resume", "--replay",
    "--simulate", "--store", "--wait", "--json", "--markdown", "--git-log",
  ]
  package static let ownFlags: Set = ["--all", "--force", "--retry-failed", "--verbose", "-v"]

  /// Options that another range does not take over: where answers go, and which commits are skipped.
  private static let once: Set = ["--json", "--markdown", "--git-log", "--skip"]

  /// - Parameters:
  ///   - words: Those after `bisect`.
  ///   - range: The range as it was written, which is left out.
  package init(words: [String], range: String) {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    command = Array(words[end...])
    var rest = words[..<end]
    if let place = rest.firstIndex(of: range) { rest.remove(at: place) }
    var options: [[String]] = []
    for word in rest {
      if word != "-", word.hasPrefix("-") || options.isEmpty {
        options.append([word])
      } else {
        options[options.endIndex - 1].append(word)
      }
    }
    self.options = options
  }

  /// The words of `bisect` for another range, with the same options.
  package func bisection(of range: String) -> [String] {
    [range] + options.filter { !Self.once.contains(Self.name($0)) }.flatMap(\.self) + command
  }

  /// The options that say how a command is launched.
  package var launchOptions: [String] {
    options.filter {
      let name = Self.name($0)
      return !Self.ownOptions.contains(name) && !Self.ownFlags.contains(name)
    }
    .flatMap(\.self)
  }

  private static func name(_ option: [String]) -> String {
    String(option[0].prefix { $0 != "=" })
  }
}
