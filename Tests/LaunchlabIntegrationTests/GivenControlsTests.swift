import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Controls that each launch is given, as the target sees them.
  @Suite struct GivenControlsTests {
    /// A number that no machine has, so that it is refused everywhere.
    @Test func `warns first of a control that is not available, and plans so`() async throws {
      var lab = Launchlab()
      lab.isVerbose = false
      let control = ["--launches", "3", "--control", "cpus=1023", "--", "/bin/true"]

      let output = try await lab.start(["measure"] + control).finish()
      let document = try await lab.start(["measure", "--json", "-"] + control).finish()
      let plan = try await lab.start(["measure", "--dry-run"] + control).finish()
      let required = try await lab.start(
        ["measure", "--dry-run", "--control", "require=cpus"] + control
      ).finish()

      #expect(output.status == 0, "\(output.stderr)")
      let warnings = output.stderr.split(separator: "\n").filter { $0.hasPrefix("warning:") }
      #expect(warnings.first == "warning: controls not applied: cpus, shield", "\(output.stderr)")
      #expect(document.stdout.contains(#""id": "controls-not-applied""#), "\(document.stdout)")
      #expect(plan.status == 0, "\(plan.stderr)")
      #expect(plan.stdout.contains("not available here: there is no processor 1023 here"))
      #expect(plan.stderr.contains("warning: controls not applied: cpus, shield; cpus: there is"))
      #expect(required.status == 128, "\(required.stderr)")
    }

    @Test func `launches in a pinned environment with a private home`() async throws {
      let lab = Launchlab()
      try lab.writeWitness(
        "join '|', map { \"$_=$ENV{$_}\" } grep { $_ ne 'LAUNCHLAB_PADDING' } sort keys %ENV"
      )

      let options = ["--env", "FEATURE=on", "--env", "LANG=de_DE.UTF-8"]
      let result = try await lab.measure(["environment=pinned"], options)

      #expect(result.control("environment")?.status == "applied")
      let sights = Set(lab.lines(of: "sights"))
      #expect(sights.count == 1)
      let variables = Dictionary(
        uniqueKeysWithValues: (sights.first ?? "").split(separator: "|").map { entry in
          let parts = entry.split(separator: "=", maxSplits: 1).map { String($0) }
          return (parts[0], parts[1])
        }
      )
      let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
      let expected = ["FEATURE": "on", "LANG": "de_DE.UTF-8", "PATH": path, "TZ": "UTC"]
      #expect(variables.filter { expected[$0.key] != nil } == expected)
      #expect(
        Set(variables.keys).subtracting(expected.keys).isSubset(of: [
          "HOME", "PWD", "TMPDIR", "LAUNCHLAB_RUN",
        ])
      )
      let home = try #require(variables["HOME"])
      #expect(home.hasPrefix(lab.path(Launchlab.workDirectory) + "/"))
      #expect(!FileManager.default.fileExists(atPath: home))
    }

    @Test func `varies the size of the environment unless that is switched off`() async throws {
      let lab = Launchlab()
      try lab.writeWitness(
        "defined $ENV{LAUNCHLAB_PADDING} ? length $ENV{LAUNCHLAB_PADDING} : 'none'"
      )

      _ = try await lab.measure([], launches: 12)
      let lengths = lab.lines(of: "sights").compactMap { Int($0) }
      try FileManager.default.removeItem(atPath: lab.path("sights"))
      let result = try await lab.measure(["env_size=off"])

      #expect(lengths.count >= 12)
      #expect(lengths.allSatisfy { (0...4_095).contains($0) })
      #expect(Set(lengths).count > lengths.count / 2)
      #expect(Set(lab.lines(of: "sights")) == ["none"])
      #expect(result.control("env_size") == nil)
    }

    @Test func `switches random addresses off`() async throws {
      let lab = Launchlab()
      try lab.writeWitness("scalar(`cat /proc/self/maps`) =~ /^(\\\\w+)-\\\\w+ .*ld-/m")

      _ = try await lab.measure(["aslr=off"], launches: 6)
      let fixed = Set(lab.lines(of: "sights"))
      try FileManager.default.removeItem(atPath: lab.path("sights"))
      let result = try await lab.measure([], launches: 6)

      #expect(fixed.count == 1)
      if result.control("aslr")?.after == "on" { #expect(Set(lab.lines(of: "sights")).count > 1) }
    }

    @Test(.enabled(if: Machine.isRoot, "a better priority takes root"))
    func `gives the target a priority`() async throws {
      let lab = Launchlab()
      // Fields 19, 40 and 41 of proc_pid_stat(5), which has the name in brackets before.
      try lab.writeWitness(
        "join ' ', (split ' ', (split /\\\\) /, scalar `cat /proc/$$/stat`)[1])[16, 37, 38]"
      )

      let batch = try await lab.measure(["priority={nice: -5, policy: batch}"])
      let fifo = try await lab.measure(["priority={policy: fifo, level: 7}"])

      #expect(Set(lab.lines(of: "sights")) == ["-5 0 3", "0 7 1"])
      #expect(batch.control("priority")?.after == "nice -5, batch")
      #expect(fifo.control("priority")?.after == "fifo 7")
    }
  }
}

extension Launchlab {
  /// Writes a program that adds the value of a Perl expression to the file `sights`.
  fileprivate func writeWitness(_ expression: String) throws {
    try writeProgram(
      """
      my $sight = join ' ', \(expression.replacing("\\\\", with: "\\"));
      open F, '>>', '\(path("sights"))'; syswrite F, "$sight\\n";
      """
    )
  }
}
