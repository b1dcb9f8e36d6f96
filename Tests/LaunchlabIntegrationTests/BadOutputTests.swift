import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Targets that treat their output, or their own files, badly.
  @Suite struct BadOutputTests {
    @Test func `counts a gigabyte of output and keeps its ends only`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("my $text = 'x' x 65536; print $text for 1 .. 16384; exit 3")

      let output = try await lab.run("measure", "--launches", "1", "--", "./program")

      #expect(output.status == 128)
      let launch = try #require(try await lab.launches().first)
      #expect(launch.outcome == "exited")
      #expect(launch.exitCode == 3)
      #expect(launch.stdout?.totalBytes == 1 << 30)
      #expect(launch.stdout?.head == String(repeating: "x", count: 65_536))
      #expect(launch.flags.contains("output-truncated"))
      let store = try FileManager.default.attributesOfItem(
        atPath: lab.path(".launchlab/launchlab.sqlite")
      )
      let size = try #require(store[.size] as? Int)
      #expect(size < 4 << 20)
    }

    @Test func `goes on when nobody reads its messages any more`() async throws {
      let pipe = ["/bin/sh", "-c", "\"$@\" 2>&1 | head -n 1", "sh"]
      let lab = Launchlab(wrapper: pipe)
      try lab.writeProgram("exit 0")

      _ = try await lab.run("measure", "--launches", "10", "--", "./program")

      #expect(try await Launchlab().launches().count == 10)
    }

    @Test func `writes into no file of its own where its streams are closed`() async throws {
      let lab = Launchlab(wrapper: ["/bin/sh", "-c", "\"$@\" <&- >&- 2>&-", "sh"])
      try lab.writeProgram("exit 0")

      let output = try await lab.run("measure", "--launches", "3", "--", "./program")

      #expect(output.status == 128)
      #expect(try await Launchlab().launches().count == 3)
    }

    @Test func `says that a target which removed its directory is gone`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("system 'rm', '-rf', '\(lab.path("app"))'; exit 0", to: "app/program")

      let output = try await lab.run("measure", "--launches", "5", "--", "app/program")

      #expect(output.status == 128)
      #expect(
        output.stderr.contains(
          "cannot execute \"\(lab.path("app/program"))\": no such file, 3 times in a row"
        )
      )
      #expect(output.stderr.contains("help: fix the problem above, then run again"))
      let launches = try await lab.launches()
      #expect(launches.map(\.outcome) == ["not-started", "not-started", "not-started"])
      #expect(try await lab.runs().map(\.status) == ["failed"])
    }

    @Test func `flags launches of a target that was replaced`() async throws {
      let lab = Launchlab()
      let program = try lab.writeProgram(
        """
        open F, '>>', 'log'; print F "launch\\n"; close F;
        exit 0 unless -s 'log' == 7 * 4;
        open F, '>', "$0.new"; print F "#!/usr/bin/perl\\nexit 0; # another program\\n"; close F;
        chmod 0755, "$0.new"; rename "$0.new", $0
        """
      )

      let output = try await lab.run("measure", "--launches", "12", "--", "./program")

      #expect(output.status == 0)
      #expect(output.stderr.contains("the executable was not the same file as in the first launch"))
      #expect(output.stderr.contains("help: run again without building or updating the target"))
      let launches = try await lab.launches().sorted { $0.block < $1.block }
      #expect(launches.first?.flags.contains("replaced") == false)
      #expect(launches.last?.flags.contains("replaced") == true)
      let source = try String(contentsOfFile: program, encoding: .utf8)
      #expect(source.contains("another program"))
    }
  }
}
