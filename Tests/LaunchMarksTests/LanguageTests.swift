import Foundation
import LabTestSupport
import Testing

/// The examples of other languages, and the shared library that they call.
@Suite(.temporaryDirectory, .enabled(if: Workbench.has("cc"), "needs a C compiler, cc"))
struct LanguageTests {
  private var path: String { "\(TemporaryDirectory.path)/events" }
  private var libraryPath: [String: String] { ["LD_LIBRARY_PATH": TemporaryDirectory.path] }

  private static let outline = ["interval database", "mark first frame: ✓", "mark ready"]

  /// Makes the library as scripts/build does.
  private func makeLibrary() throws -> String {
    let path = "\(TemporaryDirectory.path)/liblaunchmarks.so"
    let script = try String(
      contentsOfFile: "\(Workbench.languages)/../../../scripts/build",
      encoding: .utf8
    )
    let command = try #require(script.components(separatedBy: "\"$compiler\" ").last)
      .replacing("\\\n", with: "").split(whereSeparator: \.isWhitespace).map(String.init)
    var options = command.map { $0 == ".build/release/liblaunchmarks.so" ? path : $0 }
    options = options.map { $0 == "Sources/LaunchMarks/library.c" ? Workbench.library : $0 }
    options = options.map { $0 == "Sources/LaunchMarks/include" ? Workbench.header : $0 }
    let result = try Workbench.run(["/usr/bin/env", "cc"] + options + ["-Wall", "-Werror"])
    try #require(result.status == 0, "\(result.stderr)")
    return path
  }

  /// Expects that a program marks its launch where there is one, and works without.
  private func expectMarks(of command: [String]) throws {
    let file = try MarksFile(at: path)
    #expect(
      try Workbench.run(command, events: path, adding: libraryPath) == Workbench.Run(stdout: "")
    )
    let events = try file.events()
    #expect(events.outline == Self.outline)
    #expect(events.unfinished.isEmpty)
    #expect(try Workbench.run(command, adding: libraryPath) == Workbench.Run(stdout: ""))
    #expect(try file.events() == events)
  }

  @Test func `the library shows four functions and needs libc only`() throws {
    let library = try makeLibrary()
    let functions = try Workbench.run(["/usr/bin/env", "nm", "-D", "--defined-only", library])
    #expect(
      functions.lines.map { $0.split(separator: " ").last } == [
        "launch_interval_begin", "launch_interval_end", "launch_mark", "launch_ready",
      ]
    )
    let needed = try Workbench.run(["/usr/bin/env", "readelf", "-d", library])
      .lines.filter { $0.contains("NEEDED") }
    #expect(needed.count == 1 && needed.allSatisfy { $0.contains("libc.so.6") })
  }

  @Test(.enabled(if: Workbench.has("python3"), "python3 is not installed"))
  func `Python calls the library`() throws {
    _ = try makeLibrary()
    try expectMarks(of: ["/usr/bin/env", "python3", "\(Workbench.languages)/start.py"])
  }

  @Test(.enabled(if: Workbench.has("rustc"), "rustc is not installed"))
  func `Rust calls the library`() throws {
    _ = try makeLibrary()
    let program = "\(TemporaryDirectory.path)/program"
    let result = try Workbench.run(
      [
        "/usr/bin/env", "rustc", "-O", "--edition", "2021", "-D", "warnings",
        "\(Workbench.languages)/start.rs", "-L", TemporaryDirectory.path, "-l", "launchmarks", "-o",
        program,
      ],
      adding: home
    )
    try #require(result.status == 0, "\(result.stderr)")
    try expectMarks(of: [program])
  }

  @Test(.enabled(if: Workbench.has("go"), "go is not installed"))
  func `Go includes the header`() throws {
    let program = "\(TemporaryDirectory.path)/program"
    let result = try Workbench.run(
      ["/usr/bin/env", "go", "build", "-o", program, "\(Workbench.languages)/start.go"],
      adding: home.merging(["CGO_ENABLED": "1", "CGO_CFLAGS": "-I\(Workbench.header)"]) { $1 }
    )
    try #require(result.status == 0, "\(result.stderr)")
    try expectMarks(of: [program])
  }

  /// Where compilers keep what they need; without the variable, in a directory of the test.
  private var home: [String: String] {
    let variables = ["HOME", "RUSTUP_HOME", "CARGO_HOME", "GOCACHE", "GOFLAGS", "GOTOOLCHAIN"]
    let own = ProcessInfo.processInfo.environment.filter { variables.contains($0.key) }
    return ["HOME": TemporaryDirectory.path].merging(own) { $1 }
  }
}
