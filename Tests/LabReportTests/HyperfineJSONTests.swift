import LabTestSupport
import Testing

@testable import Measuring

@Suite struct HyperfineJSONTests {
  @Test func `writes a result per arm that has a time`() throws {
    var text = ""
    HyperfineJSON(SampleRun.troubled).write { text += $0 }
    try expectSnapshot(text, named: "troubled", suite: "HyperfineJSON")
  }

  @Test func `leaves out counter launches and exit codes of servers`() throws {
    var text = ""
    HyperfineJSON(SampleRun.complete).write { text += $0 }
    try expectSnapshot(text, named: "complete", suite: "HyperfineJSON")
  }
}
