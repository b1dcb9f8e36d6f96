import Foundation
import LabTestSupport
import LaunchCore
import Subprocess
import Testing

@testable import FleetEngines

@Suite struct SlurmRecordTests {
  /// Records as Slurm writes them, from lines that are easier to read.
  private func answer(_ lines: String...) -> String {
    lines.map { $0.replacing("¦", with: "\u{1F}") + "\u{1E}\n" }.joined()
  }

  @Test func `asks for fields that no text can have in it`() {
    #expect(SlurmRecord.format("%i", "%j") == "%i\u{1F}%j\u{1E}")
  }

  struct State {
    let state: String
    var reason = "none"
    let obstacle: String?
  }

  @Test(arguments: [
    State(state: "idle", obstacle: nil),
    State(state: "allocated", obstacle: nil),
    State(state: "allocated+", obstacle: nil),
    State(state: "mixed-", obstacle: nil),
    State(state: "completing", obstacle: nil),
    State(state: "planned", reason: "old reason", obstacle: nil),
    State(state: "idle~", obstacle: nil),
    State(state: "idle*", obstacle: "idle: Not responding"),
    State(state: "down*", reason: "Not responding", obstacle: "down: Not responding"),
    State(state: "unknown", obstacle: nil),
    State(state: "unknown*", obstacle: "unknown: Not responding"),
    State(state: "drained", reason: "Duplicate jobid", obstacle: "drained: Duplicate jobid"),
    State(state: "draining", reason: "a|b\nc", obstacle: "draining: a|b c"),
    State(state: "fail", obstacle: "fail"),
    State(state: "maint", obstacle: "maint"),
    State(state: "idle@", obstacle: "idle@"),
    State(state: "reboot^", reason: "kernel", obstacle: "reboot^: kernel"),
    State(state: "inval", reason: "Low RealMemory", obstacle: "inval: Low RealMemory"),
    State(state: "", obstacle: ""),
  ])
  func `reads the state of a host`(_ test: State) throws {
    let text = answer("h1¦measure*¦up¦\(test.state)¦\(test.reason)")
    #expect(
      try SlurmRecord.hosts(text, ofDefault: true)
        == [FleetHost(name: "h1", obstacle: test.obstacle)]
    )
  }

  @Test func `reads hosts of several partitions once`() throws {
    let text = answer(
      "h1¦build¦up¦idle¦none",
      "h1¦measure*¦drain¦idle¦none",
      "h2¦measure*¦up¦idle¦none"
    )
    #expect(
      try SlurmRecord.hosts(text, ofDefault: true) == [
        FleetHost(name: "h1", obstacle: "partition measure is drain"), FleetHost(name: "h2"),
      ]
    )
    #expect(try SlurmRecord.hosts("", ofDefault: true).isEmpty)
  }

  @Test func `reads since when the daemons of hosts are there`() {
    let text = """
      NodeName=h1 Arch=x86_64 BootTime=1795600000 SlurmdStartTime=1795600100 LastBusyTime=1795600200 Reason=a
         NodeName=h9 SlurmdStartTime=1 [root@0]
      NodeName=h2 State=UNKNOWN BootTime=None SlurmdStartTime=None LastBusyTime=None

      """
    #expect(SlurmRecord.starts(text) == ["h1": Date(timeIntervalSince1970: 1_795_600_100)])
  }

  @Test func `reads jobs that wait, run and have ended`() throws {
    let text = answer(
      "7¦RUNNING¦3:07¦None¦night.h1|x",
      "8¦PENDING¦0:00¦Resources¦night.h2",
      "9¦PENDING¦0:00¦JobHeldUser¦held",
      "10¦PENDING¦0:00¦None¦new",
      "11¦PENDING¦0:00¦ReqNodeNotAvail, UnavailableNodes:h3¦drained",
      "12¦COMPLETING¦1:00:00¦None¦ending",
      "13¦RUNNING¦2-03:04:05¦None¦ghost",
      "14¦CANCELLED¦0:10¦None¦gone",
      "15¦RUNNING¦INVALID¦None¦before its start",
      "16_[1-3]¦REQUEUE_HOLD¦0:00¦job requeued in held state¦array",
      "7¦SUSPENDED¦0:01¦None¦id reused"
    )
    #expect(
      try SlurmRecord.jobs(text) == [
        FleetJob(id: "7", name: "night.h1|x", running: .seconds(187)),
        FleetJob(id: "8", name: "night.h2", reason: "Resources"),
        FleetJob(id: "9", name: "held", reason: "JobHeldUser"),
        FleetJob(id: "10", name: "new"),
        FleetJob(id: "11", name: "drained", reason: "ReqNodeNotAvail, UnavailableNodes:h3"),
        FleetJob(id: "12", name: "ending", running: .seconds(3_600)),
        FleetJob(id: "13", name: "ghost", running: .seconds(183_845)),
        FleetJob(id: "15", name: "before its start", running: .zero),
        FleetJob(id: "16_[1-3]", name: "array", reason: "job requeued in held state"),
        FleetJob(id: "7", name: "id reused", running: .seconds(1)),
      ]
    )
    #expect(try SlurmRecord.jobs("").isEmpty)
  }

  @Test(arguments: ["7¦RUNNING¦3:07¦None", "slurm_load_jobs", "7¦RUNNING¦soon¦None¦a"])
  func `takes no odd answer`(_ line: String) {
    let error = #expect(throws: FleetEngineError.self) { try SlurmRecord.jobs(answer(line)) }
    guard case .oddAnswer("squeue", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

@Suite(.temporaryDirectory) struct SlurmFailureTests {
  struct Failure {
    let command: String
    let stderr: String
    let error: FleetEngineError
  }

  @Test(arguments: [
    Failure(
      command: "sbatch",
      stderr: "sbatch: error: Batch job submission failed: Unable to contact slurm controller "
        + "(connect failure)\n",
      error: .away(reason: "Unable to contact slurm controller (connect failure)")
    ),
    Failure(
      command: "sinfo",
      stderr: "slurm_load_partitions: Unable to contact slurm controller (connect failure)\n",
      error: .away(reason: "Unable to contact slurm controller (connect failure)")
    ),
    Failure(
      command: "squeue",
      stderr: "slurm_load_jobs error: Socket timed out on send/recv operation\n",
      error: .away(reason: "Socket timed out on send/recv operation")
    ),
    Failure(
      command: "sbatch",
      stderr: "sbatch: error: Batch job submission failed: Invalid node name specified\n",
      error: .unknownHost("h9")
    ),
    Failure(
      command: "sbatch",
      stderr: "sbatch: error: invalid partition specified: measure\n"
        + "sbatch: error: Batch job submission failed: Invalid partition name specified\n",
      error: .unknownPartition("measure")
    ),
    Failure(
      command: "sbatch",
      stderr: "sbatch: error: Batch job submission failed: Requested time limit is invalid "
        + "(missing or exceeds some limit)\n",
      error: .refused(reason: "Requested time limit is invalid (missing or exceeds some limit)")
    ),
    Failure(
      command: "scontrol",
      stderr: "slurm_update error: Invalid user id\n",
      error: .refused(reason: "Invalid user id")
    ),
    Failure(
      command: "squeue",
      stderr: "squeue: error: ClusterName needs to be specified\n"
        + "squeue: fatal: Unable to process configuration file\n",
      error: .notConfigured(reason: "Unable to process configuration file")
    ),
    Failure(
      command: "squeue",
      stderr: "",
      error: .oddAnswer(command: "squeue", detail: "status 1")
    ),
    Failure(
      command: "sinfo",
      stderr: "sinfo: error: something else\n",
      error: .oddAnswer(command: "sinfo", detail: "status 1: sinfo: error: something else")
    ),
  ])
  func `knows the errors of Slurm`(_ failure: Failure) {
    let error = FleetEngineError(
      slurm: failure.command,
      ended: .exited(1),
      stderr: failure.stderr,
      host: "h9",
      partition: "measure"
    )
    #expect(error == failure.error)
    #expect(error.exitCode == .couldNotMeasure)
  }

  @Test func `says that there is no Slurm, or one that hangs`() async throws {
    var engine = SlurmEngine(partition: nil)
    engine.environment = ["PATH": TemporaryDirectory.path]
    await #expect(throws: FleetEngineError.noCommand("squeue")) { try await engine.jobs() }
    let program = TemporaryDirectory.path + "/squeue"
    try "#!/bin/sh\nexec /bin/sleep 600\n".write(
      toFile: program,
      atomically: false,
      encoding: .utf8
    )
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    engine.patience = .milliseconds(100)
    await #expect(throws: FleetEngineError.tooSlow(command: "squeue", limit: engine.patience)) {
      try await engine.jobs()
    }
  }

  @Test func `writes each name to another file`() {
    #expect("2026-11-20.h1.fleet".fileName == "2026-11-20.h1.fleet")
    #expect("..".fileName == "%2e.")
    #expect("a/b%2f é".fileName == "a%2fb%252f%20%c3%a9")
  }

  @Test func `refuses what no script can say`() throws {
    let work = FleetWork.shell("a\0b", on: "h1")
    #expect(throws: FleetEngineError.self) { try work.script() }
    let odd = FleetWork.shell("true", on: "h1", environment: ["A;B": "1"])
    #expect(throws: FleetEngineError.refused(reason: "\"A;B\" is no name of a variable")) {
      try odd.script()
    }
  }

  @Test func `writes the work as a script`() throws {
    let work = FleetWork(
      name: "n",
      host: "h1",
      command: ["/opt/it's", "a b", "'\u{301}", ""],
      directory: "/srv/lab one",
      environment: ["B": "x\ny", "A": "$a"],
      timeLimit: .seconds(1)
    )
    #expect(
      try work.script(log: (".launchlab/fleet", "n.log")) == """
        #!/bin/sh
        cd '/srv/lab one' || exit
        mkdir -p '.launchlab/fleet' && exec >>'.launchlab/fleet/n.log' 2>&1 || exit
        export A='$a'
        export B='x
        y'
        exec '/opt/it'\\''s' 'a b' ''\\''\u{301}' ''

        """
    )
  }
}
