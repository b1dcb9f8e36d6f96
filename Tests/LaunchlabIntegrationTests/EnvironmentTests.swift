import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// What a user has set in the shell that launchlab is started from.
  @Suite struct EnvironmentTests {
    private func start(_ variables: [String], _ arguments: [String]) async throws -> Tool.Output {
      var lab = Launchlab()
      lab.wrapper = ["env", "-u", "LC_ALL", "-u", "LC_MESSAGES", "-u", "LANG"] + variables
      return try await lab.start(arguments).finish()
    }

    @Test(arguments: ["LANG", "LC_ALL", "LC_MESSAGES"])
    func `runs in a language that nobody speaks, and leaves it to the targets`(
      variable: String
    ) async throws {
      for value in ["aaaaaaaaaaaa", String(repeating: "a", count: 5_000), "aaaaaaaaaaaa@b=c"] {
        let setting = "\(variable)=\(value)"
        let schema = try await start([setting], ["schema"])
        #expect(schema.status == 0, "\(schema.stderr.prefix(300))")
        #expect(schema.stdout.contains("Default: 1%."))
        let script = "test \"$\(variable)\" = \"\(value)\""
        let measured = try await start(
          [setting],
          ["measure", "--launches", "3", "--state", "warm", "--", "/bin/sh", "-c", script]
        )
        #expect(measured.status == 0, "\(measured.stderr.prefix(300))")
      }
    }

    @Test(
      .enabled(
        if: Machine.canBecomeNobody && Machine.usersCanMakeNamespaces,
        "becoming root of a namespace takes setpriv and unshare"
      )
    )
    func `works for root of a user namespace, who does not know who owns the machine's files`()
      async throws
    {
      var lab = try Launchlab.asNobody()
      lab.wrapper += ["unshare", "--user", "--map-root-user"]
      let output = try await lab.start(["measure", "--launches", "3", "--", "/bin/true"]).finish()
      #expect(output.status == 0, "\(output.stderr.prefix(500))")
    }

    @Test(.enabled(if: Machine.isRoot, "chown takes root"))
    func `root starts nothing below the HOME of who has called sudo`() async throws {
      var lab = Launchlab()
      let home = lab.path("home")
      _ = try Tool.run("install", ["-d", "-o", "65534", "-g", "65534", home])
      lab.wrapper = ["env", "-u", "XDG_CACHE_HOME", "SUDO_UID=65534", "HOME=\(home)"]
      let output = try await lab.start(["measure", "--launches", "3", "--", "/bin/true"]).finish()
      // The place beside it may be another user's.
      #expect(
        output.status == 0 || output.stderr.contains("/tmp/launchlab-0"),
        "\(output.stderr.prefix(500))"
      )
      #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
    }

    @Test(.enabled(if: geteuid() == 0, "tracing takes root"))
    func `explains a launch where little memory may be reserved`() async throws {
      var lab = Launchlab()
      lab.wrapper = ["sh", "-c", "ulimit -v 800000; exec \"$@\"", "sh"]
      let output = try await lab.start(["explain", "--launches", "4", "--", "/bin/true"]).finish()
      #expect(output.status == 0, "\(output.stderr.prefix(300))")
      #expect(output.stdout.hasPrefix("true takes "))
    }
  }
}
