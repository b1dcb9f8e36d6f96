import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Scenarios

struct PathSafetyTests {
  private let safety = PathSafety(scenarioDirectory: "/data/lab", home: "/people/me")

  @Test(arguments: [
    "/", "/usr", "/usr/lib/python3", "/usr/local", "/usr/local/bin", "/etc", "/etc/app", "/bin",
    "/lib", "/lib64/x", "/boot/x", "/dev/shm", "/proc/1", "/sys/x", "/var", "/var/lib", "/root",
    "/home", "/home/anybody", "/opt", "/tmp", "/run/app", "/people", "/people/me", "/work",
    "/data/lab", "/data/lab/.launchlab", "/data/lab/.launchlab/builds", "/srv", "/mnt/disk",
  ])
  func `keeps directories that are not the scenario's own`(path: String) {
    #expect(safety.objection(to: path) != nil)
  }

  @Test(arguments: [
    "/data/lab/cache", "/data/other", "/opt/app", "/tmp/x", "/home/anybody/app/cache",
    "/people/me/cache", "/var/lib/app", "/usr/local/app/data", "/people/meadow", "/library/x",
  ])
  func `lets a directory of its own be replaced`(path: String) {
    #expect(safety.objection(to: path) == nil)
  }

  @Test func `looks behind symbolic links`() throws {
    try withTemporaryDirectory { directory in
      try FileManager.default.createSymbolicLink(
        atPath: "\(directory)/link",
        withDestinationPath: "/etc"
      )
      #expect(safety.objection(to: "\(directory)/link") == "it belongs to the system (/etc)")
      #expect(safety.objection(to: "\(directory)/link/new") != nil)
    }
  }

  @Test func `says where a directory stands that the machine has something against`() {
    let text = """
      scenario: s
      targets: {t: {command: ["true"], state: [fine, /srv/bad], install: [/]}}
      states: [first-run]
      """
    let error = #expect(throws: ScenarioError.self) {
      try ScenarioFile.load(text: text, path: "/data/lab/s.yml") { question in
        #expect(question.isEmptied)
        #expect(question.scenarioDirectory == "/data/lab")
        return question.path == "/srv/bad" ? ("it is bad", "do better") : nil
      }
    }
    let found = error?.diagnostics.first { $0.problem.hasSuffix("it is bad") }
    #expect(found?.place == "/data/lab/s.yml:2:48")
    #expect(found?.remedy == "do better")
  }

  struct Path: Sendable {
    var written: String
    var expected: String
  }

  @Test(arguments: [
    Path(written: "a", expected: "/base/a"), Path(written: "./a//b/", expected: "/base/a/b"),
    Path(written: "../a", expected: "/a"), Path(written: "../../../a", expected: "/a"),
    Path(written: "/a/./b/../c", expected: "/a/c"), Path(written: ".", expected: "/base"),
    Path(written: "/", expected: "/"),
  ])
  func `makes a path absolute`(path: Path) {
    #expect(PathSafety.absolute(path.written, from: "/base") == path.expected)
  }
}
