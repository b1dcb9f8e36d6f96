import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct StageConclusionTests {
  private func result(printing text: String = "") -> LaunchResult {
    LaunchResult(
      outcome: .ready,
      launch: .milliseconds(10),
      output: CapturedOutput(stderr: CapturedStream(head: Array(text.utf8)))
    )
  }

  @Test func `lays what the target prints under its launch, with the patterns of the scenario`()
    throws
  {
    let pattern = #"(?<stage>\w+) took (?<value>[0-9.]+) (?<unit>ms)"#
    let conclusion = StageConclusion(StagePlan(collectors: [.text], patterns: [pattern]))
    let printed = result(printing: "noise\nfonts took 2.5 ms\n")
    let stages = try #require(conclusion.stages(of: printed, by: .text))
    #expect(stages.collector == .text)
    #expect(stages.launch.duration == .milliseconds(10))
    let fonts = try #require(stages.launch.children.first)
    #expect(fonts.name == "fonts")
    #expect(fonts.duration == Nanoseconds(2_500_000))
    #expect(fonts.kind == .detail)
    #expect(stages.notes.isEmpty)
  }

  @Test func `says so when the target prints nothing about stages`() throws {
    let conclusion = StageConclusion(StagePlan(collectors: [.text]))
    let stages = try #require(conclusion.stages(of: result(printing: "hello\n"), by: .text))
    #expect(stages.launch.children.isEmpty)
    #expect(stages.notes == ["the target printed no stages"])
  }

  @Test func `turns the loader's cycles to time by its version and the rate`() throws {
    var launched = result()
    launched.observation = StageObservation(
      collector: .statistics,
      begin: .zero,
      ready: .milliseconds(10),
      process: 7,
      loaderText: Array(
        """
               7:\t
               7:\truntime linker statistics:
               7:\t  total startup time in dynamic loader: 200000 cycles
               7:\t            time needed for relocation: 50000 cycles (25.0%)
               7:\t                 number of relocations: 90
               7:\t      number of relocations from cache: 10
               7:\t        number of relative relocations: 1300
               7:\t           time needed to load objects: 100000 cycles (50.0%)

        """.utf8
      ),
      loader: LoaderFacts(glibc: GlibcVersion(2, 36), cyclesPerSecond: 2e9)
    )
    let stages = try #require(StageConclusion(nil).stages(of: launched, by: .statistics))
    let times = stages.launch.children.reduce(into: [String: Nanoseconds]()) {
      $0[$1.name] = $1.duration
    }
    // glibc 2.36 drops the last digit: 50000 printed are 500000 cycles, which at 2 GHz are 250 µs.
    #expect(times[StageName.fixup] == Nanoseconds(250_000))
    #expect(times[StageName.load] == Nanoseconds(500_000))
  }

  @Test func `has no stages of a launch that nothing was seen of`() {
    #expect(StageConclusion(nil).stages(of: result(), by: .probe) == nil)
  }

  @Test func `keeps the pages that came in with the stages`() throws {
    var launched = result(printing: "")
    launched.pageIns = PageIns(files: [PageIn(path: "/bin/x", isOwn: true, pages: 3)])
    let stages = StageConclusion(nil).stages(of: launched, by: .text)
    #expect(stages?.pageIns == launched.pageIns)
  }
}
