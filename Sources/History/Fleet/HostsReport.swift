import LaunchCore
import LaunchStatistics
package import Rendering

/// What hosts say together as a terminal shows it, in a few lines.
package struct HostsText {
  private let summary: HostsSummary
  private let style: TextStyle

  /// The most findings that have a line of their own.
  private static let most = 4

  /// Creates the text of a scenario.
  ///
  /// - Parameters:
  ///   - summary: What is concluded.
  ///   - style: How the text is shown; with the width `.max` no line is broken.
  package init(_ summary: HostsSummary, style: TextStyle) {
    self.summary = summary
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    summary.kinds.flatMap(lines).joinedLines(style)
  }

  private func lines(_ kind: HostKind) -> [String] {
    let count = Quantity.count(kind.members.count, "host")
    let name = summary.kinds.count > 1 ? " of kind \(kind.shortName.printable)" : ""
    // Another kind may have newer nights.
    let isNewest = summary.kinds.allSatisfy { $0.tonight <= kind.tonight }
    let day = isNewest ? "" : ", \(kind.tonight)"
    let first = "\(summary.scenario.printable) over \(count)\(name)\(day): \(kind.verdict.plain)"
    let ink: TextStyle.Ink? =
      kind.findings.isEmpty
      ? kind.pools.contains { $0.verdict == .quiet } ? .success : .dim : .boldWarning
    return style.wrapped(first, indent: 2).map { style.paint($0, ink) }
      + kind.items(most: Self.most).flatMap { item in
        style.wrappedBelow("\(item.name): \(item.text.plain)")
      }
  }
}

extension HostKind {
  /// Enough of the fingerprint to tell kinds apart.
  fileprivate var shortName: String { String(fingerprint.prefix(8)) }

  /// What stands below the verdict.
  ///
  /// - Parameter most: How many findings are told beside the first one.
  /// - Returns: Each with the word before it.
  fileprivate func items(most: Int) -> [(name: String, text: Phrase)] {
    let others = findings.dropFirst()
    var items = others.prefix(most).map { (name: "also", text: $0) }
    if others.count > most {
      items.append(("also", "\(Quantity.count(others.count - most, "more finding"))"))
    }
    let quarantined = quarantined.map { standing -> Phrase in
      let nights = Quantity.count(standing.namedNights.count, "night")
      return "\(standing.host) since \(standing.quarantinedSince ?? "") (named on \(raw: nights))"
    }
    if !quarantined.isEmpty { items.append(("quarantined", Self.list(quarantined, most: 6))) }
    if !lone.isEmpty { items.append(("each for itself", Self.list(lone, most: 3))) }
    let missed = missed.map { "\($0.host) (\($0.reason))" as Phrase }
    if !missed.isEmpty { items.append(("missed tonight", Self.list(missed, most: 3))) }
    if let next { items.append(("next", next)) }
    return items
  }
}

