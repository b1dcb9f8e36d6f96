import Foundation
import LabTestSupport
import Testing

@testable import LaunchHost

/// Mail by a sendmail of the test's own, and the summary of a job.
@Suite(.temporaryDirectory) struct NoticeFileTests {
  private func sendmail(_ script: String) throws -> NoticeSender {
    let path = "\(TemporaryDirectory.path)/sendmail"
    try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return NoticeSender(
      directory: TemporaryDirectory.path,
      environment: ["PATH": "\(TemporaryDirectory.path):/usr/bin:/bin"]
    )
  }

  private func file(_ name: String) throws -> String {
    try String(contentsOfFile: "\(TemporaryDirectory.path)/\(name)", encoding: .utf8)
  }

  @Test func `hands the message to sendmail`() async throws {
    let sender = try sendmail("echo \"$@\" > arguments; cat > message")
    try await sender.mail("To: a@b.c\n\n.\nend\n")
    #expect(try file("arguments") == "-t -i\n")
    #expect(try file("message") == "To: a@b.c\n\n.\nend\n")
  }

  @Test func `says why sendmail refused`() async throws {
    let sender = try sendmail("echo 'queue is full' >&2; exit 75")
    await #expect(throws: NoticeFailure("it ended with status 75: queue is full")) {
      try await sender.mail("To: a@b.c\n\n")
    }
  }

  private func summary(at path: String?) -> NoticeSender {
    NoticeSender(
      directory: TemporaryDirectory.path,
      environment: path.map { ["GITHUB_STEP_SUMMARY": $0] } ?? [:]
    )
  }

  @Test func `adds to the summary of the job`() throws {
    let path = "\(TemporaryDirectory.path)/summary.md"
    try "before\n".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(summary(at: path).hasJobSummary)
    try summary(at: path).addToJobSummary("after\n")
    #expect(try file("summary.md") == "before\nafter\n")
  }

  @Test func `cuts what the summary has no room for, and says so`() throws {
    let path = "\(TemporaryDirectory.path)/summary.md"
    let before = String(repeating: "x", count: 1 << 19)
    try before.write(toFile: path, atomically: false, encoding: .utf8)
    try summary(at: path).addToJobSummary(String(repeating: "é", count: 1 << 19))
    let text = try file("summary.md")
    #expect(text.utf8.count <= 1 << 20)
    #expect(text.utf8.count > (1 << 20) - 2)
    #expect(text.hasSuffix("é\n\n*The rest was cut: the summary of a step holds 1 MiB.*\n"))
    #expect(throws: NoticeFailure("the summary is full")) {
      try summary(at: path).addToJobSummary("more")
    }
  }

  @Test func `says where there is no summary`() {
    #expect(!summary(at: nil).hasJobSummary)
    #expect(throws: NoticeFailure("the variable GITHUB_STEP_SUMMARY is not set")) {
      try summary(at: nil).addToJobSummary("text")
    }
    #expect(throws: NoticeFailure.self) {
      try summary(at: "/no/such/directory/summary").addToJobSummary("text")
    }
  }
}
