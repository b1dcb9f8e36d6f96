import Foundation
import Testing

extension Launchlab {
  /// The stages of a program that the probe sees, in their order.
  static let probeStages = ["exec", "load", "fixup", "init", "main_to_ready"]

  /// Splits launches of a command that become ready, and expects the sums to be right.
  func stages(
    _ options: [String] = [],
    of command: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> StagesResult {
    let session = try start(["stages", "--json", "-"] + options + ["--"] + command)
    let output = try await session.finish(sourceLocation: sourceLocation)
    #expect(session.leftovers == [], sourceLocation: sourceLocation)
    // A machine that drops idle pages may do so between the warm-up and the launch.
    let hasCooled = output.status == 125 && output.stderr.contains("did not reach warm")
    #expect(output.status == 0 || hasCooled, "\(output.stderr)", sourceLocation: sourceLocation)
    let result = try StagesResult(output.stdout)
    #expect(result.schema == "launchlab.stages/1", sourceLocation: sourceLocation)
    #expect(result.command == command, sourceLocation: sourceLocation)
    #expect(!result.blocks.isEmpty, sourceLocation: sourceLocation)
    for block in result.blocks { expectSums(of: block, sourceLocation: sourceLocation) }
    return result
  }

  /// Splits one launch of a command.
  func block(
    _ options: [String] = [],
    of command: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> StagesResult.Block {
    let result = try await stages(options, of: command, sourceLocation: sourceLocation)
    return try #require(result.blocks.first, sourceLocation: sourceLocation)
  }

  /// Expects that stages follow each other without a gap, and that their parts sum to them.
  func expectSums(
    of block: StagesResult.Block,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let timed = block.parts.filter { $0.ns != nil }
    var end: Int64 = 0
    for stage in timed {
      #expect(stage.startNs == end, "\(stage.name)", sourceLocation: sourceLocation)
      #expect((stage.ns ?? -1) >= 0, "\(stage.name)", sourceLocation: sourceLocation)
      end += stage.ns ?? 0
    }
    // What is printed, and marks alone, are details of the launch.
    guard ["launchlab.probe", "launchlab.breakpoints"].contains(block.format) else { return }
    #expect(end == block.totalNs, "\(block.program ?? "")", sourceLocation: sourceLocation)
    let main = timed.first { $0.name == "main_to_ready" }
    if let preMain = block.preMainNs {
      #expect(
        main?.startNs == preMain + (block.part("launcher")?.ns ?? 0),
        sourceLocation: sourceLocation
      )
    }
    for stage in block.parts.flatMap(\.all) {
      let parts = stage.children.filter { $0.kind == "part" }
      guard !parts.isEmpty else { continue }
      let sum = parts.compactMap(\.ns).reduce(0, +)
      #expect(sum == stage.ns, "parts of \(stage.name)", sourceLocation: sourceLocation)
    }
  }

  /// The paths of what the loader maps for a program besides it, by the loader's own account.
  ///
  /// The loader and the vDSO are among them, as they are for the probe.
  func librariesByLoader(of program: String) throws -> [String] {
    let output = try Tool.run("ldd", [program], in: directory)
    return output.stdout.split(separator: "\n").map { line in
      let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
      return words.first { $0.hasPrefix("/") } ?? words[0]
    }
  }
}
