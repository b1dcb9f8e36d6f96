import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Measuring
@testable import Rendering
@testable import Stages

@Suite struct RunStagesTests {
  /// A run whose first plain arm was looked at by two collectors.
  private var summary: RunSummary {
    var summary = SampleRun.summary([SampleRun.arm(.warm)])
    let stages = SampleStages.summary([SampleStages.node(), SampleStages.node(seed: 2)])
    var printed = stages
    printed.collector = .statistics
    summary.arms[0].stages = [stages, printed]
    summary.arms[0].pageIns = PageInSummary(
      launches: 2,
      files: [
        PageIn(path: "/usr/bin/perl", isOwn: true, pages: 929, faulted: 4, readAhead: 925),
        PageIn(path: "/lib/libm.so.6", isOwn: false, pages: 7, faulted: 1, readAhead: 6),
      ],
      notes: ["1 major fault was elsewhere"]
    )
    return summary
  }

  @Test func `shows the stages and page-ins of an arm in the terminal`() throws {
    let text = RunText(summary, style: TextStyle(width: 120)).rendered()
    let name = try #require(ArmText.shown(of: summary).first?.name)
    #expect(text.contains("stages of \(name)  2 launches, collected by the probe"))
    #expect(text.contains("collected by the loader's statistics"))
    #expect(text.contains("total pre-main time"))
    #expect(text.contains("936 pages came in, 5 by a fault and 931 read ahead (the medians per"))
    #expect(text.contains("1 major fault was elsewhere"))
  }

  @Test func `reports the stages and page-ins of an arm`() throws {
    let report = RunMarkdown(summary).rendered()
    let name = try #require(ArmText.shown(of: summary).first?.name)
    #expect(report.contains("## Stages\n\n### \(name), seen by the probe\n"))
    #expect(report.contains("## Page-ins\n"))
    #expect(report.contains("936 pages came in"))
  }

  @Test func `shows what was printed in brief too`() throws {
    var summary = summary
    summary.arms[0].stages = [SampleStages.summary([SampleStages.printed])]
    let text = RunText(summary, style: TextStyle(width: 120)).rendered()
    #expect(text.contains("  relocation"))
    #expect(text.contains("1.020 ms"))
  }

  @Test func `says nothing of stages in a run without any`() {
    let plain = SampleRun.complete
    #expect(!RunMarkdown(plain).rendered().contains("## Stages"))
    #expect(!RunText(plain, style: TextStyle()).rendered().contains("stages of"))
  }

  @Test func `writes the parts of the launch, the collectors and the page-ins of an arm`() throws {
    guard case .object(let members) = ArmJSON(summary.arms[0]).value else {
      Issue.record("an arm is an object")
      return
    }
    let value = members.reduce(into: [String: JSONValue]()) { $0[$1.name] = $1.value }
    guard case .array(let stages)? = value["stages"],
      case .array(let collectors)? = value["collectors"],
      case .object(let pageIns)? = value["page_ins"]
    else {
      Issue.record("the members are missing")
      return
    }
    #expect(stages.count == summary.arms[0].stages[0].launch.children.count)
    #expect(collectors.count == 2)
    guard case .integer(5)? = pageIns.first(where: { $0.name == "faulted" })?.value else {
      Issue.record("the faulted pages are not told")
      return
    }
  }
}
