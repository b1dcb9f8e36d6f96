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
    guard host.isMade(of: ".-_:%"), !host.isEmpty else {
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

/// The name of a systemd unit that a run may stop.
struct SystemUnit {
  /// Stands for every active timer.
  static let timers = "timers"

  /// With its suffix; `timers` stays as it is.
  var name: String

  /// Why stopping it would harm more than the noise it makes; nil when it may be stopped.
  var objection: String?

  /// Reads a unit; a name without a suffix is a service.
  init(written text: String) throws(FormProblem) {
    guard text.isMade(of: ":-_.\\@"), let first = text.utf8.first, !".@-".utf8.contains(first),
      text.utf8.count < 256
    else {
      throw FormProblem(
        problem: "\(quoted(text)) is not the name of a systemd unit",
        remedy: "write a name that `systemctl list-units` shows, such as cron.service"
      )
    }
    guard text != Self.timers else {
      name = text
      return
    }
    let suffix = (Self.stoppable + Self.unstoppable).first { text.hasSuffix(".\($0)") }
    name = suffix == nil ? "\(text).service" : text
    if let suffix, Self.unstoppable.contains(suffix) {
      objection = "a \(suffix) holds more than one service"
    } else if suffix != "timer" {
      objection = Self.objection(to: name.split(separator: ".").dropLast().joined(separator: "."))
    }
  }

  private static let stoppable = ["service", "timer", "socket", "path"]

  private static let unstoppable = [
    "target", "slice", "scope", "mount", "automount", "swap", "device", "snapshot",
  ]

  /// Tells why a unit stays; `base` is its name without the suffix.
  private static func objection(to base: String) -> String? {
    let template = base.split(separator: "@").first.map(String.init) ?? base
    if base.hasPrefix("dbus-org.freedesktop.") { return "it is a part of systemd" }
    return vital.first { $0.names.contains(template) }?.reason
  }

  private static let vital: [(names: [String], reason: String)] = [
    (["dbus", "dbus-broker"], "services talk to each other through it"),
    (["systemd-journald", "systemd-journald-dev-log"], "every service logs through it"),
    (["systemd-udevd", "systemd-udevd-control", "systemd-udevd-kernel"], "devices depend on it"),
    (
      [
        "systemd-logind", "systemd-user-sessions", "user", "user-runtime-dir", "getty",
        "serial-getty", "console-getty",
        "display-manager", "gdm", "gdm3", "lightdm", "sddm",
      ],
      "it would end the sessions of users"
    ),
    (
      ["ssh", "sshd", "dropbear", "tailscaled", "wg-quick", "openvpn"],
      "it may be the only way into this host"
    ),
    (
      [
        "networking", "network", "NetworkManager", "systemd-networkd", "systemd-resolved",
        "wpa_supplicant", "connman", "ifup", "dhcpcd",
      ],
      "it may cut this host off the network"
    ),
    (
      ["nftables", "iptables", "netfilter-persistent", "firewalld", "ufw"],
      "this host would be open to the network"
    ),
    (["iscsid", "open-iscsi", "multipathd", "nbd"], "file systems may depend on it"),
    (["launchlab"], "it is launchlab itself"),
  ]
}
