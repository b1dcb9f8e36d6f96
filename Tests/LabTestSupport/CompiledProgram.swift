import Foundation
import Testing

/// A C or C++ program, or shared library, that a test compiles from text.
package struct CompiledProgram {
  /// What the source is written in.
  package enum Language: String, Sendable {
    case c
    case cPlusPlus = "c++"

    fileprivate var suffix: String { self == .c ? "c" : "cc" }
    fileprivate var driver: String { self == .c ? "cc" : "c++" }
  }

  /// How the result is linked.
  package enum Linking: String, CaseIterable, Sendable {
    case dynamic
    case dynamicWithoutPIE
    case sharedLibrary
    case staticProgram
    case staticPIE

    /// Dynamic against musl; C only.
    case musl

    fileprivate var options: [String] {
      switch self {
      case .dynamic, .musl: ["-fPIE", "-pie"]
      case .dynamicWithoutPIE: ["-fno-pie", "-no-pie"]
      case .sharedLibrary: ["-fPIC", "-shared"]
      case .staticProgram: ["-fno-pie", "-static"]
      case .staticPIE: ["-fPIE", "-static-pie"]
      }
    }
  }

  /// The absolute path of what was made.
  package let path: String

  /// Whether this machine can compile such programs; a test that needs it is `.enabled(if:)` it.
  package static func isPossible(
    _ language: Language = .c,
    linking: Linking = .dynamic
  ) -> Bool {
    compiler(language, linking) != nil
  }

  /// Compiles a source with optimisation 1 and warnings on.
  ///
  /// - Parameters:
  ///   - source: The text of the program.
  ///   - name: The name of the file that is made, such as `libfonts.so`.
  ///   - directory: Where it is made, beside its source.
  ///   - language: The language of the source.
  ///   - linking: How it is linked.
  ///   - options: Options of the compiler that come last, such as libraries.
  /// - Throws: An issue of the test with the compiler's messages when it does not compile.
  package init(
    _ source: String,
    name: String = "program",
    in directory: String,
    language: Language = .c,
    linking: Linking = .dynamic,
    options: [String] = []
  ) throws {
    let compiler = try #require(Self.compiler(language, linking), "no compiler for \(language)")
    path = "\(directory)/\(name)"
    let file = "\(path).\(language.suffix)"
    try source.write(toFile: file, atomically: false, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: compiler)
    process.arguments = ["-O1", "-Wall", "-o", path, file] + linking.options + options
    process.currentDirectoryURL = URL(filePath: directory)
    let messages = Pipe()
    process.standardError = messages
    try process.run()
    let text = try messages.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(String(decoding: text, as: UTF8.self))")
  }

  private static func compiler(_ language: Language, _ linking: Linking) -> String? {
    if linking == .musl {
      return language == .c ? executable("musl-gcc") : nil
    }
    return executable(language.driver)
  }

  private static func executable(_ name: String) -> String? {
    ["/usr/local/bin", "/usr/bin", "/bin"].map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
