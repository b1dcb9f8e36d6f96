import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct RunWarningsTests {
  @Test func `steady launches give no warning`() {
    var builder = RunBuilder()
    builder.add(steadyTimes(50))
    #expect(builder.summary.warnings.isEmpty)
  }

  @Test func `names a busy machine in the warning of noisy arms`() {
    let remedy = "stop other processes (see `top`)"
    var warnings = [Diagnostic(.warning, id: "high-variation", problem: "noisy: a at 20 % CV")]
    var preflight = [Diagnostic(.warning, id: "load", problem: "load: 9 on 2", remedy: remedy)]
    warnings.joinLoad(with: &preflight)
    #expect(warnings.map(\.problem) == ["noisy: a at 20 % CV (load: 9 on 2)"])
    #expect(warnings.map(\.remedy) == [remedy])
    #expect(preflight.map(\.severity) == [.note])

    var steady: [Diagnostic] = []
    preflight[0].severity = .warning
    steady.joinLoad(with: &preflight)
    #expect(preflight.map(\.severity) == [.warning])
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let text: String
    var arm = Arm(target: "perl", state: .warm)
    var host = HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: "f")
    let fill: @Sendable (inout RunBuilder) -> Void

    var testDescription: String { String(text.prefix { $0 != "\n" }) }
  }

  @Test(arguments: Case.states + Case.outcomes + Case.times + Case.others)
  func `says what was seen, the likely cause and the next step`(test: Case) {
    var builder = RunBuilder(arms: [test.arm], host: test.host)
    test.fill(&builder)
    #expect(builder.summary.warnings.map(\.description).joined(separator: "\n") == test.text)
  }

  @Test func `the gravest come first and each has a place`() {
    var builder = RunBuilder(
      arms: [Arm(target: "perl", state: .warm), Arm(target: "git", state: .warm)])
    builder.add(steadyTimes(20) + [5_000], arm: 0)
    builder.add([0, 0, 0], arm: 1, outcome: .exited(code: 1))
    let warnings = builder.summary.warnings
    #expect(warnings.map(\.id) == ["no-ready-launch", "outliers", "high-variation"])
    #expect(warnings.map(\.place) == ["git, warm", "perl, warm", nil])
  }

  @Test func `counter launches get no remarks about their times`() {
    var builder = RunBuilder(arms: [Arm(target: "perl", state: .warm, kind: .counters)])
    builder.add([1_000, 5_000])
    #expect(builder.summary.warnings.isEmpty)
  }

  @Test func `remarks of an arm have no place`() {
    var builder = RunBuilder()
    builder.add(steadyTimes(20) + [5_000])
    let remarks = builder.summary.arms[0].summary(of: .launch)?.remarks
    #expect(remarks?.map(\.id) == ["outliers"])
    #expect(remarks?.map(\.place) == [nil])
  }

  @Test func `each tag of a state is told of with a reason of its own`() {
    var builder = RunBuilder()
    builder.add(steadyTimes(30), state: .notVerified(reason: "no right"))
    builder.add(steadyTimes(20), state: .notReached(reason: "it had major faults"))
    let problems = builder.summary.warnings.map(\.problem)
    #expect(problems.count == 2)
    #expect(problems.first?.hasSuffix("are excluded: it had major faults") == true)
    #expect(problems.last?.hasSuffix("30 of 50 launches reached warm: no right") == true)
  }

  @Test func `a fine resolution is not told of`() {
    var builder = RunBuilder()
    builder.add(steadyTimes(50), resolution: Nanoseconds(9_000))
    #expect(builder.summary.warnings.isEmpty)
  }

  @Test func `a warm run on a virtual machine needs no word on its storage`() {
    var builder = RunBuilder(
      host: HostFacts(
        architecture: "x86_64",
        kernel: "6.18",
        virtualization: "kvm",
        fingerprint: "f"
      )
    )
    builder.add(steadyTimes(50))
    #expect(builder.summary.warnings.isEmpty)
  }
}
