import Foundation
import LabTestSupport
import Rendering
import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct StageTraceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var launches: [LaunchStages]
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "node", launches: SampleStages.nodes),
    Case(name: "tool", launches: [SampleStages.tool, SampleStages.tool]),
    Case(name: "static", launches: [SampleStages.still]),
    Case(name: "unready", launches: [SampleStages.unready]),
    Case(name: "printed", launches: [SampleStages.printed]),
    Case(name: "odd", launches: (0..<40).map(SampleStages.odd)),
  ]

  private func chrome(_ launches: [LaunchStages]) -> Data {
    Data(ChromeTrace(launches, command: ["it's", "a"]).rendered().utf8)
  }

  @Test(arguments: cases)
  func `a Chrome trace keeps the rules of its format`(_ example: Case) throws {
    let events = try ChromeTraceRules.expect(chrome(example.launches))
    #expect(events.count > example.launches.count)
  }

  @Test func `every initializer and library is a slice on a track of its own kind`() throws {
    let events = try ChromeTraceRules.expect(chrome([SampleStages.node()]))
    let names = events.filter { $0.name == "thread_name" }.compactMap(\.args?.name)
    #expect(names == ["launch", "libraries", "initializers by library", "initializers", "marks"])
    let slices = Dictionary(grouping: events.filter { $0.ph == "B" }, by: \.tid)
    #expect(slices.mapValues(\.count) == [1: 8, 2: 9, 3: 4, 4: 829])
    #expect(events.filter { $0.ph == "i" }.map(\.name) == ["bootstrap complete"])
  }

  @Test func `times read back to the nanosecond`() throws {
    let launch = SampleStages.node()
    let events = try ChromeTraceRules.expect(chrome([launch]))
    let slice = try #require(events.first { $0.name == "launch" })
    #expect(slice.length == launch.launch.duration?.count)
  }

  @Test func `launches and other programs are processes of their own`() throws {
    let events = try ChromeTraceRules.expect(chrome([SampleStages.tool, SampleStages.tool]))
    let processes = events.filter { $0.name == "process_name" }
    let names = processes.compactMap(\.args?.name)
    #expect(names.count == 8)
    #expect(names.first == "launch 1: /opt/tool/bin/tool")
    #expect(names[1] == "/usr/bin/dash of launch 1")
    #expect(Set(processes.map(\.pid)).count == 8)
  }

  @Test func `stages without a start are marked as laid end to end`() throws {
    let events = try ChromeTraceRules.expect(chrome([SampleStages.printed]))
    let made = events.filter { $0.args?.syntheticOffset == true }
    #expect(made.map(\.name) == ["load", "fixup", "loader_other"])
    #expect(made.map(\.ts) == [0, 310, 1_330])
    #expect(made.map(\.length) == [310_000, 1_020_000, 95_000])
  }
}
