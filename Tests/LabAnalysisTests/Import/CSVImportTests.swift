import Foundation
import Testing

@testable import History
@testable import LaunchCore

@Suite struct CSVImportTests {
  private func read(
    _ text: String,
    _ options: ImportOptions = ImportOptions()
  ) throws -> CSVImport {
    try CSVImport(Data(text.utf8), path: "/data/my app.csv", options: options)
  }

  private func problems(_ text: String, _ options: ImportOptions = ImportOptions()) -> [String] {
    let error = #expect(throws: ImportError.self) { try read(text, options) }
    #expect(error?.exitCode == .usage)
    return (error?.diagnostics ?? []).map { "\($0.place ?? "") \($0.problem)" }
  }

  private func night(
    _ seconds: Double,
    commit: String? = nil,
    _ arms: [ImportedArm]
  ) -> ImportedNight {
    let date = Date(timeIntervalSince1970: seconds)
    return ImportedNight(startedAt: date, host: "imported", commit: commit, arms: arms)
  }

  private func arm(
    _ target: String = "my-app",
    _ state: LaunchState = .warm,
    _ values: [Metric: [Int64]]
  ) -> ImportedArm {
    ImportedArm(target: target, state: state, command: [target], values: values)
  }

  @Test func `takes off the apostrophe that an export puts before a formula`() throws {
    let text = "time,value,unit,commit\n2026-11-21,2,ms,'-8b07\n2026-11-22,2,ms,'8b07\n"
    #expect(try read(text).nights.map(\.commit) == ["-8b07", "'8b07"])
  }

  @Test func `makes one run of the lines of one time`() throws {
    let text = """
      time,value,unit,target,state,metric,commit
      2026-11-21,2,ms,a,,,8b07
      2026-11-20,1.5,ms,a,,,4f2a
      2026-11-21,3,ms,a,warm,launch,8b07
      2026-11-21,4,KiB,a,,peak_rss,8b07
      2026-11-21,5,,a,,major_faults,8b07
      2026-11-21,6,s,b,reboot-cold,,8b07
      """
    let warm = arm(
      "a",
      .warm,
      [.launch: [2_000_000, 3_000_000], .peakRSS: [4_096], .majorFaults: [5]]
    )
    #expect(
      try read(text).nights == [
        night(1_795_132_800, commit: "4f2a", [arm("a", .warm, [.launch: [1_500_000]])]),
        night(
          1_795_219_200,
          commit: "8b07",
          [warm, arm("b", .rebootCold, [.launch: [6_000_000_000]])]
        ),
      ]
    )
  }

  @Test func `reads pairs whose columns have other names`() throws {
    var options = ImportOptions(unit: ImportedUnit("ms"), timeColumn: "push_timestamp")
    options.commit = "c0"
    let read = try read("\u{FEFF}push_timestamp,value\r\n1365825251,351.0\r\n", options)
    #expect(
      read.nights == [
        night(1_365_825_251, commit: "c0", [arm("my-app", .warm, [.launch: [351_000_000]])])
      ]
    )
    #expect(read.warnings.isEmpty)
  }

  @Test func `keeps hosts apart`() throws {
    let text = "time,value,host\n2026-11-21,1,a\n2026-11-21,2,b\n"
    let nights = try read(text, ImportOptions(unit: ImportedUnit("B"))).nights
    #expect(nights.map(\.host) == ["a", "b"])
    #expect(nights.map { $0.arms[0].values } == [[.peakRSS: [1]], [.peakRSS: [2]]])
  }

  @Test func `says which columns it does not read`() throws {
    let read = try read("time,value,unit,note,why\n2026-11-21,1,s,x,y\n")
    #expect(read.warnings.map(\.problem) == ["the columns \"note\", \"why\" are not read"])
  }

  @Test func `tells every mistake with its line and column`() {
    let text = """
      time,value,unit,metric,state
      today,1,ms,,
      2026-11-21,x,ms,,
      2026-11-21,1,h,,
      2026-11-21,1,ms,speed,
      2026-11-21,1,ms,peak_rss,
      2026-11-21,1,1,,
      2026-11-21,1,ms,,frozen
      2026-11-21,1
      """
    #expect(
      problems(text) == [
        "/data/my app.csv:2:1 \"today\" is not a timestamp",
        "/data/my app.csv:3:12 \"x\" is not a value",
        "/data/my app.csv:4:14 \"h\" is not a unit",
        "/data/my app.csv:5:12 \"speed\" is not a metric",
        "/data/my app.csv:6:14 the metric \"peak_rss\" is not in that unit",
        "/data/my app.csv:7:12 it is not clear what \"1\" counts",
        "/data/my app.csv:8:18 \"frozen\" is not a launch state",
        "/data/my app.csv:9:1 the line has 2 of the 5 fields that the header names",
      ]
    )
  }

  @Test(arguments: [
    ("", "/data/my app.csv:1:1 the file is empty"),
    ("time,value\n", "/data/my app.csv:1:1 the file has no values"),
    (
      "when,value\n1,2\n",
      "/data/my app.csv:1:1 no column \"time\"; found \"when\", \"value\""
    ),
    ("time,value\n\"2026", "/data/my app.csv:2:1 the quoted field has no end"),
    (
      "time;value\n2026-11-21;1,5\n",
      "/data/my app.csv:1:1 the values are separated by semicolons, not by commas"
    ),
    ("sep=;\na;b\n", "/data/my app.csv:1:1 the values are separated by semicolons, not by commas"),
    (
      "when\tvalue\n1\t2\n",
      "/data/my app.csv:1:1 the values are separated by tabs, not by commas"
    ),
    (
      "time,value\n2026-11-21,1\n2026-11-22,2\n",
      "/data/my app.csv:2 values have no unit"
    ),
  ])
  func `tells what is wrong with a file`(text: String, problem: String) {
    #expect(problems(text) == [problem])
  }

  @Test func `tells 20 mistakes and counts the others`() {
    let lines = (0..<23).map { "never,\($0),ms" }.joined(separator: "\n")
    let found = problems("time,value,unit\n" + lines)
    #expect(found.count == 21)
    #expect(found.last == " and 3 more problems like these")
    let one = (0..<21).map { "never,\($0),ms" }.joined(separator: "\n")
    #expect(problems("time,value,unit\n" + one).last == " and 1 more problem like these")
  }

  @Test(arguments: [
    (String.Encoding.utf16, "UTF-16"), (.utf16LittleEndian, "UTF-16LE"),
    (.utf16BigEndian, "UTF-16BE"), (.utf32, "UTF-32"), (.utf32LittleEndian, "UTF-32LE"),
  ])
  func `names the encoding of text that is not UTF-8`(
    encoding: String.Encoding,
    name: String
  ) throws {
    let content = try #require("time,value\n2026-11-21,1\n".data(using: encoding))
    let error = #expect(throws: ImportError.self) {
      try CSVImport(content, path: "app.csv", options: ImportOptions())
    }
    #expect(error?.diagnostics.map(\.problem) == ["the file is \(name) text, not UTF-8"])
  }
}

@Suite struct ImportedNameTests {
  @Test(arguments: [
    ("sleep 0.1", "sleep-0.1"), ("./app --version", ".-app-version"), ("größe", "gr-e"),
    ("empty", "empty-program"), ("control", "control-program"), ("  ", "program"), ("a_b", "a_b"),
  ])
  func `makes a name from any text`(text: String, name: String) {
    #expect(ImportedName.name(from: text) == name)
  }

  @Test func `makes a name that is not taken`() {
    #expect(ImportedName.name(from: "a b", besides: ["a-b", "a-b-2"]) == "a-b-3")
  }
}
