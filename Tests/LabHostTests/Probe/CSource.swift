import Testing

@testable import LaunchCore

/// Parts of C programs with initializers.
enum CSource {
  static let prelude = "#include <unistd.h>\n#include <stdlib.h>\n"

  /// A constructor that prints its name, if it is given the arguments of the program.
  static func constructor(_ name: String, priority: Int? = nil) -> String {
    let attribute = priority.map { "constructor(\($0))" } ?? "constructor"
    return """
      __attribute__((\(attribute))) static void \(name)(int argc, char **argv, char **envp) {
        if (argc != 1 || !argv[0] || !envp) _exit(99);
        write(1, "\(name) ", sizeof "\(name) " - 1);
      }

      """
  }
}

extension ProbeBench.Seen {
  /// Where an initializer is in its object.
  func offset(of event: LaunchEvent) -> UInt64? {
    events(.objectOpened).first { $0.object == event.object && $0.pid == event.pid }
      .map { event.address &- $0.address }
  }

  /// Those of some names that are initializers of an object, in the order of events.
  func names(
    _ candidates: [String],
    of suffix: String,
    bench: ProbeBench
  ) throws -> [String] {
    let path = try #require(object(suffix)).text
    var symbols: [UInt64: String] = [:]
    for name in candidates { symbols[try #require(try bench.value(of: name, in: path))] = name }
    return initializers(of: suffix).compactMap { offset(of: $0).flatMap { symbols[$0] } }
  }
}
