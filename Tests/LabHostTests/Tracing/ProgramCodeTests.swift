import Foundation
import LabTestSupport
import LaunchCore
import Testing

@testable import LaunchHost

private let hasObjdump = FileManager.default.isExecutableFile(atPath: "/usr/bin/objdump")

@Suite(
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(), "there is no C compiler"),
  .enabled(if: hasObjdump, "there is no objdump")
)
struct ProgramCodeTests {
  static let source = """
    #include <stdio.h>
    #include <stdlib.h>
    #define NOINLINE __attribute__((noinline, noclone))
    static int table[64];
    __thread int calls;
    static const char *const words[] = {"one", "two", "three"};
    NOINLINE static int twice(int value) { return value * 2 + 7; }
    NOINLINE static int thrice(int value) { return value * 3 + 7; }
    NOINLINE static int sum(int count) {
      int all = 0;
      for (int i = 0; i < count; i++) all += table[i & 63] + twice(i);
      return all;
    }
    NOINLINE static const char *word(int number) {
      calls += number;
      switch (number) {
      case 1: return words[0];
      case 2: return "a text of its own";
      case 5: return words[2];
      case 6: return getenv("HOME");
      case 7: return words[1];
      default: return "";
      }
    }
    NOINLINE static int (*choose(int number))(int) { return number > 2 ? twice : thrice; }
    int main(int argc, char **argv) {
      table[argc] = argc;
      printf("%s %d %d\\n", word(argc), sum(argc + 3), choose(argc)(4));
      return argc > 9 ? atoi(argv[9]) : 0;
    }

    """

  /// Something that was done to the source, and the functions that it changes.
  struct Edit: CustomTestStringConvertible {
    var name: String
    var old = ""
    var new = ""
    var changed: Set<String> = []
    var added: Set<String> = []
    var options: [String] = []
    var testDescription: String { name }
  }

  static let edits = [
    Edit(name: "nothing"),
    Edit(name: "a constant", old: "value * 2 + 7", new: "value * 2 + 9", changed: ["twice"]),
    Edit(name: "a callee", old: "] + twice(i)", new: "] + thrice(i)", changed: ["sum"]),
    Edit(name: "a function pointer", old: "> 2 ? twice", new: "> 2 ? sum", changed: ["choose"]),
    Edit(
      name: "a library function",
      old: "atoi(argv[9])",
      new: "atoi(getenv(argv[9]))",
      changed: ["main"]
    ),
    Edit(name: "a condition", old: "number > 2", new: "number < 2", changed: ["choose"]),
    Edit(
      name: "a function before the others",
      old: "static int table[64];",
      new: "int other[99]; NOINLINE int added(int a) { other[a & 63] += a; return a * 5 - 1; }\n"
        + "static int table[64];",
      added: ["added"]
    ),
    Edit(name: "a local variable's name", old: "int all = 0;", new: "int all = 0, more = all;"),
    Edit(
      name: "a longer text",
      old: "a text of its own",
      new: "a much, much longer text of its own"
    ),
    Edit(name: "more data", old: "\"three\"}", new: "\"three\", \"four\", \"five\"}"),
    Edit(
      name: "more variables of each thread",
      old: "__thread int calls;",
      new: "__thread long others[8] = {1}; __thread int calls;"
    ),
    Edit(name: "debug information", options: ["-g"]),
    Edit(name: "other sections for functions", options: ["-ffunction-sections"]),
  ]

  /// Beside other tests objdump may have to wait for more than its usual time.
  private static var reader: ProgramCodeReader {
    var reader = ProgramCodeReader()
    reader.limit = .seconds(600)
    return reader
  }

