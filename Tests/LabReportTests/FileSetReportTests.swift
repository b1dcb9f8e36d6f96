import LabTestSupport
import Testing

@testable import LabChecks
@testable import LaunchCore
@testable import Rendering

@Suite struct FileSetReportTests {
  private var set: FileSet {
    FileSet(
      target: Target(name: "git", command: ["git", "status"], directory: "/"),
      files: [
        LaunchFile(
          path: "/usr/bin/git",
          bytes: 3_700_000,
          isOwn: true,
          isProgram: true,
          package: "git",
          reason: "executed"
        ),
        LaunchFile(
          path: "/usr/lib/libc.so.6",
          bytes: 1_900_000,
          isOwn: false,
          package: "libc6",
          reason: "of another package"
        ),
        LaunchFile(
          path: "/srv/a\u{1B}b",
          bytes: 12_000_000,
          isOwn: true,
          reason: "outside the system's directories"
        ),
      ]
    )
  }

  @Test(arguments: FileSetText.Order.allCases)
  func `shows the own files first`(order: FileSetText.Order) throws {
    let text = FileSetText(set, order: order, style: TextStyle(width: 100)).rendered()
    try expectSnapshot(text, named: order.rawValue, suite: "FileSetText")
  }

  @Test func `writes them as JSON`() throws {
    let text = FileSetJSON(set).rendered()
    try expectSnapshot(text, named: "json", suite: "FileSetText")
  }
}
