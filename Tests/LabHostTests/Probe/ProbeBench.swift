import Foundation
import LabTestSupport

@testable import LaunchCore
@testable import LaunchHost

/// A probe and a spawner for one test, and a compiler for programs to try them on.
final class ProbeBench {
  let probe: StageProbe
  let spawner: Spawner
  let directory: String

  /// The C compiler of this machine; nil when there is none.
  static let compiler = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  init(directory: String = TemporaryDirectory.path) throws {
    self.directory = directory
    probe = try StageProbe(fallback: directory)
    spawner = try Spawner()
  }

  deinit {
    spawner.close()
    probe.remove()
  }

  /// What a launch was, and what the probe saw of it.
  struct Seen {
    var result: LaunchResult
    var observation: StageObservation

    var output: String { String(decoding: result.output.stdout.head, as: UTF8.self) }

    var errorOutput: String { String(decoding: result.output.stderr.head, as: UTF8.self) }

    func events(_ kind: LaunchEvent.Kind) -> [LaunchEvent] {
      observation.events.filter { $0.kind == kind }
    }

    /// The objects of the first program by their numbers, whose paths end like this.
    func object(_ suffix: String) -> LaunchEvent? {
      events(.objectOpened).first { $0.text.hasSuffix(suffix) }
    }

    /// The initializers of an object.
    func initializers(of suffix: String) -> [LaunchEvent] {
      guard let object = object(suffix) else { return [] }
      return events(.initializer).filter { $0.object == object.object && $0.pid == object.pid }
    }
  }

  /// Launches a program with the probe.
  func launch(
    _ command: [String],
    environment: [String: String] = ["PATH": "/usr/bin:/bin"]
  ) throws -> Seen {
    try probe.reset()
    let result = try run(command, environment: probe.environment(addingTo: environment))
    let trace = result.trace ?? LaunchTrace(begin: .zero, process: 0)
    let ready = result.launch.map { trace.begin + $0 }
    return Seen(result: result, observation: try probe.observation(from: trace, ready: ready))
  }

  /// Launches a program as it is.
  func run(
    _ command: [String],
    environment: [String: String] = ["PATH": "/usr/bin:/bin"]
  ) throws -> LaunchResult {
    let request = try LaunchRequest(
      program: command[0],
      arguments: command,
      environment: environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" },
      directory: directory,
      timeout: .seconds(60)
    )
    return try spawner.launch(request)
  }

  /// Compiles a C program, or a library when the name ends with `.so`, and gives its path.
  func compile(_ name: String, _ source: String, _ options: [String] = []) throws -> String {
    let file = "\(directory)/\(name).c"
    try source.write(toFile: file, atomically: false, encoding: .utf8)
    return try compile(name, file: file, options)
  }

  /// Compiles a file in whatever language its name says.
  func compile(_ name: String, file: String, _ options: [String]) throws -> String {
    let output = "\(directory)/\(name)"
    let shared = name.hasSuffix(".so") ? ["-shared", "-fPIC"] : []
    let process = Process()
    process.executableURL = URL(filePath: Self.compiler ?? "/usr/bin/cc")
    process.arguments = ["-O1", "-w"] + shared + ["-o", output, file] + options
    process.currentDirectoryURL = URL(filePath: directory)
    try process.run()
    process.waitUntilExit()
    struct CompilerFailed: Error {
      var options: [String]
    }
    guard process.terminationStatus == 0 else { throw CompilerFailed(options: options) }
    return output
  }

  /// The value of a symbol of a file, by `nm`.
  func value(of symbol: String, in path: String) throws -> UInt64? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/nm")
    process.arguments = [path]
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let line = text.split(separator: "\n").first { $0.hasSuffix(" \(symbol)") }
    return line?.split(separator: " ").first.flatMap { UInt64($0, radix: 16) }
  }
}
