import Foundation
import LabTestSupport
import Testing

@Suite(
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(.cPlusPlus), "there is no C++ compiler")
)
struct SymbolReaderTests {
  private var root: String { TemporaryDirectory.path }

  /// Prints where its constructor is, less the load address that the loader gives.
  static let constructor = """
    #define _GNU_SOURCE
    #include <link.h>
    #include <stdio.h>
    static volatile int fonts;
    __attribute__((constructor, noinline)) static void load_fonts(void) { fonts = 1; }
    static int see(struct dl_phdr_info *info, size_t size, void *result) {
      (void)size;
      for (int i = 0; i < info->dlpi_phnum; i++) {
        ElfW(Addr) start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if ((ElfW(Addr))load_fonts - start < info->dlpi_phdr[i].p_memsz
            && info->dlpi_phdr[i].p_type == PT_LOAD)
          *(ElfW(Addr) *)result = (ElfW(Addr))load_fonts - info->dlpi_addr;
      }
      return 0;
    }
    int main(void) {
      ElfW(Addr) offset = 0;
      dl_iterate_phdr(see, &offset);
      printf("%lx\\n", (unsigned long)offset);
      return fonts - 1;
    }
    """

  @Test(arguments: [
    CompiledProgram.Linking.dynamic, .dynamicWithoutPIE, .staticProgram, .staticPIE,
  ])
  func `names a local constructor at its run-time offset`(
    _ linking: CompiledProgram.Linking
  ) async throws {
    let program = try CompiledProgram(Self.constructor, in: root, linking: linking)
    let offset = try #require(UInt64(try TestMachine.shell(program.path, in: root), radix: 16))
    #expect(await SymbolBench(file: program.path).name(at: offset) == "load_fonts")
  }

  @Test func `names functions of a library whose first segment is not at 0`() async throws {
    let library = try CompiledProgram(
      "int draw(int x) { return x * 3; }",
      name: "libdraw.so",
      in: root,
      linking: .sharedLibrary,
      options: ["-fuse-ld=bfd", "-Wl,-Ttext-segment=0x400000"]
    )
    let bench = SymbolBench(file: library.path)
    let address = try bench.address(of: "draw")
    #expect(address >= 0x400000)
    #expect(await bench.name(at: address) == "draw")
    #expect(await bench.name(at: address - 0x400000) == nil)
  }

  @Test func `names C++ functions and the initializers of static objects`() async throws {
    let library = try CompiledProgram(
      """
      namespace app { struct Font { Font(int size); int size; }; }
      app::Font::Font(int size) : size(size) {}
      extern "C" int seed(void);
      static app::Font font(seed());
      int used() { return font.size; }
      """,
      name: "libfont.so",
      in: root,
      language: .cPlusPlus,
      linking: .sharedLibrary
    )
    let bench = SymbolBench(file: library.path)
    let addresses = try bench.addresses()
    let constructor = try #require(addresses["_ZN3app4FontC1Ei"])
    // Compilers name it after the file, or after a symbol of it.
    let initializer = try #require(addresses.first { $0.key.hasPrefix("_GLOBAL__sub_I_") })
    let names = await bench.names(at: [constructor, initializer.value]).names
    #expect(names[0] == "app::Font::Font(int)")
    #expect(names[1]?.hasPrefix("_GLOBAL__sub_I_") == true)
  }

  @Test(arguments: [
    ("_GLOBAL__sub_I__ZN3app4FontC2Ei", "_GLOBAL__sub_I_app::Font::Font(int)"),
    ("_GLOBAL__sub_I.00101__ZN3app4FontC2Ei", "_GLOBAL__sub_I.00101_app::Font::Font(int)"),
    ("_GLOBAL__sub_I_font.cpp", "_GLOBAL__sub_I_font.cpp"),
    ("_GLOBAL__sub_I__Zebra", "_GLOBAL__sub_I__Zebra"),
    ("__cxx_global_var_init.3", "__cxx_global_var_init.3"),
    ("_ZL7twiddlei.constprop.0", "twiddle(int) [clone .constprop.0]"),
    ("_Z", "_Z"),
    ("@", "@"),
  ])
  func `makes a name readable`(_ symbol: String, _ readable: String) async throws {
    let library = try CompiledProgram(
      "void function(void) __asm__(\"\\\"\(symbol)\\\"\"); void function(void) {}",
      name: "libname.so",
      in: root,
      linking: .sharedLibrary
    )
    let bench = SymbolBench(file: library.path)
    #expect(await bench.name(at: try bench.address(of: symbol)) == readable)
  }

