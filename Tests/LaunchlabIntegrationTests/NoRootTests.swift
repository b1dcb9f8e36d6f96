import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Controls that are asked for by a user who may not change the machine.
  @Suite(
    .enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"),
    .machineKnobs
  )
  struct NoRootTests {
    /// What only root may do, with what the receipt of each has to name.
    private static let refusals = [
      "shield": "/cpuset", "priority": "RLIMIT_NICE",
      "thp": "/sys/kernel/mm/transparent_hugepage/enabled", "swap": "/proc/sys/vm/swappiness",
    ]

    private static let forbidden = ["shield=on", "priority={nice: -5}", "thp=never", "swap=11"]

    private static let allowed = [
      "cpus=[\(Launchlab.lastProcessor)]", "aslr=off", "env_size=on", "network=none",
      "environment=pinned", "settle={cpu_idle: 1%, within: 100ms}",
      "steal={stolen: 100%, foreign: 100%, share: 100%}",
    ]

    @Test(.enabled(if: Machine.usersCanMakeNamespaces, "users may make no user namespaces"))
    func `says of each control what it could not do, and does the rest`() async throws {
      let lab = try Launchlab.asNobody()
      try lab.writeWitness()
      let before = MachineState.now
      let hard = ["governor=performance", "boost=off", "services=timers", "proactive_reclaim=off"]

      let result = try await lab.measure(Self.forbidden + Self.allowed + hard)

      for (name, words) in Self.refusals {
        let receipt = try #require(result.control(name))
        #expect(["failed", "unavailable"].contains(receipt.status), "\(name)")
        #expect(receipt.after == receipt.before, "\(name)")
        let reason = receipt.reason ?? ""
        #expect(reason.contains(words) && reason.contains("run as root"), "\(name): \(reason)")
        #expect(reason.lowercased().contains("permission denied"), "\(name): \(reason)")
      }
      for name in ["governor", "boost", "services", "proactive_reclaim"] {
        let receipt = try #require(result.control(name))
        // The kernel may tell anybody that no agent is there.
        if name == "proactive_reclaim", receipt.before == "none" { continue }
        #expect(["failed", "unavailable"].contains(receipt.status), "\(name)")
        #expect(receipt.reason?.contains(":") == true, "\(name) without a remedy")
      }
      for name in ["cpus", "aslr", "env_size", "environment", "settle", "network"] {
        let receipt = try #require(result.control(name))
        #expect(receipt.status == "applied", "\(name): \(receipt.reason ?? "")")
        #expect(receipt.reason == nil, "\(name)")
      }
      #expect(result.control("steal")?.status == "applied")
      #expect(result.control("steal")?.reason?.contains("run as root") == true)
      #expect(result.control("containment")?.after == "child subreaper")
      let sights = lab.lines(of: "sights")
      #expect(sights.count >= 3)
      let cpu = Launchlab.lastProcessor
      #expect(Set(sights) == ["cpus \(cpu) personality 00040000 networks lo"])
      #expect(MachineState.now == before)
    }

    @Test(.enabled(if: Machine.usersCanMakeNamespaces, "users may make no user namespaces"))
    func `refuses before the first launch, with every refusal`() async throws {
      let lab = try Launchlab.asNobody()
      try lab.writeWitness()
      let before = MachineState.now
      let controls = Self.forbidden + Self.allowed + ["require=all"]

      let session = try lab.start(
        ["measure"] + controls.flatMap { ["--control", $0] } + ["--", "./program"]
      )
      let output = try await session.finish()

      #expect(output.status == 128)
      let errors = output.stderr.split(separator: "\n").filter { $0.hasPrefix("error: ") }
      #expect(errors.count == Self.refusals.count, "\(output.stderr)")
      for name in Self.refusals.keys {
        #expect(errors.contains { $0.contains("control \"\(name)\" is required") }, "\(name)")
      }
      #expect(!lab.exists("sights"))
      #expect(try await lab.runs().isEmpty)
      #expect(MachineState.now == before)
      #expect(session.leftovers == [])
    }

    @Test func `sets back what it could do when something else is refused`()
      async throws
    {
      let lab = Launchlab()
      try lab.writeWitness()
      let before = MachineState.now
      let controls = [
        "thp=never", "swap=11", "priority={nice: -5}", "cpus=[1023]", "shield=off", "require=all",
      ]

      let session = try lab.start(
        ["measure"] + controls.flatMap { ["--control", $0] } + ["--", "./program"]
      )
      let output = try await session.finish()

      #expect(output.status == 128)
      #expect(output.stderr.contains("control \"cpus\" is required, but cannot run it on"))
      #expect(!lab.exists("sights"))
      #expect(MachineState.now == before)
      #expect(session.leftovers == [])
    }
  }
}

extension Launchlab {
  /// Writes a program that adds to the file `sights` what it sees of its launch.
  fileprivate func writeWitness() throws {
    try writeProgram(
      """
      sub slurp { local (@ARGV, $/) = @_; scalar <> }
      my ($cpus) = slurp('/proc/self/status') =~ /^Cpus_allowed_list:\\s*(\\S+)/m;
      my ($personality) = slurp('/proc/self/personality') =~ /(\\S+)/;
      my @networks = sort(slurp('/proc/self/net/dev') =~ /^\\s*(\\w+):/mg);
      open F, '>>', '\(path("sights"))';
      syswrite F, "cpus $cpus personality $personality networks @networks\\n";
      """
    )
  }
}
