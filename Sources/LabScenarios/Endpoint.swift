/// A host and a port.
struct Endpoint {
  var host: String
  var port: Int

  /// Reads `host:port`; an IPv6 address stands in brackets.
  init(written text: String) throws(FormProblem) {
    guard let colon = text.lastIndex(of: ":") else {
      throw FormProblem(
        problem: "\(quoted(text)) is not a host and a port",
        remedy: Self.isDigits(text) ? "write 127.0.0.1:\(text)" : "write \(text):PORT"
      )
    }
    port = try Self.port(text[text.index(after: colon)...], of: text)
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw FormProblem(
        problem: "\(quoted(text)) has several colons",
        remedy: "put an IPv6 address in brackets, such as \"[::1]:\(port)\""
      )
    }
    let allowed = host.utf8.allSatisfy { byte in
      let character = Character(Unicode.Scalar(byte))
      return character.isASCII
        && (character.isLetter || character.isNumber || ".-_:%".contains(character))
    }
    guard allowed, !host.isEmpty else {
      throw FormProblem(
        problem: "\(quoted(text)) has no valid host",
        remedy: "write a name or an address before the port, such as 127.0.0.1:\(port)"
      )
    }
    self.host = String(host)
  }

  static func isDigits(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func port(_ digits: Substring, of text: String) throws(FormProblem) -> Int {
    guard isDigits(digits), let port = Int(digits), (1...65_535).contains(port) else {
      throw FormProblem(
        problem: "\(quoted(text)) has no port from 1 to 65535",
        remedy: "write the port after the colon, such as 127.0.0.1:7379"
      )
    }
    return port
  }
}

/// What an HTTP request needs to know.
struct WebAddress {
  var endpoint: Endpoint

  /// The path with its query; it starts with a slash.
  var path: String

  /// Reads `http://host[:port][/path]`.
  init(written text: String) throws(FormProblem) {
    let scheme = "http://"
    guard text.lowercased().hasPrefix(scheme) else {
      throw FormProblem(
        problem: "\(quoted(text)) is not an http:// URL",
        remedy: text.lowercased().hasPrefix("https://")
          ? "use an http:// address of the target, because TLS is not spoken here"
          : "write a URL such as http://127.0.0.1:8080/health"
      )
    }
    let rest = text.dropFirst(scheme.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let authority = rest[..<end]
    let target = rest[end...].prefix { $0 != "#" }
    let hasPort = authority.last == "]" ? false : authority.contains(":")
    endpoint = try Endpoint(written: hasPort ? String(authority) : "\(authority):80")
    path = target.hasPrefix("/") ? String(target) : "/\(target)"
    let isPrintable = path.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isPrintable else {
      throw FormProblem(
        problem: "\(quoted(text)) has spaces or other characters that a URL cannot hold",
        remedy: "write them percent-encoded, such as %20 for a space"
      )
    }
  }
}
