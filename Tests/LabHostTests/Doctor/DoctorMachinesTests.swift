import Foundation
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// What doctor says of machines that are like real ones.
@Suite struct DoctorMachinesTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let machine: String
    let degraded: [String]
    let missing: [String]
    var testDescription: String { machine }
  }

  @Test(arguments: [
    Case(
      machine: "intel-notebook",
      degraded: ["throttling", "governor", "boost", "smt", "thp", "nmi-watchdog", "noise"],
      missing: ["drop-caches"]
    ),
    Case(
      machine: "amd-desktop",
      degraded: ["cpuset", "governor", "boost", "smt", "thp", "swap", "nmi-watchdog", "noise"],
      missing: ["drop-caches", "throttling"]
    ),
    Case(
      machine: "xeon-server",
      degraded: ["governor", "boost", "swap", "nmi-watchdog", "noise"],
      missing: ["drop-caches", "psi"]
    ),
  ])
  func `finds what is wanting`(_ test: Case) throws {
    let fixtures = try #require(Bundle.module.resourceURL)
    let root = fixtures.appending(components: "Fixtures", "Machines", test.machine).path
    let tree = HostTree(root: FilePath(root))
    let host = HostExamination(tree: tree, trials: .allowed, record: LabRecord())
    // The trees have no session that this process could be in.
    let found = Doctor(host).capabilities().filter { $0.id != "cgroup" }
    #expect(found.filter { $0.status == .degraded }.map(\.id) == test.degraded)
    #expect(found.filter { $0.status == .missing }.map(\.id) == test.missing)
  }

  @Test func `examines the machine it runs on`() {
    let found = Doctor().capabilities()
    #expect(found.map(\.id) == Doctor.ids)
  }
}
