import Foundation
import LabModel

/// Webhooks, reached by curl.
extension NoticeSender {
  private static let secondsOfTransfer = 30
  private static let secondsOfConnecting = 10

  /// Posts JSON to a webhook.
  ///
  /// - Parameters:
  ///   - json: The body.
  ///   - address: The URL; `$NAME` stands for a variable of the environment.
  /// - Throws: ``NoticeFailure`` when a variable is not set, the host cannot be reached in time, or
  ///   the answer is not a status 2xx. The reason holds nothing of the URL but its host.
  package func post(_ json: String, to address: String) async throws(NoticeFailure) {
    let url = try expanded(address)
    guard let curl = path(of: .curl) else {
      throw NoticeFailure("curl is not installed")
    }
    // The option must come first to keep ~/.curlrc from changing what is sent.
    let output = try await tool(curl, ["--disable", "--config", "-"])
      .run(Array(Self.config(url: url, body: json).utf8))
    do throws(NoticeFailure) {
      try Self.check(output)
      try Self.checkAnswer(output.stdout)
    } catch {
      throw NoticeFailure(Self.redacted(error.reason, of: url))
    }
  }

  /// Whether there is the program that posts.
  package var hasCurl: Bool { found("curl") != nil }

  /// Why nothing could be posted; nil when nothing is known to be in the way.
  ///
  /// Nothing is sent.
  package func obstacle(toPosting address: String) -> NoticeFailure? {
    do throws(NoticeFailure) { _ = try expanded(address) } catch { return error }
    return hasCurl ? nil : NoticeFailure("curl is not installed")
  }

  /// A text without the parts of a URL that let others post to it, which a server may well repeat.
  static func redacted(_ text: String, of url: String) -> String {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let path = rest.dropFirst(authority.count)
    let user = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
    let words = ([user, path].flatMap { $0.split { "/?#&=:@".contains($0) } })
      .filter { $0.count >= shortestSecret }
    let secrets = ([url[...], path, user].filter { $0.count > 1 } + words).map(String.init)
    // curl decodes a name and a password before it sends them.
    let decoded = secrets.compactMap(\.removingPercentEncoding)
    return Redactor(secrets + decoded, replacement: "…").redacted(text)
  }

  /// A shorter part of a path is a word that every such address has.
  private static let shortestSecret = 6

  /// What curl reads on its standard input.
  ///
  /// Source: curl(1), option `--config`.
  static func config(url: String, body: String) -> String {
    let options: [(String, String)] = [
      ("url", url), ("request", "POST"), ("header", "Content-Type: application/json"),
      ("data-raw", body), ("max-time", String(secondsOfTransfer)),
      ("connect-timeout", String(secondsOfConnecting)), ("proto", "=http,https"),
      ("user-agent", "launchlab/\(LaunchlabVersion.current)"), ("write-out", "\\n%{http_code}"),
    ]
    // The body may hold a line feed escape; only what is sent is quoted, write-out is a format.
    let lines = options.map { name, value in
      name == "write-out" ? "\(name) = \"\(value)\"" : "\(name) = \(quoted(value))"
    }
    return (lines + ["silent", "show-error", "globoff"]).joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\t": escaped += "\\t"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return "\"\(escaped)\""
  }

  /// The last line is the status, the line before it the end of the answer.
  private static func checkAnswer(_ answer: String) throws(NoticeFailure) {
    let lines = answer.split(separator: "\n", omittingEmptySubsequences: true)
    let status = lines.last.flatMap { Int($0) } ?? 0
    guard !(200...299).contains(status) else { return }
    let said = lines.dropLast().last.map { ": \($0.prefix(200))" } ?? ""
    throw NoticeFailure("it answered with status \(status)\(said)")
  }

  /// Puts variables in; the whole must be a URL without white space.
  private func expanded(_ address: String) throws(NoticeFailure) -> String {
    var url = ""
    var rest = address[...]
    while let dollar = rest.firstIndex(of: "$") {
      url += rest[..<dollar]
      let name = rest[rest.index(after: dollar)...]
        .prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard let value = environment[String(name)], !value.isEmpty else {
        throw NoticeFailure("the variable \(name) is not set")
      }
      url += value
      rest = rest[name.endIndex...]
    }
    url += rest
    let isClean = url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    let isHTTP = ["http://", "https://"].contains { url.lowercased().hasPrefix($0) }
    guard isClean, isHTTP else { throw NoticeFailure("\(address) is not a URL of http or https") }
    return url
  }
}
