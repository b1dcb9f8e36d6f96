import LaunchCore
import LaunchStatistics
import Testing

@testable import Explanation

@Suite("Modules of launches")
struct ModuleComparisonTests {
  /// What Python prints for modules of a depth, with their own time and that of all in microseconds.
  private static func output(
    _ modules: [(own: Int, whole: Int, depth: Int, name: String)]
  ) -> CapturedStream {
    let lines = modules.map { module in
      "import time: \(module.own) | \(module.whole) | "
        + String(repeating: " ", count: 2 * module.depth) + module.name
    }
    let text = (["import time: self [us] | cumulative | imported package"] + lines)
      .map { $0 + "\n" }.joined()
    return CapturedStream(head: Array(text.utf8), totalBytes: Int64(text.utf8.count))
  }

  private static func loaded(
    _ modules: [(own: Int, whole: Int, depth: Int, name: String)]
  ) -> LoadedModules? {
    let sum = modules.reduce(0) { $0 + $1.own }
    return LoadedModules(output(modules), launch: Nanoseconds(Int64(3_000 + sum) * 1_000))
  }

  /// Twelve blocks: the second program loads `metadata`, which loads `email` and `csv`; `site` takes
  /// longer in it; and `old` is gone.
  private static let blocks: [Sides<LoadedModules?>] = (0..<12).map { block in
    let noise = 7 * block % 11
    return Sides(
      before: loaded([
        (900 + noise, 900, 0, "io"), (400 + noise, 400, 0, "site"), (300, 300, 0, "old"),
      ]),
      after: loaded([
        (905 - noise, 905, 0, "io"), (700 + noise, 700, 0, "site"),
        (800 + noise, 800, 2, "email"), (200, 200, 3, "io.text"), (100 + noise, 300, 2, "csv"),
        (500, 1_600, 1, "metadata"), (10, 1_610, 0, "runpy"),
      ])
    )
  }

  private static func comparison(
    _ blocks: [Sides<LoadedModules?>],
    arms: [Side] = Side.allCases
  ) -> ModuleComparison? {
    ModuleComparison(blocks, arms: arms, launch: 5_000_000, settings: AttributionSettings())
  }

  @Test("what is new is told once, at the module that the program loads, with what that loads")
  func differences() throws {
    let found = try #require(Self.comparison(Self.blocks))
    #expect(found.runtime == .python)
    let told = found.modules.filter(\.isSignificant)
    #expect(told.map(\.name) == ["runpy", "old", "site"])
    #expect(told.map(\.novelty) == [.new, .gone, .more])
    #expect(told[0].others == ["csv", "email", "io.text", "metadata"])
    #expect(abs(told[0].change.difference.count - 1_620_000) < 12_000)
    #expect(told[1].change.difference.count == -300_000)
    #expect(told[2].change.interval.map { $0.low > 290_000 && $0.high < 310_000 } == true)
    // Of 1.62 ms that are new, 0.3 are gone: together more than the difference.
    #expect(found.leading?.name == "runpy" && found.launches.difference == found.total.difference)
    let sum = found.modules.reduce(0) { $0 + $1.change.difference.count }
    #expect(abs(sum - found.total.difference.count) < 10)
  }

  @Test("a module that is new below one that both load is told itself")
  func below() throws {
    let blocks = (0..<8).map { block in
      Sides(
        before: Self.loaded([(500 + block, 500, 0, "app")]),
        after: Self.loaded([(900, 900, 1, "plugin"), (505 - block, 1_400, 0, "app")])
      )
    }
    let found = try #require(Self.comparison(blocks))
    let told = found.modules.filter(\.isSignificant)
    #expect(told.map(\.name) == ["plugin"])
    #expect(told[0].importer == "app")
    #expect(told[0].share.map { $0 > 0.98 && $0 < 1.02 } == true)
    #expect(found.leading?.name == "plugin")
  }

  @Test("nothing differs between launches of the same modules", arguments: 0..<20)
  func same(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func launch() -> LoadedModules? {
      Self.loaded(
        (0..<40).map { (200 + random.next(below: 200), 200, 0, "module\($0)") }
      )
    }
    let blocks = (0..<16).map { _ in Sides(before: launch(), after: launch()) }
    let found = try #require(Self.comparison(blocks))
    #expect(found.modules.count == 40)
    #expect(found.modules.allSatisfy { !$0.isSignificant && $0.others.isEmpty })
  }

