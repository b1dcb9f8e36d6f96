import Foundation
package import LaunchCore
package import Stages

/// Reads the stages that a program or its loader has printed.
package struct LoaderLogWorkflow {
  private let path: String
  private let options: LoaderLogOptions

  /// - Parameters:
  ///   - path: The file; `-` means stdin.
  ///   - isStrict: Whether what no loader prints, and what is not complete, is refused.
  ///   - glibc: The version of the glibc that printed the text, such as `2.36`.
  ///   - cyclesPerSecond: How many of its cycles are a second.
  ///   - patterns: Regular expressions with the groups `stage`, `value` and `unit`.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)``.
  package init(
    path: String,
    isStrict: Bool,
    glibc: String?,
    cyclesPerSecond: Double?,
    patterns: [String]
  ) throws {
    self.path = path
    var options = LoaderLogOptions(mode: isStrict ? .strict : .lenient)
    options.glibc = try glibc.map { text in
      guard let version = GlibcVersion(text) else {
        throw WorkflowError.badOption(
          name: "--glibc",
          value: text,
          expected: "a version such as 2.36"
        )
      }
      return version
    }
    if let cyclesPerSecond, !(cyclesPerSecond.isFinite && cyclesPerSecond > 0) {
      throw WorkflowError.badOption(
        name: "--cycles-per-second",
        value: "\(cyclesPerSecond)",
        expected: "a frequency above 0, in hertz"
      )
    }
    options.cyclesPerSecond = cyclesPerSecond
    options.patterns = try patterns.map { text in
      do throws(StagePatternError) {
        return try StagePattern(text)
      } catch {
        throw WorkflowError.badPattern(problem: "\(error)", remedy: error.remedy)
      }
    }
    self.options = options
  }

  /// Reads the whole text, and what it says.
  ///
  /// - Throws: ``WorkflowError/cannotRead(path:reason:)``.
  package func run() throws -> LoaderLogResult {
    LoaderLog.parse(try bytes(), name: path == "-" ? "stdin" : path, options: options)
  }

  private func bytes() throws -> [UInt8] {
    guard path != "-" else { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) }
    do {
      return Array(try Data(contentsOf: URL(filePath: path)))
    } catch {
      throw WorkflowError.cannotRead(path, because: error)
    }
  }
}

extension LoaderLogWorkflow {
  /// The exit code that reading ends with.
  ///
  /// Strictly read, a text that is refused is bad input; one that says nothing is inconclusive.
  package func exitCode(of result: LoaderLogResult) -> LabExitCode {
    if options.mode == .strict, result.hasErrors { return .usage }
    return result.isEmpty ? .inconclusive : .done
  }
}

extension URL {
  /// Whether a directory is there; false when that cannot be told.
  fileprivate var isDirectory: Bool {
    (try? resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory ?? false
  }
}
