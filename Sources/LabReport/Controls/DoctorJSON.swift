import Foundation
package import LabModel

/// What doctor has found as JSON, of schema `launchlab.doctor/1`.
package struct DoctorJSON {
  private let findings: DoctorFindings

  package init(_ findings: DoctorFindings) { self.findings = findings }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    let value: JSONValue = [
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
    try JSONText.write(value, .indented, to: sink)
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
