import Foundation
package import LaunchCore
import Rendering

/// What was run, when and where, as phrases that every format for people shares.
package struct RunFacts {
  private let summary: RunSummary
  private var run: RunRecord { summary.run }

  package init(_ summary: RunSummary) { self.summary = summary }

  /// The scenario's name, with what is suppressed.
  var scenario: String { summary.name.printable }

  package var startedAt: String { Quantity.instant(run.startedAt) }

  /// What was planned, and how many launches of it are stored.
  package var order: String {
    let most = Quantity.count(run.plan.blockCount, "block")
    let blocks = run.plan.looks.count > 1 ? "\(launchedBlocks) of at most \(most)" : most
    let arms = Quantity.count(run.plan.arms.filter { $0.kind == .plain }.count, "arm")
    let launches = Quantity.launches(stored)
    let repeated = summary.disturbances.repeated
    let again = repeated > 0 ? ", \(repeated) of them repeated" : ""
    return "\(blocks) of \(arms) in random order, seed \(run.plan.seed) · \(launches)\(again)"
  }

  /// What is wrong with the run as a whole; nil when every block was launched.
  package var unfinished: String? {
    let planned = run.plan.launchCount + summary.disturbances.repeated
    let most = run.plan.looks.count > 1 ? "at most " : ""
    let progress = "\(stored) of \(most)\(planned) launches are stored"
    switch run.status {
    case .complete: return nil
    case .unfinished: return "unfinished: \(progress)"
    case .failed: return "stopped early because a target failed: \(progress)"
    case .interrupted: return "interrupted: \(progress)"
    }
  }

  /// Why nothing may be concluded from the run; nil when something may.
  package var inconclusive: String? {
    guard summary.isTooDisturbed, let limit = run.plan.tolerableShare else { return nil }
    return
      "inconclusive: \(Quantity.percent(summary.doubtfulShare)) of the launches were disturbed "
      + "or unsettled, where \(Quantity.percent(limit)) is tolerated"
  }

  /// The machine in one phrase, without what is unknown.
  package var host: String { run.host.phrase }

  /// The commit that was built, if any.
  var build: String? {
    run.build.map { "commit \($0.commit.prefix(12)) \($0.subject.printable)" }
  }

  /// Per target its readiness condition, with how late it may be seen.
  var readiness: [String] {
    run.plan.scenario.targets.map { target in
      let late = summary.arms.filter { $0.arm.target == target.name }.map(\.resolution).max()
      let resolution =
        late.flatMap { $0 > .zero ? ", commonly seen up to \(Quantity.text($0)) late" : nil } ?? ""
      return "\(target.name.printable): \(target.ready.description.printable)\(resolution)"
    }
  }

  /// What became of the controls.
  var controls: ReceiptTable { ReceiptTable(run.controls) }

  /// How many blocks were launched; a repeated launch belongs to the block of the first one.
  private var launchedBlocks: Int {
    let plain = summary.arms.filter { $0.arm.kind == .plain }
    return plain.map { $0.launches - $0.disturbances.repeated }.max() ?? 0
  }

  private var stored: Int { summary.arms.reduce(0) { $0 + $1.launches } }
}

/// What became of the controls of a run: wanted, before, after, or why not.
package struct ReceiptTable {
  private let receipts: [ControlReceipt]

  package init(_ receipts: [ControlReceipt]) { self.receipts = receipts }

  private static let titles = ["control", "wanted", "before", "after", "status"]

  /// The lines for a terminal; a reason follows its control on a line of its own.
  ///
  /// Where the table would be wider than the terminal, each control becomes a phrase.
  func lines(style: TextStyle) -> [String] {
    guard !receipts.isEmpty else { return [] }
    let table = TextTable(
      columns: Self.titles.map { _ in .left },
      rows: [Self.titles.map { TextTable.Cell($0, .dim) }] + receipts.map { cells(of: $0) }
    )
    guard table.width <= style.width else { return phrases(style: style) }
    var lines = table.lines(style: style)
    let header = lines.removeFirst()
    return [header]
      + zip(receipts, lines).flatMap { receipt, line in
        let reason = receipt.reason.map { style.wrapped("    \($0.printable)", indent: 4) } ?? []
        return [line] + reason.map { style.paint($0, receipt.status.ink) }
      }
  }

  /// The lines in Markdown.
  package var markdown: [String] {
    guard !receipts.isEmpty else { return [] }
    let table = MarkdownTable(
      titles: Self.titles + ["reason"],
      textColumns: Set(0...Self.titles.count),
      rows: receipts.map { receipt in
        (texts(of: receipt) + [receipt.reason ?? ""]).map(MarkdownTable.escaped)
      }
    )
    return table.lines
  }

  private func cells(of receipt: ControlReceipt) -> [TextTable.Cell] {
    texts(of: receipt).enumerated().map { number, text in
      TextTable.Cell(text.printable, number == 4 ? receipt.status.ink : nil)
    }
  }

  private func texts(of receipt: ControlReceipt) -> [String] {
    let values = [receipt.wanted, receipt.before, receipt.after].map { $0 ?? Quantity.none }
    return [receipt.name] + values + [receipt.status.rawValue]
  }

  /// Such as `governor performance applied, before powersave`.
  private func phrases(style: TextStyle) -> [String] {
    [style.paint("controls", .dim)]
      + receipts.flatMap { receipt in
        let value = receipt.after ?? receipt.wanted
        let name = [receipt.name, value].compactMap(\.self).joined(separator: " ")
        let isChanged = receipt.before != nil && receipt.before != receipt.after
        let before = isChanged ? receipt.before.map { ", before \($0)" } ?? "" : ""
        let reason = receipt.reason.map { ": \($0)" } ?? ""
        let phrase = "  \(name) \(receipt.status.rawValue)\(before)\(reason)".printable
        return style.wrapped(phrase, indent: 4).map { style.paint($0, receipt.status.ink) }
      }
  }
}

extension ControlReceipt.Status {
  fileprivate var ink: TextStyle.Ink? {
    switch self {
    case .applied: nil
    case .observed: .dim
    case .failed, .unavailable: .warning
    }
  }
}

extension HostFacts {
  /// The machine in one phrase, without what is unknown.
  package var phrase: String {
    let facts: [String?] = [
      cpuModel, cpuCount.map { Quantity.count($0, "cpu") },
      memoryBytes.map { Quantity.text(Double($0), .bytes) },
      kernel == "unknown" ? nil : "Linux \(kernel) \(architecture)",
      libc, [fileSystem, device].compactMap(\.self).joined(separator: " on "),
      virtualization.map { "under \($0)" }, "host \(fingerprint.prefix(12))",
    ]
    return facts.compactMap(\.self).filter { !$0.isEmpty }.map(\.printable).joined(separator: " · ")
  }
}