  private func code(
    _ name: String,
    of source: String = Self.source,
    linking: CompiledProgram.Linking = .dynamic,
    language: CompiledProgram.Language = .c,
    options: [String] = [],
    reader: ProgramCodeReader = Self.reader,
    namely names: Set<String> = []
  ) async throws -> (code: ProgramCode, problem: String?) {
    let program = try CompiledProgram(
      source,
      name: name,
      in: TemporaryDirectory.path,
      language: language,
      linking: linking,
      options: options + ["-Wno-unused"]
    )
    let read = await reader.code(of: program.path, namely: names)
    return (try #require(read.code), read.problem)
  }

  private func changed(_ before: ProgramCode, _ after: ProgramCode) -> Set<String> {
    let names = before.functions.keys.filter { name in
      after.functions[name].map { $0 != before.functions[name] ?? nil } ?? false
    }
    return Set(names)
  }

  @Test(
    arguments: [CompiledProgram.Linking.dynamic, .dynamicWithoutPIE],
    edits
  )
  func `only the functions differ that were edited`(
    _ linking: CompiledProgram.Linking,
    _ edit: Edit
  ) async throws {
    let text = edit.old.isEmpty ? Self.source : Self.source.replacing(edit.old, with: edit.new)
    try #require(edit.old.isEmpty || text != Self.source)
    let before = try await code("before", linking: linking)
    let after = try await code("after", of: text, linking: linking, options: edit.options)
    #expect(before.problem == nil && after.problem == nil)
    #expect(before.code.functions["sum"] ?? nil != nil)
    #expect(before.code.isComplete && after.code.isComplete)
    #expect(changed(before.code, after.code) == edit.changed)
    let names = [before, after].map { Set($0.code.functions.keys) }
    #expect(names[1].subtracting(names[0]) == edit.added)
    #expect(names[0].subtracting(names[1]).isEmpty)
  }

  @Test(arguments: [CompiledProgram.Linking.staticProgram, .staticPIE])
  func `functions of libraries in a static program are compared, too`(
    _ linking: CompiledProgram.Linking
  ) async throws {
    let text = Self.source.replacing("atoi(argv[9])", with: "puts(argv[9])")
    let before = try await code("before", linking: linking)
    let after = try await code("after", of: text, linking: linking)
    #expect(before.problem == nil && after.problem == nil)
    #expect(before.code.functions.count > 500)
    #expect(changed(before.code, after.code) == ["main"])
    let names = [before, after].map { Set($0.code.functions.keys) }
    #expect(names[1].subtracting(names[0]).contains { $0.hasSuffix("puts") })
  }

  @Test(arguments: ["-O1", "-O2", "-O3", "-Os"])
  func `alignment of moved code is no difference`(_ level: String) async throws {
    let before = try await code("before", options: [level])
    let text = Self.source.replacing(
      "static int table[64];",
      with: "NOINLINE int added(int a) { return a * 5 - 1; }\nstatic int table[64];"
    )
    let after = try await code("after", of: text, options: [level])
    #expect(changed(before.code, after.code).isEmpty)
    #expect(before.code.functions.count > 5)
  }

  @Test(.enabled(if: CompiledProgram.isPossible(.cPlusPlus), "there is no C++ compiler"))
  func `functions of C++ have the names that call stacks have`() async throws {
    let source = """
      #include <map>
      #include <stdexcept>
      #include <string>
      namespace store {
      struct Index {
        std::map<std::string, int> numbers;
        __attribute__((noinline)) int find(const std::string &name) const {
          auto found = numbers.find(name);
          if (found == numbers.end()) throw std::runtime_error("no " + name);
          return found->second + 1;
        }
        __attribute__((noinline)) void add(std::string name) { numbers[name] = 4; }
      };
      }
      int main(int argc, char **argv) {
        store::Index index;
        index.add(argv[0]);
        return index.find(argv[argc - 1]) > 9;
      }

      """
    let before = try await code("before", of: source, language: .cPlusPlus, options: ["-O2"])
    let twin = try await code(
      "twin",
      of: "\n\n" + source,
      language: .cPlusPlus,
      options: ["-O2", "-g"]
    )
    let text = source.replacing("second + 1", with: "second + 2")
    let after = try await code("after", of: text, language: .cPlusPlus, options: ["-O2"])
    #expect(changed(before.code, twin.code).isEmpty)
    let names = changed(before.code, after.code)
    #expect(names.count == 1)
    #expect(names.first?.hasPrefix("store::Index::find(") == true)
    #expect(
      before.code.functions.keys.allSatisfy { !$0.contains("[clone") && !$0.hasPrefix("_ZN") }
    )
  }

  @Test
  func `sections and needed libraries are told`() async throws {
    let before = try await code("before")
    let text =
      Self.source + """
        double numbers[100] = {1};
        __attribute__((constructor)) static void begin(void) { numbers[2] = table[1]; }

        """
    let after = try await code("after", of: text, options: ["-Wl,--no-as-needed", "-lm"])
    #expect(before.code.libraries == ["libc.so.6"])
    #expect(Set(after.code.libraries) == ["libc.so.6", "libm.so.6"])
    let sizes = [before, after].map { $0.code.sections }
    #expect(sizes[0][".rodata"] == sizes[1][".rodata"])
    #expect((sizes[1][".data"] ?? 0) - (sizes[0][".data"] ?? 0) >= 800)
    #expect((sizes[1][".init_array"] ?? 0) - (sizes[0][".init_array"] ?? 0) == 8)
  }

