import Testing

@testable import LaunchCore
@testable import Stages

/// The grammar of glibc's loader, its processes and its lost digit.
@Suite struct TextGlibcTests {
  private typealias Example = TextExample

  /// The same numbers in the layout of versions before 2.30.
  private static func tabs(_ unit: String) -> String {
    Example.glibc.replacing("\t            time", with: "\t\t    time")
      .replacing("\t           time", with: "\t\t   time").replacing(" cycles", with: " \(unit)")
  }

  struct Scale: CustomTestStringConvertible, Sendable {
    var name: String
    var text: String
    var glibc: GlibcVersion?
    var isDropped: Bool?
    var testDescription: String { name }
  }

  static let scales = [
    Scale(name: "2.2 to 2.19", text: tabs("clock cycles"), isDropped: false),
    Scale(name: "2.20 to 2.29", text: tabs("cycles"), isDropped: false),
    Scale(name: "since 2.31", text: Example.glibc, isDropped: true),
    Scale(
      name: "2.30, whose numbers have no end",
      text: Example.glibc,
      glibc: GlibcVersion(2, 30),
      isDropped: nil
    ),
    Scale(name: "2.43 told", text: expanded, glibc: GlibcVersion(2, 43), isDropped: true),
    Scale(name: "2.19 told", text: expanded, glibc: GlibcVersion(2, 19), isDropped: false),
    Scale(
      name: "a layout that contradicts the version",
      text: Example.glibc,
      glibc: GlibcVersion(2, 19),
      isDropped: nil
    ),
    Scale(name: "expanded tabs", text: expanded, isDropped: nil),
    Scale(
      name: "a label that contradicts the version",
      text: tabs("clock cycles"),
      glibc: GlibcVersion(2, 36),
      isDropped: false
    ),
  ]

  private static var expanded: String { Example.glibc.replacing("\t", with: "     ") }

  @Test(arguments: scales)
  func `the last digit is restored by layout and version`(_ scale: Scale) {
    let result = Example.parse(scale.text, LoaderLogOptions(glibc: scale.glibc))
    let block = result.blocks[0]
    #expect(block.lastDigitDropped == scale.isDropped)
    let expected: Int64? = scale.isDropped.map { $0 ? 843_380 : 84_338 }
    #expect(block.total?.cycles == expected)
    #expect(block.total?.amount?.printed == "84338")
    #expect(block.total?.amount?.nanoseconds == nil)
    #expect(result.ids("note") == ["cycles-scale"])
  }

  @Test func `cycles become nanoseconds with a frequency`() throws {
    let options = LoaderLogOptions(glibc: GlibcVersion(2, 36), cyclesPerSecond: 2e9)
    let block = Example.parse(Example.glibc, options).blocks[0]
    #expect(block.total?.amount?.nanoseconds == 421_690)
    #expect(block.total?.amount?.resolution == 5)
    let stages = block.launchStages
    #expect(stages.map(\.name) == ["fixup", "load", "loader_other"])
    #expect(stages.compactMap(\.duration?.count).reduce(0, +) == 421_690)
    #expect(stages.allSatisfy { $0.source == .statistics && $0.start == nil })
  }

  @Test(arguments: [0, -1, .infinity, .nan, 1e-300])
  func `a frequency that is none leaves cycles`(_ frequency: Double) {
    let block = Example.parse(Example.glibc, LoaderLogOptions(cyclesPerSecond: frequency)).blocks[0]
    #expect(block.total?.cycles == 843_380)
    #expect(block.total?.amount?.nanoseconds == nil)
  }

  struct Marks: CustomTestStringConvertible, Sendable {
    var range: ClosedRange<Int64>
    var isDropped: Bool?
    var testDescription: String { "\(range)" }
  }

  @Test(arguments: [
    Marks(range: 400_000...450_000, isDropped: true),
    Marks(range: 40_000...45_000, isDropped: false),
    Marks(range: 40_000...450_000, isDropped: true), Marks(range: 1...2, isDropped: true),
  ])
  func `marks of one's own decide how cycles scale`(_ marks: Marks) {
    let options = LoaderLogOptions(
      cyclesPerSecond: 2e9,
      ownLoaderTotal: Nanoseconds(marks.range.lowerBound)...Nanoseconds(marks.range.upperBound)
    )
    let result = Example.parse(Example.glibc, options)
    #expect(result.blocks[0].lastDigitDropped == marks.isDropped)
    #expect(result.ids("warning") == (marks.range.upperBound == 2 ? ["loader-total"] : []))
  }

  @Test func `a number without digits was below 10 cycles`() {
    let text = Example.glibc.replacing("10478 cycles (12.4%)", with: " cycles (.0%)")
    let block = Example.strictly(text).blocks[0]
    #expect(block.stages[1].amount?.printed == "")
    #expect(block.stages[1].cycles == 0)
    #expect(block.stages[1].percent == "0.0")
    #expect(block.flags == ["empty_number_means_lt_10"])
  }

