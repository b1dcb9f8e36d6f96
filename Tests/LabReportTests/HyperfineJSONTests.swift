import LabTestSupport
import Rendering
import Testing

@testable import Measuring

@Suite struct HyperfineJSONTests {
  @Test func `writes a result per arm that has a time`() throws {
    let text = HyperfineJSON(SampleRun.troubled).rendered()
    try expectSnapshot(text, named: "troubled", suite: "HyperfineJSON")
  }

  @Test func `leaves out counter launches and exit codes of servers`() {
    let json = onOneLine(HyperfineJSON(SampleRun.complete).rendered())
    #expect(json.ranges(of: #""command": "#).count == 9)
    #expect(json.contains(#""command": "empty # reboot-cold", "mean": 0.0003359518333333333"#))
    #expect(json.contains(#""user": null, "system": null, "min": 0.000322675"#))
    #expect(json.contains(#""command": "/usr/bin/redis-server --port 7379 # warm", "mean": 0.008"#))
    #expect(json.ranges(of: #""exit_codes": [ null, null, "#).count == 3)
  }
}
