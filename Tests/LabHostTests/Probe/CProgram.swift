import Foundation
import LabTestSupport
import Testing

/// A C program that a test compiles into its temporary directory.
struct CProgram: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var compiler = "cc"
  var flags: [String] = []

  static let hasCompiler = isThere("cc")
  static let hasMusl = isThere("musl-gcc")

  private static func isThere(_ name: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
  }

  /// Compiles a source and gives the path of the program.
  func compile(_ source: String, name: String = "program") throws -> String {
    let directory = TemporaryDirectory.path
    try source.write(toFile: "\(directory)/\(name).c", atomically: true, encoding: .utf8)
    let flags = flags.joined(separator: " ")
    try TestMachine.shell("\(compiler) -O1 \(name).c -o \(name) \(flags)", in: directory)
    return "\(directory)/\(name)"
  }

  /// Prints the monotonic clock as an initializer of the program and as `main` begin, in
  /// nanoseconds.
  static let clockSource = """
    #include <stdio.h>
    #include <time.h>
    static long long now(void) {
      struct timespec time;
      clock_gettime(CLOCK_MONOTONIC, &time);
      return time.tv_sec * 1000000000LL + time.tv_nsec;
    }
    static long long initialized;
    __attribute__((constructor)) static void initialize(void) { initialized = now(); }
    int main(void) {
      long long begun = now();
      printf("%lld %lld", initialized, begun);
      return 0;
    }
    """
}
