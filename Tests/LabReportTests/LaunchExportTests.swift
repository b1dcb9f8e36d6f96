import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import Measuring

@Suite struct LaunchLinesTests {
  private let lines = LaunchLines(SampleRun.troubled.run)

  @Test func `writes every kind of launch`() throws {
    let text = SampleLaunches.all.map(lines.line).joined()
    try expectSnapshot(text, named: "launches", suite: "LaunchLines")
  }

  @Test func `gives each launch one line of JSON with the same fields`() throws {
    let names = try SampleLaunches.all.map { record in
      let line = lines.line(for: record)
      #expect(line.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return Set(try #require(object as? [String: Any]).keys)
    }
    #expect(Set(names).count == 1)
  }
}

@Suite struct LaunchCSVTests {
  private let csv = LaunchCSV(SampleRun.troubled.run)

  @Test func `writes every kind of launch`() throws {
    let text = LaunchCSV.header + SampleLaunches.all.map(csv.line).joined()
    try expectSnapshot(text, named: "launches", suite: "LaunchCSV")
  }

  @Test func `gives each plain line as many fields as the header`() {
    let columns = LaunchCSV.header.split(separator: ",").count
    let line = csv.line(for: SampleLaunches.all[0])
    #expect(line.split(separator: ",", omittingEmptySubsequences: false).count == columns)
    #expect(line.hasSuffix("\r\n"))
  }

  @Test func `quotes a field that holds quotes, and shows its line feed`() {
    let line = csv.line(for: SampleLaunches.all[1])
    #expect(line.contains(#""said ""no"", twice\nand left""#))
  }
}
