import Foundation
import LabTestSupport
import LaunchCore
import Testing

@testable import LaunchHost

@Suite(
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(.cPlusPlus), "there is no C++ compiler")
)
struct ObjectReaderTests {
  private var root: String { TemporaryDirectory.path }

  private static let library = """
    namespace app { struct Font { Font(int size); int size; }; }
    app::Font::Font(int size) : size(size) {}
    extern "C" int getpid(void);
    static app::Font font(getpid());
    extern "C" int font_size() { return font.size; }
    static int first, second, third;
    extern "C" { int *table[] = {&first, &second, &third}; }
    """

  /// A program with a library and a constructor.
  private func program(_ options: [String] = []) throws -> Target {
    _ = try CompiledProgram(
      Self.library,
      name: "libfont.so",
      in: root,
      language: .cPlusPlus,
      linking: .sharedLibrary,
      options: ["-g", "-Wl,-soname,libfont.so.1"]
    )
    try FileManager.default.createSymbolicLink(
      atPath: "\(root)/libfont.so.1",
      withDestinationPath: "libfont.so"
    )
    let program = try CompiledProgram(
      """
      int font_size(void);
      static int fonts;
      __attribute__((constructor)) static void load_fonts(void) { fonts = 1; }
      int main(void) { return font_size() + fonts == 0; }
      """,
      in: root,
      options: ["-L\(root)", "-lfont", "-Wl,-rpath,\(root)"] + options
    )
    return Target(name: "app", command: [program.path], directory: root)
  }

  private func read(_ target: Target) async throws -> LaunchedObjects {
    try await ObjectReader().objects(of: target, in: .pinned)
  }

  @Test func `reads a program and the libraries that its loader finds`() async throws {
    let objects = try await read(try program(["-Wl,-z,now"]))
    #expect(objects.problems == [])
    let program = try #require(objects.program)
    #expect(program.is64Bit && program.isOwn)
    #expect(program.interpreter?.contains("ld-") == true)
    #expect(program.needed.contains("libfont.so.1"))
    #expect(program.runPaths == [root])
    #expect(program.initializers.map(\.name) == ["load_fonts"])
    #expect(program.hardening.isSuperset(of: ["pie", "relro", "bind-now"]))
    let library = try #require(objects.libraries.first { $0.name == "libfont.so.1" })
    #expect(library.isOwn && library.interpreter == nil)
    let initializer = try #require(library.initializers.first)
    #expect(library.initializers.count == 1)
    #expect(initializer.name?.hasPrefix("_GLOBAL__sub_I_") == true)
    #expect(initializer.source?.file.hasSuffix(".cc") == true)
    #expect(library.relocations.values.reduce(0, +) >= 3)
    #expect(library.exported >= 2 && library.imported >= 1)
    #expect(library.mapped >= library.size / 4096)
    let system = try #require(objects.libraries.first { $0.name.hasPrefix("libc.") })
    #expect(!system.isOwn)
  }

  @Test func `reads a library that the scenario names as one that may be loaded`() async throws {
    var target = try program()
    _ = try CompiledProgram(
      "static volatile int x; __attribute__((constructor)) static void plug(void) { x = 1; }",
      name: "libplug.so",
      in: root,
      linking: .sharedLibrary
    )
    try Data("no object".utf8).write(to: URL(filePath: "\(root)/data.txt"))
    target.files = ["\(root)/libplug.so", "\(root)/data.txt"]
    let objects = try await read(target)
    #expect(objects.libraries.first { $0.name == "libplug.so" }?.initializers.first?.name == "plug")
    #expect(!objects.all.contains { $0.path.hasSuffix("data.txt") })
    #expect(objects.problems == [])
  }

  @Test func `says of a library that is missing, and reads the others`() async throws {
    let target = try program()
    try FileManager.default.removeItem(atPath: "\(root)/libfont.so")
    let objects = try await read(target)
    #expect(objects.program?.needed.contains("libfont.so.1") == true)
    #expect(objects.problems.contains { $0.contains("libfont.so.1") })
  }

  @Test func `says of damaged files, and reads the others`() async throws {
    let path = try program().command[0]
    let whole = try Data(contentsOf: URL(filePath: path))
    try whole.prefix(700).write(to: URL(filePath: "\(root)/short"))
    try Data("text".utf8).write(to: URL(filePath: "\(root)/text"))
    let (objects, unread) = await ObjectReader().objects(
      at: ["\(root)/short", path, "\(root)/text", "\(root)/gone"]
    )
    #expect(objects.map(\.path) == [path])
    #expect(unread.count == 3)
    #expect(unread["\(root)/short"]?.hasPrefix("it is damaged") == true)
    #expect(unread["\(root)/text"] == "it is no ELF file")
    #expect(unread["\(root)/gone"] == "no such file")
  }

  @Test(arguments: [CompiledProgram.Linking.staticProgram, .staticPIE])
  func `reads static programs`(_ linking: CompiledProgram.Linking) async throws {
    let program = try CompiledProgram(
      """
      static volatile int begun;
      __attribute__((constructor)) static void begin(void) { begun = 1; }
      int main(void) { return 0; }
      """,
      in: root,
      linking: linking
    )
    let objects = try await read(Target(name: "app", command: [program.path], directory: root))
    #expect(objects.program?.initializers.contains { $0.name == "begin" } == true)
    #expect(objects.program?.hardening.contains("static") == true)
    #expect(objects.libraries == [])
  }

  @Test func `understands no other answer`() {
    func answer(_ text: String) -> ObjectAnswer? { ObjectAnswer(Array(text.utf8), to: ["/a"]) }
    #expect(answer("F\0H62\t64\t3\0")?.objects.first?.machine == 62)
    #expect(answer("F\0Eit is no ELF file\0")?.unread.count == 1)
    for other in ["", "F", "F\0F\0", "H62\t64\t3\0", "F\0?\0", "F\0Iinit_array\0"] {
      #expect(answer(other) == nil, "\(other)")
    }
  }
}