  @Test("too few blocks tell nothing, and no printed modules give no comparison")
  func few() throws {
    let found = try #require(Self.comparison(Array(Self.blocks.prefix(7))))
    #expect(found.modules.filter(\.isSignificant).isEmpty)
    #expect(Self.comparison([Sides(before: nil, after: nil)]) == nil)
    #expect(Self.comparison([]) == nil)
  }

  @Test("nothing is a share of a difference that may be none")
  func unsure() throws {
    let blocks = (0..<12).map { block in
      // The launches scatter by more than the module takes.
      let other = 5_000 * (block % 3)
      return Sides<LoadedModules?>(
        before: Self.loaded([(900, 900, 0, "io"), (other, other, 0, "site")]),
        after: Self.loaded([
          (900, 900, 0, "io"), (700 + block, 700, 0, "late"),
          (10_000 - other, 10_000, 0, "site"),
        ])
      )
    }
    let found = try #require(Self.comparison(blocks))
    let late = try #require(found.modules.first { $0.name == "late" })
    #expect(late.share == nil && late.novelty == .new)
    #expect(found.leading == nil)
  }

  @Test("the modules of one program are listed by time")
  func single() throws {
    let blocks = Self.blocks.map { Sides<LoadedModules?>(before: nil, after: $0.after) }
    let found = try #require(Self.comparison(blocks, arms: [.after]))
    #expect(found.modules.prefix(3).map(\.name) == ["io", "email", "site"])
    #expect(found.modules.allSatisfy { $0.novelty == nil && $0.others.isEmpty })
    #expect(found.modules.first { $0.name == "csv" }?.importer == "metadata")
  }

  @Test("output that was cut is not read, nor is any other")
  func cut() {
    var output = Self.output([(1, 1, 0, "io")])
    let hello = CapturedStream(head: Array("hello\n".utf8), totalBytes: 6)
    #expect(LoadedModules(output, launch: Nanoseconds(9)) != nil)
    output.totalBytes += 1
    #expect(LoadedModules(output, launch: Nanoseconds(9)) == nil)
    #expect(LoadedModules(hello, launch: Nanoseconds(9)) == nil)
  }

  @Test("packages of Go have no importers")
  func go() throws {
    let found = try Self.loaded(
      """
      init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
      init main @6.3 ms, 1.5 ms clock, 320 bytes, 1 allocs

      """
    )
    #expect(found.runtime == .go)
    #expect(found.modules["main"]?.time == Nanoseconds(1_500_000))
    #expect(found.modules["main"]?.importer == nil)
  }

  private static func loaded(_ text: String) throws -> LoadedModules {
    let output = CapturedStream(head: Array(text.utf8), totalBytes: Int64(text.utf8.count))
    return try #require(LoadedModules(output, launch: Nanoseconds(9)))
  }

  @Test("the last phase of a JVM has what is left of it")
  func java() throws {
    let found = try Self.loaded(
      """
      NOTE: Picked up JDK_JAVA_OPTIONS: -Xlog:startuptime:stderr
      [0.039s][info][startuptime] Genesis, 0.0275308 secs
      [0.064s][info][startuptime] Start VMThread, 0.0135725 secs
      [0.096s][info][startuptime] Create VM, 0.0949444 secs
      hello

      """
    )
    #expect(found.runtime == .java)
    #expect(found.modules["Genesis"]?.time == Nanoseconds(27_530_800))
    #expect(found.modules["Genesis"]?.importer == "Create VM")
    #expect(found.modules["Create VM"]?.time == Nanoseconds(53_841_100))
  }

  @Test("modules of Node are told by the script that launchlab has it load")
  func node() throws {
    let found = try Self.loaded(
      """
      {"launchlab.module":"lib/a.js","ns":1200,"by":"app.js"}
      {"launchlab.module": not one
      something else
      {"launchlab.module":"app.js","ns":5000}

      """
    )
    #expect(found.runtime == .node)
    #expect(found.modules.count == 2)
    // A program of Python that runs Node is one of Python; others are not compared with it.
    let python = try Self.loaded(
      """
      import time: self [us] | cumulative | imported package
      import time: 300 | 300 | io
      {"launchlab.module":"app.js","ns":5000}

      """
    )
    #expect(python.runtime == .python)
    #expect(python.modules.keys.sorted() == ["io"])
    #expect(Self.comparison(Array(repeating: Sides(before: python, after: found), count: 9)) == nil)
    #expect(found.modules["lib/a.js"]?.importer == "app.js")
    #expect(found.modules["app.js"]?.time == Nanoseconds(5_000))
  }
}
