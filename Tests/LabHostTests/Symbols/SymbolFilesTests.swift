import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(), "there is no C compiler")
)
struct SymbolFilesTests {
  private var root: String { TemporaryDirectory.path }

  private static let source = """
    __attribute__((constructor, noinline)) static void load_fonts(void) { __asm__(""); }
    int draw(int x) { return x * 3; }
    """

  private func library(_ options: [String] = []) throws -> SymbolBench {
    let library = try CompiledProgram(
      Self.source,
      name: "libdraw.so",
      in: root,
      linking: .sharedLibrary,
      options: ["-Wl,--build-id=0xabcdef0123456789"] + options
    )
    return SymbolBench(file: library.path)
  }

  @Test func `names only what a stripped library exports`() async throws {
    let bench = try library()
    let places = [try bench.address(of: "load_fonts"), try bench.address(of: "draw")]
    try TestMachine.shell("strip libdraw.so", in: root)
    let answer = await bench.names(at: places)
    #expect(answer.names == [nil, "draw"])
    #expect(answer.notes.isEmpty)
  }

  @Test func `finds the separate debug file by the build id`() async throws {
    var bench = try library()
    let place = try bench.address(of: "load_fonts")
    try TestMachine.shell(
      """
      mkdir -p debug/.build-id/ab
      objcopy --only-keep-debug libdraw.so debug/.build-id/ab/cdef0123456789.debug
      strip libdraw.so
      """,
      in: root
    )
    #expect(await bench.name(at: place) == nil)
    bench.reader.debugDirectories = "\(root)/debug"
    #expect(await bench.name(at: place) == "load_fonts")
  }

  @Test(.enabled(if: ExecutableOnPath.exists("xz"), "there is no xz"))
  func `reads the small symbol table that some distributions leave`() async throws {
    let bench = try library()
    let places = [try bench.address(of: "load_fonts"), try bench.address(of: "draw")]
    try TestMachine.shell(
      """
      objcopy --only-keep-debug libdraw.so small
      xz small
      strip libdraw.so
      objcopy --add-section .gnu_debugdata=small.xz libdraw.so
      """,
      in: root
    )
    #expect(await bench.names(at: places).names == ["load_fonts", "draw"])
  }

  @Test func `answers for thousands of offsets at once, as nm does`() async throws {
    let functions = (0..<4_000).map { "int function_\($0)(int x) { return x * \($0 + 3); }" }
    let library = try CompiledProgram(
      functions.joined(separator: "\n"),
      name: "libmany.so",
      in: root,
      linking: .sharedLibrary
    )
    let bench = SymbolBench(file: library.path)
    let known = try bench.addresses().filter { $0.key.hasPrefix("function_") }.sorted { $0 < $1 }
    let starts = known.map(\.value)
    let answer = await bench.names(at: starts + starts.map { $0 + 2 })
    #expect(known.count == 4_000)
    #expect(answer.names == (known + known).map(\.key))
  }

  @Test func `says which files it cannot read, and names those of the others`() async throws {
    let bench = try library()
    try "#!/bin/sh".write(toFile: "\(root)/script", atomically: false, encoding: .utf8)
    try TestMachine.shell("mkfifo pipe; head -c 300 libdraw.so > short", in: root)
    let files = ["gone (deleted)", "pipe", "script", "short"].map { "\(root)/\($0)" }
    let draw = CodePlace(file: bench.file, offset: try bench.address(of: "draw"))
    let others = (files + ["linux-vdso.so.1", ""]).map { CodePlace(file: $0, offset: 0x1000) }
    let answer = await SymbolReader().symbols(for: others + [draw, CodePlace(file: bench.file)])
    #expect(answer.names == [draw: "draw"])
    #expect(
      answer.notes == [
        "no names of functions of \(files[0]): it cannot be opened",
        "no names of functions of \(files[1]): it is no ELF file",
        "no names of functions of \(files[2]): it is no ELF file",
        "no names of functions of \(files[3]): its symbols cannot be read: the file is damaged",
      ]
    )
  }

  @Test func `stands damaged files`() async throws {
    let bench = try library()
    let whole = try [UInt8](Data(contentsOf: URL(filePath: bench.file)))
    var generator = SplitMix64(seed: 20)
    var places: [CodePlace] = []
    for number in 0..<300 {
      var bytes = whole
      if number % 3 == 0 {
        bytes.removeLast(Int.random(in: 0..<whole.count, using: &generator))
      }
      // The headers, and the tables at the end, lead to everything else.
      let parts = [4..<64, 64..<1_000, max(bytes.count - 4_000, 0)..<bytes.count]
      for _ in 0..<(number % 3 == 0 ? 0 : Int.random(in: 1...60, using: &generator)) {
        let part = parts[Int.random(in: 0..<3, using: &generator)]
        bytes[Int.random(in: part, using: &generator)] = .random(in: 0 ... .max, using: &generator)
      }
      let file = "\(root)/damaged\(number)"
      try Data(bytes).write(to: URL(filePath: file))
      places += (0..<16).map { CodePlace(file: file, offset: 0x1000 + $0 * 16) }
    }
    let draw = CodePlace(file: bench.file, offset: try bench.address(of: "draw"))
    let answer = await SymbolReader().symbols(for: places + [draw])
    #expect(answer.names[draw] == "draw")
    #expect(answer.notes.count > 10)
    #expect(answer.notes.allSatisfy { $0.hasPrefix("no names of functions of \(root)/damaged") })
  }

  @Test func `names the package that is missing`() async throws {
    try "no library".write(toFile: "\(root)/libdw.so.1", atomically: false, encoding: .utf8)
    var bench = try library()
    bench.reader.variables = ["LD_LIBRARY_PATH": root]
    let answer = await bench.names(at: [try bench.address(of: "draw")])
    #expect(answer.names == [nil])
    #expect(
      answer.notes == [
        "no names of functions: the library libdw cannot be loaded;"
          + " install it, such as the package libdw1"
      ]
    )
  }

  @Test(arguments: [
    HelperCase(script: "kill -9 $$", reason: "the symbol reader ended with signal 9"),
    HelperCase(script: "exit 3", reason: "the symbol reader ended with status 3"),
    HelperCase(script: "echo nonsense", reason: "they were not understood"),
    HelperCase(
      script: "sleep 60",
      reason: "reading took longer than 0.2 seconds",
      limit: .milliseconds(200)
    ),
  ])
  func `does without names when the reader fails`(_ helper: HelperCase) async throws {
    var bench = try library()
    let script = Data("#!/bin/sh\n\(helper.script)\n".utf8)
    bench.reader.helper = EmbeddedHelper(
      name: "symbols",
      digest: "test-\(UUID().uuidString)",
      base64: script.base64EncodedString()
    )
    if let limit = helper.limit { bench.reader.limit = limit }
    let unpacked = FilePath(try bench.reader.helper.unpacked()).removingLastComponent()
    defer { try? FileManager.default.removeItem(atPath: unpacked.string) }
    // More than a pipe would hold, which none of these read.
    let answer = await bench.names(at: Array(0..<20_000))
    #expect(answer.notes == ["no names of functions: \(helper.reason)"])
  }

  struct HelperCase: Sendable, CustomTestStringConvertible {
    let script: String
    let reason: String
    var limit: Duration?
    var testDescription: String { script }
  }
}