  @Test
  func `of a large file only the functions asked for are disassembled`() async throws {
    var reader = ProgramCodeReader()
    reader.largestCode = 100
    let read = try await code("program", reader: reader, namely: ["sum", "main"])
    #expect(!read.code.isComplete && read.problem == nil)
    let known = read.code.functions.filter { $0.value != nil }.map(\.key)
    #expect(Set(known) == ["sum", "main"])
    let whole = try await code("program")
    #expect(whole.code.functions["sum"] == read.code.functions["sum"])
    #expect(whole.code.functions.keys == read.code.functions.keys)
  }

  @Test
  func `of a stripped library the exported functions are compared`() async throws {
    let source = """
      __attribute__((noinline)) static int step(int value) { return value * 31 + 7; }
      int find(int count) { int a = 1; for (int i = 0; i < count; i++) a = step(a); return a; }
      int last(int value) { return value - 5; }

      """
    let before = try await code("a.so", of: source, linking: .sharedLibrary, options: ["-s"])
    let text = source.replacing("value * 31", with: "value * 33").replacing("- 5", with: "- 6")
    let after = try await code("b.so", of: text, linking: .sharedLibrary, options: ["-s"])
    #expect(changed(before.code, after.code) == ["last"])
    #expect(!before.code.isNamed && !before.code.isComplete)
    #expect(before.problem?.hasSuffix("it was stripped of others") == true)
  }

  @Test
  func `says why code cannot be compared`() async throws {
    let stripped = try await code("stripped", options: ["-s"])
    #expect(stripped.code.functions.isEmpty && !stripped.code.isComplete)
    #expect(stripped.problem?.hasSuffix("it was stripped of its symbols") == true)
    #expect((stripped.code.sections[".text"] ?? 0) > 0)
    var reader = ProgramCodeReader()
    reader.path = TemporaryDirectory.path
    let named = try await code("named", reader: reader)
    #expect(named.code.functions.keys.contains("sum"))
    #expect(named.code.functions.values.allSatisfy { $0 == nil } && !named.code.isComplete)
    #expect(named.problem?.hasSuffix("there is no objdump; install binutils") == true)
    let text = TemporaryDirectory.path + "/script"
    try "#!/bin/sh\n".write(toFile: text, atomically: false, encoding: .utf8)
    let script = await ProgramCodeReader().code(of: text, namely: [])
    #expect(script.code == nil)
    #expect(script.problem?.hasSuffix("it is not a program for x86-64") == true)
    let nothing = await ProgramCodeReader().code(of: text + "-none", namely: [])
    #expect(nothing.code == nil && nothing.problem?.hasSuffix("cannot be read") == true)
  }

  @Test
  func `files whose bytes are damaged are read as far as that goes`() async throws {
    let program = try CompiledProgram(Self.source, in: TemporaryDirectory.path)
    let bytes = try Data(contentsOf: URL(filePath: program.path))
    var generator = SplitMix64(seed: 3)
    for round in 0..<20 {
      var damaged = bytes
      for _ in 0..<40 {
        let place = Int(generator.next() % UInt64(round < 10 ? 64 : damaged.count))
        if place > 20 || round >= 10 {
          damaged[place] = UInt8(truncatingIfNeeded: generator.next())
        }
      }
      if round % 4 == 3 { damaged = damaged.prefix(damaged.count / (round + 1)) }
      let path = "\(TemporaryDirectory.path)/damaged-\(round)"
      try damaged.write(to: URL(filePath: path))
      let read = await ProgramCodeReader().code(of: path, namely: [])
      #expect(read.code != nil || read.problem != nil)
    }
  }

  @Test
  func `files of the same content are the same, whatever they are called`() async throws {
    let directory = TemporaryDirectory.path
    let one = try CompiledProgram(Self.source, name: "one", in: directory)
    try FileManager.default.copyItem(atPath: one.path, toPath: directory + "/copy")
    let other = try CompiledProgram(Self.source + "int more;\n", name: "other", in: directory)
    let reader = ProgramCodeReader()
    #expect(reader.areSame(one.path, directory + "/copy"))
    #expect(!reader.areSame(one.path, other.path))
    #expect(!reader.areSame(one.path, directory + "/none"))
  }
}