/// What hosts say together in Markdown.
package struct HostsMarkdown {
  private let summary: HostsSummary

  package init(_ summary: HostsSummary) { self.summary = summary }

  /// The report, with a line feed after every line; the same summary gives the same bytes.
  package func rendered() -> String {
    let hosts = Quantity.count(summary.hostCount, "host")
    let isOneKind = summary.kinds.count == 1
    let place =
      isOneKind ? ", \(summary.kinds[0].tonight)" : " of \(summary.kinds.count) kinds"
    let title: Phrase = "# \(summary.scenario) over \(raw: hosts)\(raw: place)"
    let lines = summary.kinds.flatMap { kind -> [String] in
      guard !isOneKind else { return section(kind, "##") }
      let count = Quantity.count(kind.members.count, "host")
      let title: Phrase =
        "## Kind \(kind.shortName): \(raw: count), \(raw: kind.tonight)"
      return ["", title.markdown] + section(kind, "###")
    }
    return ([title.markdown] + lines).joinedLines()
  }

  private func section(_ kind: HostKind, _ mark: String) -> [String] {
    let items = kind.items(most: .max).map { item -> String in
      "- **\(item.name.prefix(1).uppercased() + item.name.dropFirst()):** \(item.text.markdown)"
    }
    let lead = ["", "- **Verdict:** \(kind.verdict.markdown)"] + items
    guard !kind.pools.isEmpty else { return lead }
    return lead
      + ["", "\(mark) The hosts together", ""] + together(kind)
      + kind.pools.flatMap { pool in
        kind.proof(of: pool).map { proof($0, of: pool, mark) } ?? []
      }
      + ["", "\(mark) Each host tonight", ""] + each(kind)
      + stability(kind, mark)
  }

  /// One row for each series.
  private func together(_ kind: HostKind) -> [String] {
    MarkdownTable(
      titles: ["Series", "Change", "Verdict", "Agree", "Differ"],
      textColumns: [0, 2, 3, 4],
      rows: kind.pools.map { pool in
        let agreeing = pool.suspected.map(pool.agreeing) ?? []
        return [
          MarkdownTable.escaped(pool.name), TrendWords.change(pool.share.map { 1 + $0 }),
          kind.proofWord(pool) ?? Self.word(pool), Self.names(agreeing),
          Self.names(pool.dissenting),
        ]
      }
    ).lines
  }

  /// One row for each host of a proof, and one of all.
  private func proof(_ proof: FleetProof, of pool: HostPool, _ mark: String) -> [String] {
    let title: Phrase = "\(raw: mark) Proof of \(pool.name)"
    let builds = Set(proof.hosts.map { [$0.good, $0.bad] })
    let table = MarkdownTable(
      titles: ["Host", "Builds", "Pairs", "Change", "\(proof.confidenceText) interval"],
      textColumns: [0, 1],
      rows: proof.hosts.map { host in
        [
          MarkdownTable.escaped(host.host), MarkdownTable.escaped("\(host.good) → \(host.bad)"),
          "\(host.pairs)", TrendWords.change(host.ratio),
          host.interval.map(FleetProof.text) ?? Quantity.none,
        ]
      } + [
        [
          "**together**", builds.count == 1 ? "" : "\(builds.count) pairs of builds",
          "\(proof.pairs)", TrendWords.change(proof.ratio), FleetProof.text(proof.interval),
        ]
      ]
    )
    let tau = proof.tau.map { tau in
      "Beyond the scatter of their pairs, the changes of the hosts differ by a standard deviation (τ) of "
        + "\(Quantity.percent(tau))."
    }
    return ["", title.markdown, ""] + table.lines + (tau.map { ["", $0] } ?? [])
  }

  private static func names(_ hosts: [String]) -> String {
    hosts.isEmpty ? Quantity.none : HostKind.list(hosts).markdown
  }

  private static func word(_ pool: HostPool) -> String {
    switch pool.verdict {
    case .tooFewHosts: "too few hosts"
    case .differs: "too few hosts, which differ"
    case .new: "too few nights"
    case .quiet: pool.isUnsettled ? "not settled" : "unchanged"
    case .suspicion(.worse): "suspected regression"
    case .suspicion(.better): "suspected improvement"
    case .machine(let hosts): ("machine: \(HostKind.list(hosts))" as Phrase).markdown
    }
  }

  /// One row for each host, and one of all.
  private func each(_ kind: HostKind) -> [String] {
    let columns = kind.pools.map { pool in
      Dictionary(pool.hosts.map { ($0.host, $0) }, uniquingKeysWith: { first, _ in first })
    }
    let rows = kind.members.map { member in
      [MarkdownTable.escaped(member.name)]
        + zip(kind.pools, columns).map { pool, hosts in
          if let host = hosts[member.name] {
            return TrendWords.change(host.share.map { 1 + $0 })
          }
          let isNew = pool.absent.contains { $0.host == member.name && $0.reason == .new }
          return isNew ? "new" : Quantity.none
        }
    }
    let isPooled = kind.pools.contains { $0.share != nil }
    let pooled = kind.pools.map { TrendWords.change($0.share.map { 1 + $0 }) }
    let table = MarkdownTable(
      titles: ["Host"] + kind.pools.map { MarkdownTable.escaped($0.name) },
      textColumns: [0],
      rows: rows + (isPooled ? [["**together**"] + pooled] : [])
    )
    let legend = [
      "Changes of tonight's medians against each host's own baseline"
        + (isPooled ? "; the last row is their pooled change." : "."),
      "\(Quantity.none): no value. new: fewer than \(DetectionLimits.minNights) earlier nights.",
      kind.named.isEmpty
        ? nil : "What is said of a machine is from its newest nights, not from tonight alone.",
    ]
    return table.lines + ["", legend.compactMap(\.self).joined(separator: " ")]
  }

  private func stability(_ kind: HostKind, _ mark: String) -> [String] {
    let ranking = kind.ranking
    guard !ranking.isEmpty else { return [] }
    let table = MarkdownTable(
      titles: ["Host", "Scatter", "Disturbed nights"],
      textColumns: [0],
      rows: ranking.map { host in
        [
          MarkdownTable.escaped(host.host), Quantity.significant(host.deviation),
          Quantity.percent(host.disturbed),
        ]
      }
    )
    let others = ranking.count > 2 ? "the other hosts" : "its own level"
    return ["", "\(mark) Steadiness of the hosts", ""] + table.lines + [
      "",
      "The scatter is the standard deviation of a host's nights against \(others), as a multiple of "
        + "the smallest change that matters.",
    ]
  }
}

