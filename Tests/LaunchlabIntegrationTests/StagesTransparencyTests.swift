import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What a target can see of being watched.
  @Suite struct StagesTransparencyTests {
    /// A collector, and the variables that it adds.
    struct Collector: CustomTestStringConvertible, Sendable {
      let options: [String]
      let variables: [String]
      var testDescription: String { options.joined(separator: " ") }
    }

    @Test(arguments: [
      Collector(options: ["--collect", "probe"], variables: ["GLIBC_TUNABLES", "LD_AUDIT"]),
      Collector(options: ["--probe-hidden"], variables: []),
      Collector(options: ["--collect", "breakpoints"], variables: []),
      Collector(options: ["--collect", "text"], variables: []),
      Collector(options: ["--collect", "marks"], variables: ["LAUNCHLAB_EVENTS"]),
      Collector(
        options: ["--collect", "statistics"],
        variables: ["LD_DEBUG", "LD_DEBUG_OUTPUT"]
      ),
    ]) func `adds nothing to the environment but what it says`(
      collector: Collector
    ) async throws {
      let lab = Launchlab()
      // The shell would not show a variable that the loader took away; printenv is the target.
      try lab.writeScript("#!/bin/sh\nexec printenv > \"$1\"\n", to: "script")
      // The padding has another length in each launch.
      let unpadded = ["--control", "env_size=off"]

      let measured = ["measure", "--launches", "1"] + unpadded + ["--", "./script", "plain"]
      _ = try await lab.start(measured).finish()
      _ = try await lab.stages(collector.options + unpadded, of: ["./script", "watched"])

      let plain = try variables(in: "plain", of: lab)
      let watched = try variables(in: "watched", of: lab)
      #expect(plain.count > 2)
      #expect(watched.filter { !collector.variables.contains($0.key) } == plain)
      let added = Set(watched.keys).subtracting(plain.keys)
      #expect(added == Set(collector.variables))
    }

    private func variables(in name: String, of lab: Launchlab) throws -> [String: String] {
      let text = try String(contentsOfFile: lab.path(name), encoding: .utf8)
      let pairs = text.split(separator: "\n").map { line in
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      }
      // Each lab has a directory of its own for temporary files.
      return Dictionary(uniqueKeysWithValues: pairs.filter { $0.0 != "TMPDIR" })
    }

    @Test(arguments: [
      ["--collect", "probe"], ["--probe-hidden"], ["--collect", "breakpoints"],
      ["--collect", "marks"],
    ]) func `leaves the same descriptors open`(options: [String]) async throws {
      let lab = Launchlab()
      try lab.writeScript("#!/bin/sh\nexec ls -l /proc/self/fd > \"$1\"\n", to: "script")

      _ = try await lab.run("measure", "--launches", "1", "--", "./script", "plain")
      _ = try await lab.stages(options, of: ["./script", "watched"])

      #expect(try descriptors(in: "watched", of: lab) == descriptors(in: "plain", of: lab))
    }

    /// Each descriptor with what it leads to, without the numbers of pipes and processes.
    private func descriptors(in name: String, of lab: Launchlab) throws -> [String] {
      let text = try String(contentsOfFile: lab.path(name), encoding: .utf8)
      let lines = text.split(separator: "\n").filter { $0.contains(" -> ") }
      #expect(lines.count >= 3)
      return lines.map { line in
        let words = line.split(separator: " ")
        let target = words[words.count - 1].replacing(name, with: "").filter { !$0.isNumber }
        return "\(words[words.count - 3]) \(target)"
      }
    }

    /// A target that does not become ready, and how it ends.
    struct Failure: CustomTestStringConvertible, Sendable {
      let options: [String]
      let source: String
      let outcome: String
      var testDescription: String { "\(source) \(options.joined(separator: " "))" }
    }

    private static let exit = "print \"out\\n\"; print STDERR \"err\\n\"; exit 3"

    @Test(arguments: [
      Failure(options: [], source: exit, outcome: "exited with status 3"),
      Failure(
        options: ["--collect", "breakpoints"],
        source: exit,
        outcome: "exited with status 3"
      ),
      Failure(options: ["--collect", "marks"], source: exit, outcome: "exited with status 3"),
      Failure(
        options: ["--launches", "5"],
        source: exit,
        outcome: "exited with status 3, 3 times in a row"
      ),
      Failure(options: [], source: "kill 'SEGV', $$; sleep 9", outcome: "ended by signal 11"),
      Failure(options: ["--timeout", "300ms"], source: "sleep 99", outcome: "timed out"),
    ]) func `shows the stages of a target that fails, and what it printed`(
      failure: Failure
    ) async throws {
      let lab = Launchlab()
      try lab.writeProgram(failure.source)

      let text = try await lab.run(failure.options, "./program")
      let json = try await lab.run(failure.options + ["--json", "-"], "./program")

      for output in [text, json] {
        #expect(output.status == 128)
        #expect(output.stderr.contains("error: \(failure.outcome)"), "\(output.stderr)")
        // Nothing is stored that could be exported.
        #expect(!output.stderr.contains("launchlab export"))
        guard failure.source == Self.exit else { continue }
        #expect(output.stderr.contains("stdout | out"), "\(output.stderr)")
        #expect(output.stderr.contains("stderr | err"), "\(output.stderr)")
      }
      let phrases = ["not ready", "none of them ready"]
      #expect(phrases.contains(where: text.stdout.contains), "\(text.stdout)")
      let result = try StagesResult(json.stdout)
      #expect(result.blocks.allSatisfy { $0.totalNs == nil })
      #expect(result.summaries.allSatisfy { $0.launches == 0 && $0.notReady > 0 })
      if failure.options.first != "--collect" {
        #expect(result.blocks.allSatisfy { $0.preMainNs != nil })
        let stages = result.blocks.map { $0.parts.filter { $0.ns != nil }.map(\.name) }
        #expect(stages.allSatisfy { $0 == ["exec", "load", "fixup", "init"] })
        #expect(result.blocks.allSatisfy { $0.notes("did not become ready") })
      }
    }
  }
}

extension Launchlab {
  fileprivate func run(
    _ options: [String],
    _ command: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Tool.Output {
    let session = try start(["stages"] + options + ["--"] + command)
    let output = try await session.finish(sourceLocation: sourceLocation)
    #expect(session.leftovers == [], sourceLocation: sourceLocation)
    return output
  }
}
