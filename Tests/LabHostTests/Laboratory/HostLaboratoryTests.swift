import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// The laboratories of one process share a directory for sockets, so they come one by one.
@Suite(.machineKnobs, .temporaryDirectory) struct HostLaboratoryTests {
  @Test(.enabled(if: TestMachine.isRoot, "residency takes root"))
  func `evicts a file that the target itself has made below its own files`() async throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell("mkdir data; echo one > data/one", in: directory)
    let arm = Arm(target: "target", state: .reinstallCold)
    let target = target("echo two > data/two", files: ["\(directory)/data"])
    var laboratory = try await laboratory(plan(target, [arm]))
    defer { laboratory.close() }

    _ = try laboratory.prepare(arm)
    #expect(try laboratory.launch(arm).outcome == .ready)
    let residency = try laboratory.prepare(arm).residency

    let two = try #require(residency.first { $0.path == "\(directory)/data/two" })
    #expect(two.isOwn && two.residentPages == 0 && two.totalPages == 1)
  }

  @Test func `goes on when the target has removed one of its own files`() async throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell("mkdir data; echo one > data/one", in: directory)
    let arm = Arm(target: "target", state: .reinstallCold)
    let target = target("rm -r data", files: ["\(directory)/data"])
    var laboratory = try await laboratory(plan(target, [arm]))
    defer { laboratory.close() }

    _ = try laboratory.prepare(arm)
    _ = try laboratory.launch(arm)
    let one = try laboratory.prepare(arm).residency.first { $0.path == "\(directory)/data/one" }
    #expect(one?.totalPages == 0)
  }

  @Test(arguments: [
    (LaunchState.reinstallCold, "used"), (.warm, "used"), (.firstRun, "new"),
  ])
  func `shows a new private HOME to first runs only`(
    state: LaunchState,
    found: String
  ) async throws {
    let target = target("[ -e ~/seen ] && echo used || echo new; touch ~/seen")
    let arms = [LaunchState.firstRun, state].map { Arm(target: "target", state: $0) }
    var laboratory = try await laboratory(plan(target, arms))
    defer { laboratory.close() }

    for _ in 1...2 {
      _ = try laboratory.prepare(arms[1])
      let output = try laboratory.launch(arms[1]).output.stdout.head
      #expect(String(decoding: output, as: UTF8.self) == "\(found)\n")
    }
  }

  @Test(arguments: ["app", "app/bin", "lib"])
  func `refuses to empty a directory that holds what is launched`(state: String) async throws {
    let directory = "\(TemporaryDirectory.path)/target"
    try TestMachine.shell(
      "mkdir -p target/app/bin target/lib; cp -L /bin/sh target/app/bin/sh;"
        + "ln -s app target/link; echo true > target/lib/script",
      in: TemporaryDirectory.path
    )
    let before = try TestMachine.digest(of: directory)
    let target = Target(
      name: "target",
      command: ["\(directory)/link/bin/sh", "lib/script"],
      directory: directory,
      state: [StateDirectory(path: "\(directory)/\(state)")]
    )
    let plan = plan(target, [Arm(target: "target", state: .firstRun)])
    await #expect(throws: HostError.self) {
      try await laboratory(plan).close()
    }
    #expect(try TestMachine.digest(of: directory) == before)
  }

  @Test(
    .enabled(if: PageCacheTests.isOnDisk, "the temporary directory is in memory"),
    arguments: [1, 2]
  )
  func `has the files of programs that are compared warm read again`(count: Int) async throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell("head -c 100000 /dev/urandom > one; cp one two", in: directory)
    let files = ["one", "two"].prefix(count).map { "\(directory)/\($0)" }
    let targets = files.enumerated().map { number, file in
      var target = target(":", files: [file])
      target.name = "target \(number)"
      return target
    }
    let arms = targets.map { Arm(target: $0.name, state: .warm) }
    var plan = plan(targets[0], arms)
    plan.scenario.targets = targets
    let laboratory = try await laboratory(plan)
    defer { laboratory.close() }

    let resident = try files.map { try PageCache().residency(of: FilePath($0)).residentPages }
    #expect(resident.allSatisfy { ($0 == 0) == (count == 2) })
  }

  @Test func `looks at no file behind a link that is to be installed again`() async throws {
    let link = "\(TemporaryDirectory.path)/link"
    // Looking at what is there would fail first, and with another error.
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/nothing")
    var target = target("true")
    target.install = [link]
    let plan = plan(target, [Arm(target: "target", state: .reinstallCold)])
    let refused = HostError.directoryRefused(role: .install, path: link, .symbolicLink)
    await #expect(throws: refused) { try await laboratory(plan) }
  }

  @Test func `does not prepare a launch once it is interrupted`() async throws {
    let flag = try InterruptFlag()
    let arm = Arm(target: "target", state: .reinstallCold)
    var laboratory = try await laboratory(plan(target("true"), [arm]), interrupt: flag)
    defer { laboratory.close() }
    flag.set()
    #expect(throws: HostError.interrupted) { try laboratory.prepare(arm) }
  }

  @Test(.enabled(if: TestMachine.isRoot, "residency takes root"))
  func `learns what the tree opens by one launch, and evicts what of it is own`() async throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell(
      "cp /bin/cat reader; head -c 3000000 /dev/urandom > data; mkdir sub; echo x > sub/left.log;"
        + "sync; echo 0 > count",
      in: directory
    )
    let arms = [LaunchState.reinstallCold, .warm].map { Arm(target: "target", state: $0) }
    let target = target(
      "echo one >> count; exec ./reader data sub/left.log",
      files: ["!\(directory)/**/*.log"]
    )
    var first = try await laboratory(plan(target, arms))
    let preparation = try first.prepare(arms[0])
    #expect(preparation.warmUps == 1)
    func file(_ name: String) -> FileResidency? {
      preparation.residency.first { $0.path == "\(directory)/\(name)" }
    }
    for name in ["reader", "data"] {
      let found = try #require(file(name), "\(name)")
      #expect(found.isOwn && found.residentPages == 0 && found.totalPages > 0, "\(name)")
    }
    #expect(file("sub/left.log")?.isOwn == false)
    #expect(preparation.residency.contains { $0.path.hasSuffix("libc.so.6") && !$0.isOwn })
    let result = try first.launch(arms[0])
    let readIn = try #require(result.readIn)
    #expect(readIn.ownBytes >= 3_000_000)
    #expect(readIn.machineBytes >= 3_000_000)
    #expect(try first.prepare(arms[0]).warmUps == 0)
    #expect(!first.notes.contains { $0.id == "files-not-learnt" })
    first.close()

    // What is known is not learnt again.
    var second = try await laboratory(plan(target, arms), state: "second")
    #expect(try second.prepare(arms[0]).warmUps == 0)
    second.close()
    try TestMachine.shell("cp /bin/echo reader", in: directory)
    var third = try await laboratory(plan(target, arms), state: "third")
    #expect(try third.prepare(arms[0]).warmUps == 1)
    third.close()
  }

  @Test(.enabled(if: PageTracepoints.find() != nil, "tracepoints take root and tracefs"))
  func `tells of files that a later launch opens besides, and knows them in the next run`()
    async throws
  {
    let directory = TemporaryDirectory.path
    try TestMachine.shell("cp /bin/cat reader; for f in a b; do echo $f > $f; done", in: directory)
    // The launch that learns reads one file, those after it two.
    let target = target(
      "if [ -e known ]; then exec ./reader a b; fi; echo x > known; exec ./reader a"
    )
    let arms = [Arm.Kind.plain, .probe].map {
      Arm(target: "target", state: .reinstallCold, kind: $0)
    }
    var first = try await laboratory(plan(target, arms))
    for arm in arms {
      _ = try first.prepare(arm)
      _ = try first.launch(arm)
    }
    first.close()
    let note = try #require(first.notes.first { $0.id == "more-than-learnt" })
    #expect(note.problem.contains(" 1 file more than learnt, such as \(directory)/b"))
    var second = try await laboratory(plan(target, arms), state: "second")
    let preparation = try second.prepare(arms[0])
    #expect(preparation.warmUps == 0)
    #expect(preparation.residency.contains { $0.path == "\(directory)/b" && $0.isOwn })
    second.close()
  }

  @Test func `does without learning where the watched launch is not ready`() async throws {
    let arm = Arm(target: "target", state: .reinstallCold)
    var laboratory = try await laboratory(plan(target("exit 3"), [arm]))
    defer { laboratory.close() }
    _ = try laboratory.prepare(arm)
    let note = try #require(laboratory.notes.first { $0.id == "files-not-learnt" })
    #expect(note.problem.hasSuffix("the watched launch was not ready: exited with status 3"))
    #expect(try laboratory.prepare(arm).warmUps == 0)
  }

  @Test func `launches nothing to learn by the rule listed, nor for warm launches`() async throws {
    var listed = target("echo one >> count")
    listed.own = .listed
    let arms = [LaunchState.reinstallCold, .warm].map { Arm(target: "target", state: $0) }
    var laboratory = try await laboratory(plan(listed, arms))
    defer { laboratory.close() }
    #expect(try laboratory.prepare(arms[0]).warmUps == 0)
    #expect(!exists("\(TemporaryDirectory.path)/count"))
  }

  /// A laboratory with a lab lock and a journal of its own.
  private func laboratory(
    _ plan: Plan,
    interrupt: InterruptFlag? = nil,
    state: String = "state"
  ) async throws -> HostLaboratory {
    let state = "\(TemporaryDirectory.path)/\(state)"
    let session = try LabSession(
      command: ["launchlab"],
      in: JournalDirectory(environment: [JournalDirectory.variable: state])
    )
    return try await HostLaboratory(
      plan: plan,
      directory: TemporaryDirectory.path,
      session: session,
      interrupt: interrupt
    )
  }

  private func target(_ script: String, files: [String] = []) -> Target {
    Target(
      name: "target",
      command: ["/bin/sh", "-c", script],
      directory: TemporaryDirectory.path,
      files: files
    )
  }

  private func plan(_ target: Target, _ arms: [Arm]) -> Plan {
    let scenario = Scenario.sample("test", [target], states: arms.map(\.state), launches: 2)
    return Plan(scenario: scenario, seed: 1, arms: arms, blockCount: 2)
  }
}
