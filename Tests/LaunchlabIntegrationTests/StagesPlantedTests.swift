import LabTestSupport
import Testing

extension EndToEnd {
  /// Start-up work of known length in a known place.
  @Suite struct StagesPlantedTests {
    private static let sleeping = "struct timespec pause = {0, 20000000}; nanosleep(&pause, 0);"

    private static let busy = """
      struct timespec begin, now;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        do clock_gettime(CLOCK_MONOTONIC, &now);
        while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 20000000);
      """

    /// A program whose library `libfonts.so` has a constructor of 20 ms, and others of none.
    private func program(_ work: String, in lab: Launchlab) throws -> CompiledProgram {
      let library = try CompiledProgram(
        """
        #include <time.h>
        int fonts;
        __attribute__((constructor(101))) static void count_fonts(void) { fonts++; }
        __attribute__((constructor(102))) static void load_all_fonts(void) {
          \(work)
          fonts++;
        }
        __attribute__((constructor(103))) static void sort_fonts(void) { fonts++; }
        """,
        name: "libfonts.so",
        in: lab.directory,
        linking: .sharedLibrary
      )
      return try CompiledProgram(
        """
        extern int fonts;
        __attribute__((constructor)) static void own(void) { fonts++; }
        int main(void) { return fonts == 4 ? 0 : 1; }
        """,
        in: lab.directory,
        options: [library.path, "-Wl,-rpath,\(lab.directory)"]
      )
    }

    @Test(arguments: [Self.sleeping, Self.busy])
    func `names the library and the function of a slow constructor`(work: String) async throws {
      let lab = Launchlab()
      let program = try program(work, in: lab)

      let block = try await lab.block(of: [program.path])

      let slowest = try #require(block.initializers.first)
      #expect(slowest.place?.symbol == "load_all_fonts")
      #expect(slowest.place?.file == lab.path("libfonts.so"))
      #expect((slowest.ns ?? 0) >= 20_000_000)
      let image = try #require(block.images.first)
      #expect(image.name == lab.path("libfonts.so"))
      #expect(image.ns >= slowest.ns ?? 0)
      let library = block.initializers.filter { $0.place?.file == lab.path("libfonts.so") }
      let ordered = library.sorted { ($0.startNs ?? 0) < ($1.startNs ?? 0) }
      let symbols = ordered.compactMap(\.place?.symbol)
        .filter { ["count_fonts", "load_all_fonts", "sort_fonts"].contains($0) }
      #expect(symbols == ["count_fonts", "load_all_fonts", "sort_fonts"])
      // Whatever else happened, the constructor ran for 20 ms of the stage it belongs to.
      #expect((block.part("init")?.ns ?? 0) >= 20_000_000)
      #expect((block.preMainNs ?? 0) >= 20_000_000)
    }

    @Test func `gives code without a symbol its place in the library`() async throws {
      let lab = Launchlab()
      let program = try program(Self.sleeping, in: lab)
      _ = try Tool.run("strip", [lab.path("libfonts.so")])

      let block = try await lab.block(of: [program.path])

      let slowest = try #require(block.initializers.first)
      #expect(slowest.place?.symbol == nil)
      #expect(slowest.name.hasPrefix("libfonts.so+0x"))
      #expect((slowest.ns ?? 0) >= 20_000_000)
    }

    @Test func `puts what a library loaded after main does below main`() async throws {
      let lab = Launchlab()
      _ = try program(Self.sleeping, in: lab)
      let late = try CompiledProgram(
        "#include <dlfcn.h>\nint main(void) { return !dlopen(\"\(lab.path("libfonts.so"))\", 2); }",
        name: "late",
        in: lab.directory
      )

      let block = try await lab.block(of: [late.path])

      #expect((block.part("main_to_ready")?.ns ?? 0) >= 20_000_000)
      let later = block.part("main_to_ready")?.all ?? []
      let slow = later.first { $0.place?.symbol == "load_all_fonts" }
      #expect((slow?.ns ?? 0) >= 20_000_000)
      #expect(block.counters["libraries_loaded_later"] == 1)
    }
  }
}
