import LabTestSupport
import Rendering
import Testing

@testable import Measuring

@Suite struct HyperfineJSONTests {
  @Test func `writes a result per arm that has a time`() throws {
    let text = HyperfineJSON(SampleRun.troubled).rendered()
    try expectSnapshot(text, named: "troubled", suite: "HyperfineJSON")
  }

  @Test func `leaves out counter launches and exit codes of servers`() throws {
    let text = HyperfineJSON(SampleRun.complete).rendered()
    try expectSnapshot(text, named: "complete", suite: "HyperfineJSON")
  }
}
