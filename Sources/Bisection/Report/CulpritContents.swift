import Foundation
import History
import LaunchCore
import Rendering

/// What a culprit changes: its files, and the commits that a merge has brought in.
struct CulpritContents {
  private let details: CulpritDetails
  private let words: BisectWords

  init(_ details: CulpritDetails, _ words: BisectWords) {
    self.details = details
    self.words = words
  }

  /// The lines for a terminal; empty where nothing is known.
  func lines(style: TextStyle) -> [String] {
    var lines: [String] = []
    if let merge = details.merge {
      lines += style.wrapped(Self.sentence(merge) + (merge.count > 0 ? ":" : ""))
      lines += merge.commits.map { commit in
        "  \(words.short(id: commit.id)) \(commit.subject.printable)".truncated(to: style.width)
      }
      lines += more(merge.count - merge.commits.count, "commit")
    }
    guard let files = details.files, !files.isEmpty else { return lines }
    let table = TextTable(
      columns: [.left, .right, .right],
      rows: files.map { file in
        let path = file.path.printable.truncated(to: max(20, style.width - 24))
        return [TextTable.Cell("  \(path)")] + Self.counts(file).map { TextTable.Cell($0, .dim) }
      }
    )
    return lines + table.lines(style: style) + more(details.fileCount - files.count, "file")
  }

  /// The sections of Markdown.
  ///
  /// - Parameter name: What is put behind the headings where there are several culprits.
  /// - Returns: The lines; empty where nothing is known.
  func markdown(of name: String?) -> [String] {
    let suffix = name.map { " of \(MarkdownTable.escaped($0))" } ?? ""
    var lines: [String] = []
    if let merge = details.merge {
      lines += ["## Merge\(suffix)", "", Self.sentence(merge) + "."]
      lines += merge.commits.isEmpty ? [] : [""]
      lines += merge.commits.map { commit in
        "- `\(words.short(id: commit.id))` \(MarkdownTable.escaped(commit.subject.truncated(to: 80)))"
      }
      let rest = merge.count - merge.commits.count
      lines += rest > 0 ? ["- and \(Quantity.count(rest, "more commit"))"] : []
    }
    guard let files = details.files, !files.isEmpty else { return lines }
    let table = MarkdownTable(
      titles: ["file", "added", "removed"],
      textColumns: [0],
      rows: files.map { file in
        [MarkdownTable.escaped(file.path.truncated(to: 120))] + Self.counts(file)
      }
    )
    let rest = details.fileCount - files.count
    return lines + (lines.isEmpty ? [] : [""]) + ["## Files\(suffix)", ""] + table.lines
      + (rest > 0 ? ["", "and \(Quantity.count(rest, "more file"))."] : [])
  }

  private static func sentence(_ merge: MergeContents) -> String {
    merge.count > 0
      ? "It is a merge of \(Quantity.count(merge.count, "commit"))"
      : "It is a merge that brings in no commit"
  }

  private static func counts(_ file: ChangedFile) -> [String] {
    guard let added = file.added, let removed = file.removed else { return ["binary", ""] }
    return ["+\(added)", "−\(removed)"]
  }

  private func more(_ count: Int, _ noun: String) -> [String] {
    count > 0 ? ["  and \(Quantity.count(count, "more \(noun)"))"] : []
  }
}

/// What builds and launches were made with, and how much they scatter.
struct MeasuringConditions {
  private let summary: BisectSummary

  static let title = "Measured with"

  init(_ summary: BisectSummary) { self.summary = summary }

  /// Sentences without a full stop; empty where nothing is known.
  var phrases: [Phrase] {
    [compilers, variables, load, noise].compactMap(\.self)
  }

  private var compilers: Phrase? {
    guard let found = summary.conditions?.compilers, !found.isEmpty else { return nil }
    return
      "Compilers that are installed: \(found.map { $0.truncated(to: 80) }.joined(separator: "; "))"
  }

  private var variables: Phrase? {
    guard summary.start.artifacts == nil, let conditions = summary.conditions else { return nil }
    let variables = conditions.variables.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value)".truncated(to: 120) }
    return variables.isEmpty
      ? "No environment variable is known to change the build"
      : "Environment of the build: \(variables.joined(separator: " "))"
  }

  private var load: Phrase? {
    guard let conditions = summary.conditions, let before = conditions.loadBefore else {
      return nil
    }
    let after = conditions.loadAfter.map { String(format: " before and %.1f after", $0) } ?? ""
    let processors = conditions.processors.map { " on \(Quantity.count($0, "processor"))" } ?? ""
    return "Load average \(raw: String(format: "%.1f", before) + after + processors)"
  }

  private var noise: Phrase? {
    let launch = summary.answer.launchNoise.map {
      "one launch scatters by \(BisectWords.size($0))"
    }
    let build = summary.answer.buildNoise.map {
      "builds differ by about \(BisectWords.size($0)) by themselves"
    }
    let all = [launch, build].compactMap(\.self)
    return all.isEmpty ? nil : "Noise: \(raw: all.joined(separator: ", "))"
  }
}
