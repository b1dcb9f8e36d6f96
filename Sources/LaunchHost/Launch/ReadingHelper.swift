import LaunchCore
import Subprocess
import SystemPackage

/// A native program that reads files after the launches, and answers once.
///
/// It is a process of its own, since reading maps the files, and damaged ones may break it.
struct ReadingHelper: Sendable {
  /// What it is called in messages, such as `the symbol reader`.
  let name: String

  /// The program that reads.
  let helper: EmbeddedHelper

  /// Variables of its environment besides launchlab's own.
  let variables: [String: String]

  /// How long reading may take altogether.
  let limit: Duration

  /// Why there is no answer, as a clause without a full stop.
  struct Failure: Error {
    let reason: String
  }

  /// Runs the program once.
  ///
  /// - Parameters:
  ///   - arguments: Those after its name.
  ///   - question: What it can read from standard input.
  /// - Returns: What it wrote, or why there is nothing; never what it had written until it failed.
  func answer(
    _ arguments: [String],
    to question: [UInt8] = []
  ) async -> Result<[UInt8], Failure> {
    let program: String
    do throws(HostError) {
      program = try helper.unpacked()
    } catch {
      let problem = error.diagnostics.first?.problem ?? "\(name) cannot be unpacked"
      return .failure(Failure(reason: problem))
    }
    let reading = LimitedWork(limit: limit) { try await read(program, arguments, question) }
    let (result, obstacle) = await reading.result()
    if case .success(.success(let bytes)) = result { return .success(bytes) }
    if obstacle != nil { return .failure(Failure(reason: "reading took longer than \(limit)")) }
    guard case .success(let answer) = result else {
      return .failure(Failure(reason: "\(name) cannot be run"))
    }
    return answer
  }

  /// Runs the program; its loader ends with status 127 when it lacks a library.
  private func read(
    _ program: String,
    _ arguments: [String],
    _ question: [UInt8]
  ) async throws -> Result<[UInt8], Failure> {
    let input = try MemoryFile.make(question)
    defer { try? input.close() }
    let result = try await run(
      .path(FilePath(program)),
      arguments: Arguments(arguments),
      environment: environment,
      input: .fileDescriptor(input, closeAfterSpawningProcess: false),
      output: .sequence,
      error: .string(limit: 1 << 16)
    ) { try await $0.standardOutput.bytes(upTo: 256 << 20) }
    let reason: String
    switch result.terminationStatus {
    case .exited(0): return .success(result.closureResult)
    case .exited(127):
      reason = "the library libdw cannot be loaded; install it, such as the package libdw1"
    case .exited(let code): reason = "\(name) ended with status \(code)"
    case .signaled(let signal): reason = "\(name) ended with signal \(signal)"
    }
    return .failure(Failure(reason: reason))
  }

  /// Keeps the program from asking servers for debug files, and from what is meant for targets.
  private var environment: Environment {
    let quiet: [Environment.Key: String?] = [
      "DEBUGINFOD_URLS": nil, "LD_AUDIT": nil, "LD_DEBUG": nil, "LD_PRELOAD": nil,
    ]
    return variables.reduce(Environment.inherit.updating(quiet)) { environment, variable in
      guard let key = Environment.Key(rawValue: variable.key) else { return environment }
      return environment.updating([key: variable.value])
    }
  }
}

extension SubprocessOutputSequence {
  /// Reads all of it into no more memory than it takes.
  ///
  /// - Throws: `TooManyBytes`, and what reading throws.
  func bytes(upTo limit: Int) async throws -> [UInt8] {
    try await bytes(upTo: limit) { buffer, bytes in
      unsafe buffer.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
  }
}
