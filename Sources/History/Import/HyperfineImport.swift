package import Foundation
package import LaunchCore

/// A file that `hyperfine --export-json` wrote: each of its commands is a target.
package struct HyperfineImport {
  package let night: ImportedNight

  /// What a reader of the values should know.
  package let warnings: [Diagnostic]

  /// Reads a file.
  ///
  /// Every time counts, whatever the exit status: hyperfine ends at the first other than 0, unless
  /// it is told to ignore that.
  ///
  /// - Parameters:
  ///   - content: What the file holds.
  ///   - path: Its path, for messages.
  ///   - startedAt: When it was measured.
  ///   - options: What is taken for true of all commands.
  /// - Throws: ``ImportError`` with every problem.
  package init(
    _ content: Data,
    path: String,
    startedAt: Date,
    options: ImportOptions
  ) throws(ImportError) {
    let file = try Self.decoded(content, path: path)
    var reader = Reader(path: path, options: options, count: file.results.count)
    let arms = file.results.enumerated().compactMap { reader.arm($1, at: $0) }
    guard reader.problems.isEmpty else { throw ImportError(reader.problems) }
    warnings = reader.warnings
    night = ImportedNight(
      startedAt: startedAt,
      host: options.host,
      commit: options.commit,
      arms: arms
    )
  }

  private static func decoded(_ content: Data, path: String) throws(ImportError) -> File {
    let problem: String
    do {
      let file = try JSONDecoder().decode(File.self, from: content)
      if !file.results.isEmpty { return file }
      problem = "it has no results"
    } catch let error as DecodingError {
      problem = reason(of: error)
    } catch {
      problem = "\(error)"
    }
    throw ImportError([
      Diagnostic(
        .error,
        id: "import-hyperfine",
        problem: "\"\(path)\" is not a result of hyperfine: \(problem)",
        place: path,
        remedy: "write one with `hyperfine --export-json FILE`, or name the format with --format"
      )
    ])
  }

  private static func reason(of error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      "\(place(context)) has no \"\(key.stringValue)\""
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\(place(context)) has an unexpected form"
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "it is not JSON"
    case .dataCorrupted(let context): "\(place(context)) is damaged"
    @unknown default: "it cannot be read"
    }
  }

  private static func place(_ context: DecodingError.Context) -> String {
    let path = context.codingPath.map { key in
      key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
    }
    return path.isEmpty ? "it" : "\"\(path.joined().drop { $0 == "." })\""
  }

  // The field names are hyperfine's own.

  private struct File: Decodable {
    var results: [Result]
  }

  fileprivate struct Result: Decodable {
    var command: String
    var times: [Double]
    var memory: [Int64?]?
    var exitCodes: [Int?]?
    var parameters: [String: String]?

    enum CodingKeys: String, CodingKey {
      case command, times, parameters
      case memory = "memory_usage_byte"
      case exitCodes = "exit_codes"
    }
  }
}

/// Turns results into arms, and gathers what is wrong with them.
private struct Reader {
  let path: String
  let options: ImportOptions

  /// How many results there are.
  let count: Int

  var problems: [Diagnostic] = []
  var warnings: [Diagnostic] = []
  private var names: [LaunchState: Set<String>] = [:]

  init(path: String, options: ImportOptions, count: Int) {
    self.path = path
    self.options = options
    self.count = count
  }

  mutating func arm(_ result: HyperfineImport.Result, at index: Int) -> ImportedArm? {
    let place = "results[\(index)]"
    if result.times.isEmpty { problem("the command \"\(result.command)\" has no times", place) }
    if result.times.contains(where: { !($0 >= 0 && $0 < 9e9) }) {
      problem("a time of the command \"\(result.command)\" is not a number of seconds", place)
      return nil
    }
    let failed = (result.exitCodes ?? []).count { $0 != nil && $0 != 0 }
    if failed > 0 { warn(failed, of: result) }
    let state = result.parameters?["state"].flatMap(LaunchState.init(rawValue:)) ?? options.state
    var values: [Metric: [Int64]] = [
      .launch: result.times.map { Int64(clamping: ($0 * 1e9).rounded()) }
    ]
    let memory = (result.memory ?? []).compactMap(\.self).filter { $0 >= 0 }
    if memory.count == result.times.count, !memory.isEmpty { values[.peakRSS] = memory }
    return ImportedArm(
      target: name(of: result, in: state),
      state: state,
      command: ["sh", "-c", result.command],
      values: values
    )
  }

  /// What launchlab itself exported has the name of its target; commands make names otherwise.
  private mutating func name(of result: HyperfineImport.Result, in state: LaunchState) -> String {
    let given = count == 1 ? options.target : nil
    let text = given ?? result.parameters?["target"] ?? result.command
    let prefix = options.target.map { count == 1 ? "" : "\($0)-" } ?? ""
    let name = ImportedName.name(from: prefix + text, besides: names[state] ?? [])
    names[state, default: []].insert(name)
    return name
  }

  private mutating func problem(_ text: String, _ place: String) {
    problems.append(
      Diagnostic(
        .error,
        id: "import-hyperfine",
        problem: text,
        place: "\(path): \(place)",
        remedy: "measure it again with `hyperfine --export-json FILE`"
      )
    )
  }

  private mutating func warn(_ failed: Int, of result: HyperfineImport.Result) {
    let launches = failed == 1 ? "1 launch" : "\(failed) launches"
    warnings.append(
      Diagnostic(
        .warning,
        id: "import-exit-status",
        problem: "\(launches) of \"\(result.command)\" ended with another exit status than 0, "
          + "which hyperfine was told to ignore, and count",
        place: path
      )
    )
  }
}
