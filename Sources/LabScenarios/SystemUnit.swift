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
    let isName = text.utf8.allSatisfy { byte in
      let character = Character(Unicode.Scalar(byte))
      return character.isASCII
        && (character.isLetter || character.isNumber || ":-_.\\@".contains(character))
    }
    guard isName, let first = text.utf8.first, !".@-".utf8.contains(first), text.utf8.count < 256
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
