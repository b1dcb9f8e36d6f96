import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// Two labs on one host that do not see each other's processes, nor the lock of the other.
  @Suite(.enabled(if: Launchlab.canUnshare, "pid and mount namespaces take root and unshare"))
  struct ContainerTests {
    @Test(arguments: [true, false])
    func `leaves what a lab in another container needs`(isInner: Bool) async throws {
      let lab = Launchlab()
      try lab.writeWaiting()
      var (worker, passer) = (lab, lab)
      passer.stateDirectory = ".other"
      if isInner {
        worker.wrapper = Launchlab.container
      } else {
        passer.wrapper = Launchlab.container
      }
      let session = try worker.start([
        "measure", "--launches", "3", "--control", "environment=pinned", "--", "./program",
      ])
      try #require(try await eventually { lab.lineCount(of: "seen") >= 4 })
      let used = try lab.usedDirectories()
      #expect(used.count >= 2, "\(used)")

      let restored = try await passer.start(["restore"]).finish()
      let measured = try await passer.start(["measure", "--launches", "3", "--", "/bin/true"])
        .finish()

      #expect(restored.status == 0, "\(restored.stderr)")
      #expect(measured.status == 0, "\(measured.stderr)")
      for directory in used {
        #expect(FileManager.default.fileExists(atPath: directory), "\(directory)")
      }
      try lab.write("", to: "end")
      let output = try await session.finish()
      #expect(output.status == 0, "\(output.stderr)")
      for directory in used {
        #expect(!FileManager.default.fileExists(atPath: directory), "\(directory)")
      }
      #expect(try await lab.runs().map(\.status) == ["complete", "complete"])
    }

    @Test(arguments: [true, false])
    func `leaves the probe of a lab in another container`(isInner: Bool) async throws {
      let lab = Launchlab()
      try lab.writeWaiting()
      var (worker, passer) = (lab, lab)
      passer.stateDirectory = ".other"
      if isInner {
        worker.wrapper = Launchlab.container
      } else {
        passer.wrapper = Launchlab.container
      }
      let session = try worker.start(["stages", "--launches", "1", "--", "./program"])
      try #require(try await eventually { lab.lineCount(of: "seen") >= 4 })
      let used = try lab.usedDirectories()
      #expect(used.contains { $0.contains("/launchlab-probe-") }, "\(used)")

      let output = try await passer.start(["stages", "--launches", "1", "--", "/bin/true"])
        .finish()

      #expect([0, 125].contains(output.status), "\(output.stderr)")
      for directory in used {
        #expect(FileManager.default.fileExists(atPath: directory), "\(directory)")
      }
      try lab.write("", to: "end")
      #expect([0, 125].contains(try await session.finish().status))
    }
  }
}

extension Launchlab {
  /// Runs a command with processes of its own numbers, and without the lock of others.
  fileprivate static let container = [
    "unshare", "--pid", "--fork", "--mount-proc", "--mount", "sh", "-c",
    "mount -t tmpfs tmpfs /run && exec \"$@\"", "sh",
  ]

  fileprivate static let canUnshare: Bool = {
    guard Machine.isRoot, Machine.has("unshare") else { return false }
    return (try? Tool.run(container[0], Array(container.dropFirst()) + ["true"]).status) == 0
  }()

  /// Writes a program that says what it was given, and ends once there is a file `end`.
  fileprivate func writeWaiting() throws {
    try writeProgram(
      """
      my ($cgroup) = do { local (@ARGV, $/) = '/proc/self/cgroup'; <> =~ m{^0::.*?(/launchlab-[^/]*)}m };
      open F, '>>', '\(path("seen"))';
      print F "$ENV{HOME}\\n$ENV{LD_AUDIT}\\n$ENV{PWD}\\n$cgroup\\n"; close F;
      select undef, undef, undef, 0.01 until -e '\(path("end"))';
      """
    )
  }

  /// The directories of the lab that has launched the program, as far as they are there.
  fileprivate func usedDirectories() throws -> [String] {
    let lines = try String(contentsOfFile: path("seen"), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).prefix(4).map(String.init)
    let parts = lines.flatMap { $0.split(separator: "/").map(String.init) }
    let names = parts.filter { $0.hasPrefix("launchlab-") }
    let labs = Set(names.compactMap(Self.lab))
    let found = try Tool.run(
      "find",
      ["/tmp", "/dev/shm", "/sys/fs/cgroup", directory, "-maxdepth", "3", "-type", "d"]
        + ["("]
        + labs.flatMap {
          ["-name", "launchlab-\($0)*", "-o", "-name", "launchlab-probe-\($0)*", "-o"]
        }
        + ["-false", ")"]
    )
    return found.stdout.split(separator: "\n").map(String.init)
  }

  /// The process id and start in a name such as `launchlab-12-3456-1`.
  private static func lab(_ name: String) -> String? {
    let digits = name.replacing("probe-", with: "").split(separator: "-").dropFirst().prefix(2)
    guard digits.count == 2, digits.allSatisfy({ Int($0) != nil }) else { return nil }
    return digits.joined(separator: "-")
  }
}