  @Test func `cuts the hash of old Rust names, and leaves new ones as they are`() async throws {
    let library = try CompiledProgram(
      """
      void _ZN4core3fmt5write17h0123456789abcdefE(void) {}
      void _RNvC6_123foo3bar(void) {}
      void _ZN4core3fmt5write17h0123456789abcdegE(void) {}
      """,
      name: "librust.so",
      in: root,
      linking: .sharedLibrary
    )
    let bench = SymbolBench(file: library.path)
    let addresses = try bench.addresses("-D")
    func name(_ symbol: String) async throws -> String? {
      await bench.name(at: try #require(addresses[symbol]))
    }
    #expect(
      try await name("_ZN4core3fmt5write17h0123456789abcdefE") == "core::fmt::write"
    )
    #expect(try await name("_RNvC6_123foo3bar") == "_RNvC6_123foo3bar")
    #expect(
      try await name("_ZN4core3fmt5write17h0123456789abcdegE")
        == "core::fmt::write::h0123456789abcdeg"
    )
  }

  @Test(.enabled(if: ExecutableOnPath.exists("swiftc"), "there is no swiftc"))
  func `names functions of Swift as people write them`() async throws {
    let source = "public struct Font { public func load(size: Int) -> Int { size * 3 } }"
    try source.write(toFile: "\(root)/Fonts.swift", atomically: false, encoding: .utf8)
    let compiler = try #require(ExecutableOnPath.path("swiftc"))
    try TestMachine.shell("'\(compiler)' -emit-library -o libFonts.so Fonts.swift", in: root)
    let bench = SymbolBench(file: "\(root)/libFonts.so")
    let address = try bench.address(of: "$s5Fonts4FontV4load4sizeS2i_tF")
    #expect(await bench.name(at: address) == "Fonts.Font.load(size: Swift.Int) -> Swift.Int")
  }

  @Test func `prefers the name of an address that is exported, and not reserved`() async throws {
    let library = try CompiledProgram(
      """
      __attribute__((used)) static int a_local_name(int x) { return x + 7; }
      int __reserved(int x) __attribute__((alias("a_local_name")));
      int draw(int x) __attribute__((alias("a_local_name")));
      int paint(int x) __attribute__((alias("a_local_name")));
      int weakly_paint(int x) __attribute__((weak, alias("a_local_name")));
      """,
      name: "libdraw.so",
      in: root,
      linking: .sharedLibrary
    )
    let bench = SymbolBench(file: library.path)
    let address = try bench.address(of: "draw")
    #expect(await bench.name(at: address) == "paint")
  }

  @Test func `takes a function without a size up to the next one`() async throws {
    let library = try CompiledProgram(
      """
      __asm__(".text\\n.globl bare\\n.type bare, @function\\nbare:\\n.skip 64, 0x90\\n"
              ".globl next\\n.type next, @function\\nnext:\\n.skip 16, 0x90\\n.size next, 16\\n"
              ".globl label\\nlabel:\\n.skip 16, 0x90\\n");
      """,
      name: "libbare.so",
      in: root,
      linking: .sharedLibrary
    )
    let bench = SymbolBench(file: library.path)
    let bare = try bench.address(of: "bare")
    let names = await bench.names(at: [bare, bare + 63, bare + 64, bare + 79, bare + 80]).names
    #expect(names == ["bare", "bare", "next", "next", "label"])

    // Stripped, functions without a name may follow it.
    try TestMachine.shell("strip libbare.so", in: root)
    let few = await bench.names(at: [bare, bare + 1, bare + 63, bare + 64, bare + 79, bare + 80])
    #expect(few.names == ["bare", nil, nil, "next", "next", "label"])
  }
}