  @Test(arguments: [("(.4%)", "0.4"), ("(99.9%)", "99.9"), ("(%)", nil), ("(12.4)", "12.4")])
  func `a percentage has no digit below 1 and none from 100 on`(
    _ printed: String,
    _ percent: String?
  ) {
    let block = Example.strictly(Example.glibc.replacing("(12.4%)", with: printed)).blocks[0]
    #expect(block.stages[1].percent == percent)
    #expect(block.flags == (percent == nil ? ["empty_percent_means_ge_100"] : []))
  }

  @Test func `a number beyond 64 bits is null`() {
    let text = Example.glibc.replacing("84338", with: String(repeating: "9", count: 25))
    let block = Example.parse(text).blocks[0]
    #expect(block.total?.cycles == nil)
    #expect(block.total?.flags == ["overflow"])
  }

  @Test func `bytes behind a number make its scale unknown`() {
    let text = Example.glibc.replacing("84338 cycles", with: "84338\u{1}\u{7F} cycles")
    let block = Example.parse(text).blocks[0]
    #expect(block.flags == ["stray_bytes"])
    #expect(block.total?.cycles == nil)
  }

  @Test func `interleaved processes are told apart`() {
    let other = Example.glibc.replacing("18921", with: "18922").replacing("84338", with: "84339")
    let lines = zip(Example.glibc.split(separator: "\n"), other.split(separator: "\n"))
    let result = Example.strictly(lines.map { "\($0)\n\($1)\n" }.joined())
    #expect(result.blocks.map(\.pid) == [18_921, 18_922, 18_921, 18_922])
    #expect(result.blocks.compactMap { $0.total?.amount?.printed } == ["84338", "84339"])
    #expect(result.blocks.map(\.counters.count) == [3, 3, 2, 2])
  }

  @Test func `the same process twice has executed another program`() {
    let result = Example.strictly(Example.glibc + Example.glibc)
    #expect(result.blocks.map(\.format).filter { $0 == "glibc.startup" }.count == 2)
    #expect(result.isComplete)
  }

  @Test func `a process that executes before its block ends has two blocks`() {
    let begin = Example.glibc.split(separator: "\n").prefix(4).joined(separator: "\n")
    let result = Example.parse(begin + "\n" + Example.glibc)
    #expect(result.blocks[0].flags == ["missing:load", "truncated"])
    #expect(result.blocks[1].flags == [])
  }

  @Test func `a loader without times gives counts only`() {
    let text = Example.glibc.split(separator: "\n")
      .filter { !$0.contains("cycles") && !$0.hasSuffix(":\truntime linker statistics:") }
      .joined(separator: "\n")
    let result = Example.strictly(text + "\n" + text + "\n")
    #expect(result.blocks.map(\.format).filter { $0 == "glibc.startup" }.count == 2)
    #expect(result.blocks[0].flags == ["no_times"])
    #expect(result.blocks[0].total == nil)
    #expect(result.isComplete)
  }

  @Test func `initializers are events`() {
    let text = """
           18926:\t
           18926:\tcalling init: /srv/a lib:1.so
           18926:\tinitialize program: ./prog
           18926:\ttransferring control: ./prog
           18926:\tcalling fini:  [0]
      calling init: of a document
      """
    let result = Example.strictly(text)
    #expect(
      result.events.map { [$0.name, $0.text] } == [
        ["calling init", "/srv/a lib:1.so"], ["initialize program", "./prog"],
        ["transferring control", "./prog"], ["calling fini", " [0]"],
      ]
    )
    #expect(result.events.map(\.line) == [2, 3, 4, 5])
    #expect(!result.isEmpty && !result.hasErrors)
  }

  @Test func `grouped numbers are an imitation`() {
    let text = """
      total startup time in dynamic loader: 7,300,000 cycles
      time needed for relocation: 4,100,000 cycles
      number of relocations: 18,442
      ...

      """
    let block = Example.parse(text).blocks[0]
    #expect(block.total?.amount?.printed == "7300000")
    #expect(block.counters == ["number_of_relocations": 18_442])
    #expect(!block.isStandard)
    #expect(Example.strictly(text).blocks.isEmpty)
  }

  @Test func `a block behind the words of a log is found`() {
    let text = Example.glibc.split(separator: "\n").map { "Nov 21 10:00:01 host make[7]: \($0)\n" }
    #expect(Example.strictly(text.joined()).values == Example.strictly(Example.glibc).values)
  }

  @Test func `a text cut anywhere gives only numbers of the whole text`() {
    let bytes = Array(Example.glibc.utf8)
    let numbers = Set(Example.parse(Example.glibc).blocks.flatMap { Array($0.counters.values) })
    for end in bytes.indices {
      let result = LoaderLog.parse(Array(bytes[..<end]), name: "a")
      for block in result.blocks {
        let times = ([block.total].compactMap(\.self) + block.stages).map { $0.amount?.printed }
        #expect(times.allSatisfy { ["84338", "12147", "10478"].contains($0) }, "cut at \(end)")
        #expect(numbers.isSuperset(of: block.counters.values), "cut at \(end)")
      }
    }
  }
}
