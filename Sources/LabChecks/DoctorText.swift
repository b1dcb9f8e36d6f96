import Foundation
package import LaunchCore
import Measuring
package import Rendering

/// What doctor has found, as a terminal shows it: the gravest first, each with its remedy.
package struct DoctorText {
  private let findings: DoctorFindings
  private let style: TextStyle

  /// In a narrower terminal, what was found begins below its title.
  private static let narrowWidth = 72

  package init(_ findings: DoctorFindings, style: TextStyle) {
    self.findings = findings
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let sections = [
      style.wrapped(findings.host.phrase, indent: 2).map { style.paint($0, .dim) },
      section("missing", findings.capabilities(.missing)),
      section("degraded", findings.capabilities(.degraded)),
      section("suppressed", findings.suppressedCapabilities),
      section("ok", findings.capabilities(.ok)), virtualHost, [counts],
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joinedLines(style) }
      .joined(separator: "\n")
  }

  // MARK: - One capability

  private func section(_ title: String, _ capabilities: [Capability]) -> [String] {
    guard !capabilities.isEmpty else { return [] }
    return [style.paint(title, .bold)] + capabilities.flatMap(lines)
  }

  private func lines(_ capability: Capability) -> [String] {
    let sign = sign(of: capability)
    let label = "  \(sign.text) \(capability.title.padded(to: titleWidth))"
    // The id is what `--suppress` takes.
    let id = capability.status == .ok ? "" : " [\(capability.id)]"
    let finding = capability.finding + id
    var lines =
      isNarrow ? [label.trimmed] + indented(finding) : wrapped("\(label)  \(finding)")
    lines[0] = "  \(style.paint(sign.text, sign.ink))" + lines[0].dropFirst(2 + sign.text.count)
    if let last = lines.indices.last, !id.isEmpty {
      lines[last].removeLast(id.count)
      lines[last] += style.paint(id, .dim)
    }
    guard let remedy = capability.remedy else { return lines }
    var help = indented("help: \(remedy)")
    let blank = String(repeating: " ", count: indent)
    help[0] = blank + style.paint("help:", .note) + help[0].dropFirst(indent + 5)
    return lines + help
  }

  private func sign(of capability: Capability) -> (text: String, ink: TextStyle.Ink) {
    if findings.isSuppressed(capability) { return ("-", .dim) }
    return switch capability.status {
    case .ok: (style.isASCII ? "+" : "✓", .success)
    case .degraded: ("!", .warning)
    case .missing: (style.isASCII ? "x" : "✗", .failure)
    }
  }

  private var isNarrow: Bool { style.width < Self.narrowWidth }

  private var titleWidth: Int {
    isNarrow ? 0 : findings.capabilities.map(\.title.displayWidth).max() ?? 0
  }

  private var indent: Int { isNarrow ? 6 : titleWidth + 6 }

  private func indented(_ text: String) -> [String] {
    wrapped(String(repeating: " ", count: indent) + text)
  }

  /// The text broken between words, but not within a command, so that it can be copied.
  private func wrapped(_ text: String) -> [String] {
    let parts = text.printable.split(separator: "`", omittingEmptySubsequences: false)
    let whole = parts.enumerated().map { number, part in
      number.isMultiple(of: 2) ? String(part) : String(part).replacing(" ", with: "\u{A0}")
    }
    .joined(separator: "`")
    return style.wrapped(whole, indent: indent).map { $0.replacing("\u{A0}", with: " ") }
  }

  // MARK: - In general

  /// What a virtual machine means for launches; empty on bare metal, or where it is suppressed.
  private var virtualHost: [String] {
    guard let hypervisor = findings.host.virtualization,
      !findings.suppressed.contains("virtual-host")
    else { return [] }
    let text =
      "note: this machine is virtual (\(hypervisor.printable)). What launchlab evicts leaves the "
      + "memory of this machine only: the one below may still hold the blocks, so that cold launches "
      + "look faster than after a real reboot, and scatter with what others do there. It may also take "
      + "the processors away, and tells of that as steal or not at all. Compare the numbers of this "
      + "machine with each other, not with those of real hardware."
    var lines = style.wrapped(text)
    lines[0] = style.paint("note:", .note) + lines[0].dropFirst(5)
    return lines
  }

  private var counts: String {
    let counts = [
      "\(findings.capabilities(.ok).count) ok",
      "\(findings.capabilities(.degraded).count) degraded",
      "\(findings.capabilities(.missing).count) missing",
    ]
    let suppressed = findings.suppressedCapabilities.count
    return (counts + (suppressed > 0 ? ["\(suppressed) suppressed"] : [])).joined(separator: ", ")
  }
}

/// What doctor has found as JSON, of schema `launchlab.doctor/1`.
package struct DoctorJSON: JSONDocument {
  private let findings: DoctorFindings

  package init(_ findings: DoctorFindings) { self.findings = findings }

  package var value: JSONValue {
    [
      "schema": "launchlab.doctor/1",
      "host": JSONValue(host: findings.host),
      "counts": [
        "ok": JSONValue(findings.capabilities(.ok).count),
        "degraded": JSONValue(findings.capabilities(.degraded).count),
        "missing": JSONValue(findings.capabilities(.missing).count),
        "suppressed": JSONValue(findings.suppressedCapabilities.count),
      ],
      "capabilities": .array(findings.capabilities.map(capability)),
      "noise": .array(findings.noise.map(noise)),
    ]
  }

  private func capability(_ capability: Capability) -> JSONValue {
    [
      "id": .string(capability.id),
      "title": .string(capability.title),
      "status": .string(capability.status.rawValue),
      "suppressed": .bool(findings.isSuppressed(capability)),
      "finding": .string(capability.finding),
      "remedy": JSONValue(capability.remedy),
    ]
  }

  private func noise(_ noise: HostNoise) -> JSONValue {
    [
      "run": .string(noise.run),
      "measured_at": .string(noise.measuredAt.formatted(.iso8601)),
      "command": .array(noise.command.map(JSONValue.string)),
      "state": .string(noise.state.rawValue),
      "pairs": JSONValue(noise.pairs),
      "median_ns": .number(noise.median),
      "cv": .number(noise.coefficientOfVariation),
      "detectable": .array(
        noise.detectable.map { ["pairs": JSONValue($0.pairs), "effect": .number($0.effect)] }
      ),
      "comparisons": JSONValue(noise.comparisons),
      "false_alarms": JSONValue(noise.falseAlarms),
    ]
  }
}
