import Foundation
import LabModel
import SystemPackage

/// Mail, and the summary of a job.
extension NoticeSender {
  /// Hands a message to sendmail, which takes the recipients from its header.
  ///
  /// - Parameter message: Header and body, with a line feed after every line.
  /// - Throws: ``NoticeFailure`` when there is no sendmail, or it refuses the message.
  package func mail(_ message: String) async throws(NoticeFailure) {
    guard let sendmail else { throw Self.noSendmail }
    // With -i a line that holds a single dot does not end the message.
    let output = try await tool(sendmail, ["-t", "-i"]).run(Array(message.utf8))
    try Self.check(output)
  }

  private var sendmail: String? { path(of: .sendmail) }

  private static let noSendmail = NoticeFailure("sendmail is not installed")

  /// Why no mail could be sent; nil when nothing is known to be in the way.
  package var obstacleToMail: NoticeFailure? { sendmail == nil ? Self.noSendmail : nil }

  private static let summaryVariable = "GITHUB_STEP_SUMMARY"

  /// GitHub takes no more for the summary of one step.
  private static let mostSummary = 1 << 20

  private static let cut = "\n\n*The rest was cut: the summary of a step holds 1 MiB.*\n"

  /// Whether this process belongs to a job that has a summary.
  package var hasJobSummary: Bool { environment[Self.summaryVariable]?.isEmpty == false }

  /// Adds Markdown to the summary of the job, cut where there is no room for all of it.
  ///
  /// - Parameter markdown: What is added.
  /// - Throws: ``NoticeFailure`` when there is no such file, no room, or it cannot be written to.
  package func addToJobSummary(_ markdown: String) throws(NoticeFailure) {
    guard let path = environment[Self.summaryVariable], !path.isEmpty else {
      throw NoticeFailure("the variable \(Self.summaryVariable) is not set")
    }
    do {
      let file = try FileDescriptor.open(
        FilePath(path),
        .writeOnly,
        options: [.append, .create],
        permissions: [.ownerReadWrite, .groupRead, .otherRead]
      )
      defer { try? file.close() }
      let room = Self.mostSummary - Int(try file.seek(offset: 0, from: .end))
      let text = Self.fitting(markdown, into: room)
      guard !text.isEmpty else { throw NoticeFailure("the summary is full") }
      try file.writeAll(text.utf8)
    } catch let failure as NoticeFailure {
      throw failure
    } catch {
      throw NoticeFailure("\(path) cannot be written to: \(error)")
    }
  }

  /// As much of a text as fits, with a note where something was cut; empty when nothing does.
  static func fitting(_ text: String, into room: Int) -> String {
    guard text.utf8.count > room else { return text }
    var end = text.startIndex
    var used = cut.utf8.count
    while end < text.endIndex {
      used += text[end].utf8.count
      guard used <= room else { break }
      end = text.index(after: end)
    }
    return end == text.startIndex ? "" : text[..<end] + cut
  }
}
