package import LabModel
import Subprocess
import SystemPackage

/// Names the functions that a launch spent its time in.
///
/// Names are read in a process of its own, after the launches, since reading maps the files.
package struct SymbolReader: Sendable {
  /// Where separate debug files are looked for, in the form of libdwfl's `debuginfo_path`.
  ///
  /// Nil is its default: the file's own directory, `.debug` below it, and `/usr/lib/debug`.
  var debugDirectories: String?

  /// The program that reads; tests put another in its place.
  var helper = EmbeddedHelper.symbols

  /// Variables of the helper's environment besides launchlab's own.
  var variables: [String: String] = [:]

  /// How long reading may take altogether; the helper itself allows each file 10 s.
  var limit = Duration.seconds(60)

  package init() {}

  /// Finds the function that holds each place: by the symbols of the file, else of its separate
  /// debug file, else by its exported symbols.
  ///
  /// - Parameter places: The offset of each is the virtual address in the file. They may be many,
  ///   and may repeat; those without an offset, or not in a file, have no name.
  /// - Returns: Readable names of the places that have one, C++, Swift and old Rust names
  ///   demangled; and why others could not be had, as sentences without a full stop.
  package func symbols(
    for places: [CodePlace]
  ) async -> (names: [CodePlace: String], notes: [String]) {
    let query = SymbolQuery(places)
    guard !query.isEmpty else { return ([:], []) }
    switch await answer(to: query.bytes) {
    case .success(let bytes):
      return query.answer(bytes) ?? ([:], ["no names of functions: they were not understood"])
    case .failure(let problem):
      return ([:], [problem.note])
    }
  }

  /// Why there are no names at all.
  private struct Problem: Error {
    let note: String

    init(_ reason: String) { note = "no names of functions: \(reason)" }
  }

  private func answer(to question: [UInt8]) async -> Result<[UInt8], Problem> {
    let program: String
    do throws(HostError) {
      program = try helper.unpacked()
    } catch {
      let problem = error.diagnostics.first?.problem ?? "the symbol reader cannot be unpacked"
      return .failure(Problem(problem))
    }
    let reading = Task { try await read(program, question) }
    let watch = Task {
      try await Task.sleep(for: limit)
      reading.cancel()
    }
    defer { watch.cancel() }
    let result = await withTaskCancellationHandler {
      await reading.result
    } onCancel: {
      reading.cancel()
    }
    if case .success(.success(let bytes)) = result { return .success(bytes) }
    if reading.isCancelled { return .failure(Problem("reading took longer than \(limit)")) }
    guard case .success(let answer) = result else {
      return .failure(Problem("the symbol reader cannot be run"))
    }
    return answer
  }

  /// Runs the helper; its loader ends with status 127 when it lacks a library.
  private func read(
    _ program: String,
    _ question: [UInt8]
  ) async throws -> Result<[UInt8], Problem> {
    let input = try MemoryFile.make(question)
    defer { try? input.close() }
    let result = try await run(
      .path(FilePath(program)),
      arguments: Arguments(debugDirectories.map { [$0] } ?? []),
      environment: environment,
      input: .fileDescriptor(input, closeAfterSpawningProcess: false),
      output: .bytes(limit: 256 << 20),
      error: .string(limit: 1 << 16)
    )
    switch result.terminationStatus {
    case .exited(0):
      return .success(result.standardOutput)
    case .exited(127):
      return .failure(
        Problem("the library libdw cannot be loaded; install it, such as the package libdw1")
      )
    case .exited(let code):
      return .failure(Problem("the symbol reader ended with status \(code)"))
    case .signaled(let signal):
      return .failure(Problem("the symbol reader ended with signal \(signal)"))
    }
  }

  /// Keeps the helper from asking servers for debug files, and from what is meant for targets.
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
