import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore

@Suite(.temporaryDirectory) struct DetachedTargetTests {
  struct Case: Sendable {
    var command: [String]
    var path: String?
    var warns: Bool
  }

  @Test(arguments: [
    Case(command: ["./tool"], warns: false), Case(command: ["bin/../tool"], warns: false),
    Case(command: ["sh", "script"], warns: false),
    Case(command: ["sh", "-c", "true"], warns: true),
    Case(command: ["sh"], warns: true), Case(command: ["../../../../bin/sh"], warns: true),
    Case(command: ["tool"], path: "bin:.", warns: false),
    Case(command: ["sh", "/bin/true"], warns: true),
  ])
  func `warns when nothing of a launch was built`(test: Case) throws {
    let tree = "\(TemporaryDirectory.path)/room/tree"
    try FileManager.default.createDirectory(
      atPath: "\(tree)/bin",
      withIntermediateDirectories: true
    )
    for file in ["tool", "script"] {
      let made = FileManager.default.createFile(
        atPath: "\(tree)/\(file)",
        contents: Data(),
        attributes: [.posixPermissions: 0o755]
      )
      #expect(made)
    }
    let up = tree.split(separator: "/").map { _ in ".." }.joined(separator: "/")
    var target = Target(name: "tool", command: test.command, directory: tree)
    target.command[0] = test.command[0].replacing("../../../..", with: up)
    target.environment = ["PATH": test.path ?? "/bin"]
    let built = BisectBuilt(
      revision: 0,
      target: target,
      log: "\(TemporaryDirectory.path)/room/build.log"
    )

    #expect((DetachedTarget.warning(on: built) != nil) == test.warns)
  }

  @Test func `says nothing of ready-made executables`() {
    let target = Target(name: "tool", command: ["/bin/sh"], directory: "/")
    #expect(DetachedTarget.warning(on: BisectBuilt(revision: 0, target: target)) == nil)
  }
}