/// What hosts say together as JSON, of schema `launchlab.hosts/1`.
///
/// Keys come in a fixed order, and the same summaries give the same bytes. `docs/json.md` tells what
/// each field means.
package struct HostsJSON: JSONDocument {
  private let summaries: [HostsSummary]

  /// - Parameter summaries: One per scenario, in the order in which they are written.
  package init(_ summaries: [HostsSummary]) { self.summaries = summaries }

  package var value: JSONValue {
    [
      "schema": "launchlab.hosts/1",
      "scenarios": .array(
        summaries.map {
          ["scenario": .string($0.scenario), "kinds": .array($0.kinds.map(kind))]
        }
      ),
    ]
  }

  private func kind(_ kind: HostKind) -> JSONValue {
    let missed = Dictionary(kind.missed.map { ($0.host, $0.reason) }) { first, _ in first }
    return [
      "fingerprint": .string(kind.fingerprint),
      "night": .string(kind.tonight),
      "verdict": .string(kind.verdict.plain),
      "findings": .array(kind.findings.map { .string($0.plain) }),
      "hosts": .array(
        kind.members.map { host in
          [
            "name": .string(host.name), "slot_host": JSONValue(host.slotHost),
            "identity": JSONValue(host.identity), "last_night": .string(host.night),
            "missed": JSONValue(missed[host.name]),
          ]
        }
      ),
      "quarantined": .array(
        kind.quarantined.map { standing in
          [
            "host": .string(standing.host), "since": JSONValue(standing.quarantinedSince),
            "named_nights": .array(standing.namedNights.map { .string($0) }),
          ]
        }
      ),
      "ranking": .array(
        kind.ranking.map { host in
          [
            "host": .string(host.host), "deviation": .number(host.deviation),
            "disturbed_share": .number(host.disturbed),
          ]
        }
      ),
      "pools": .array(kind.pools.map { pool($0, of: kind, control: false) }),
      "controls": .array(
        kind.controls.sorted { $0.name < $1.name }.map { pool($0, of: kind, control: true) }
      ),
    ]
  }

  private func proof(_ proof: FleetProof, _ kind: HostKind) -> JSONValue {
    [
      "night": .string(proof.night ?? kind.tonight), "verdict": .string(proof.verdict.rawValue),
      "ratio": .number(proof.ratio), "low": .number(proof.interval.low),
      "high": .number(proof.interval.high), "confidence": .number(proof.confidence),
      "tau": JSONValue(proof.tau),
      "hosts": .array(
        proof.hosts.map { host in
          [
            "host": .string(host.host), "pairs": JSONValue(host.pairs),
            "ratio": .number(host.ratio), "low": JSONValue(host.interval?.low),
            "high": JSONValue(host.interval?.high), "good": JSONValue(host.good),
            "bad": JSONValue(host.bad),
          ]
        }
      ),
    ]
  }

  private func pool(_ pool: HostPool, of kind: HostKind, control: Bool) -> JSONValue {
    let direction = pool.suspected ?? pool.judgement?.suspicion?.direction
    return [
      "target": .string(pool.key.target),
      "launch_state": .string(pool.key.state.rawValue),
      "metric": .string(pool.key.metric.rawValue),
      "unit": .string(pool.key.metric.unit.rawValue),
      "verdict": control ? .null : .string(pool.word),
      "direction": JSONValue(direction?.rawValue),
      "level": .number(pool.level),
      "share": JSONValue(pool.share),
      "proof": kind.proof(of: pool).map { proof($0, kind) } ?? .null,
      "count": JSONValue(pool.pool.count),
      "agreeing": .array((direction.map(pool.agreeing) ?? []).map { .string($0) }),
      "differing": .array(pool.dissenting.map { .string($0) }),
      "hosts": .array(
        pool.hosts.map { host in
          [
            "host": .string(host.host), "median": .number(host.tonight),
            "baseline_median": .number(host.baseline.median),
            "baseline_nights": JSONValue(host.baseline.runs.count),
            "margins": .number(host.deviation), "share": JSONValue(host.share),
          ]
        }
      ),
      "absent": .array(
        pool.absent.map { ["host": .string($0.host), "reason": .string($0.reason.rawValue)] }
      ),
      "peers": .array(
        pool.peers.map { peer in
          [
            "host": .string(peer.host), "shift": JSONValue(peer.shift),
            "limit": JSONValue(peer.limit), "is_named": .bool(peer.isNamed),
            "deviation": .number(peer.deviation), "disturbed": JSONValue(peer.disturbed),
            "nights": JSONValue(peer.nights),
          ]
        }
      ),
    ]
  }
}

extension HostPool {
  /// The name of the verdict in JSON.
  fileprivate var word: String {
    switch verdict {
    case .tooFewHosts: "too-few-hosts"
    case .differs: "differs"
    case .new: "new"
    case .quiet: isUnsettled ? "unsettled" : "quiet"
    case .suspicion(.worse): "suspected-regression"
    case .suspicion(.better): "suspected-improvement"
    case .machine: "machine"
    }
  }
}
