package import LaunchCore

/// One report of a launch in a text.
package struct LoaderLogBlock: Hashable, Sendable {
  /// Such as `dyld.summary`; see ``LoaderLogFormat``.
  package var format: String

  /// The process that printed it, where the text says so.
  package var pid: Int64?

  package var total: LoaderLogValue?

  /// In the order of the text.
  package var stages: [LoaderLogValue] = []

  /// The slowest initializers by image, in the order of the text; they overlap the stages.
  package var images: [LoaderLogValue] = []

  package var counters: [String: Int64] = [:]

  /// Those of ``LoaderLogFlag`` and `missing:` names, sorted.
  package var flags: [String] = []

  /// The first and the last line that were used, from 1.
  package var lines: ClosedRange<Int>

  /// Whether a loader or runtime prints it like this.
  package var isStandard = true

  /// Whether the last digit of every cycle count is missing; nil when that cannot be told.
  package var lastDigitDropped: Bool?

  /// Whether nothing is missing from it, as far as can be told.
  package var isComplete: Bool {
    !flags.contains { $0 == LoaderLogFlag.truncated || $0.hasPrefix(LoaderLogFlag.missing) }
  }
}

/// The names of the formats.
package enum LoaderLogFormat {
  package static let dyldSummary = "dyld.summary"
  package static let dyldDetails = "dyld.details"
  package static let glibcStartup = "glibc.startup"
  package static let glibcFinal = "glibc.final"
  package static let goInitTrace = "go.inittrace"
  package static let pythonImportTime = "python.importtime"
  package static let nodeTiming = "node.nodetiming"
  package static let jvmStartupTime = "jvm.startuptime"
  package static let jvmClassLoad = "jvm.classload"
  package static let v8Profile = "v8.cpuprofile"
  package static let vimStartupTime = "vim.startuptime"
  package static let strace = "strace"
  package static let perfTrace = "perf.trace"
  package static let systemdAnalyze = "systemd.analyze"
  package static let systemdBlame = "systemd.blame"
  package static let pattern = "pattern"
}

/// What a reader of a block or of a value must know.
package enum LoaderLogFlag {
  /// An unsigned difference went below zero when it was printed; the value is null.
  package static let wrapped = "wrapped"

  /// Lines were cut out and replaced by dots.
  package static let elided = "elided"

  /// The end is missing.
  package static let truncated = "truncated"

  /// What begins the flag of something missing; the name follows.
  package static let missing = "missing:"

  /// The line has no percentage.
  package static let noPercent = "no_percent"

  /// Lines are marked as a quotation or comment.
  package static let quoted = "quoted"

  /// Lines carry markup, such as bold.
  package static let markup = "markup"

  /// Spaces that do not break stand for spaces.
  package static let nbsp = "nbsp"

  /// A full-width dot stands for the decimal point.
  package static let localizedDecimal = "localized_decimal"

  /// The unit is printed as `clock cycles`, as glibc before 2.20 does.
  package static let clockCyclesLabel = "clock_cycles_label"

  /// The loader of this processor prints counts only.
  package static let noTimes = "no_times"

  /// A percentage without digits: the printer has no room for 100 and more.
  package static let emptyPercent = "empty_percent_means_ge_100"

  /// A number of cycles without digits: it was below 10, and the last digit is not printed.
  package static let emptyNumber = "empty_number_means_lt_10"

  /// The number is followed by bytes that do not belong to it, as glibc 2.30 prints.
  package static let strayBytes = "stray_bytes"

  /// The number is too large to be kept.
  package static let overflow = "overflow"

  /// The module was imported before, so that nothing was timed.
  package static let cached = "cached"

  /// The mark was not reached.
  package static let notReached = "not_reached"

  /// The call had not ended when the line was printed.
  package static let unfinished = "unfinished"

  /// The text has no end for it: the time is up to what its process did next.
  package static let untilNext = "until_next"
}

extension LoaderLogBlock {
  /// The block as stages for a run, without the instants of their beginning.
  ///
  /// The parts sum to the total within their resolutions where nothing is missing. What wrapped
  /// has no duration, also where there is a guess at it.
  package var launchStages: [Stage] {
    switch format {
    case LoaderLogFormat.dyldSummary: dyldSummaryStages
    case LoaderLogFormat.dyldDetails: dyldDetailsStages
    case LoaderLogFormat.glibcStartup: glibcStages
    case LoaderLogFormat.goInitTrace: goStages
    case LoaderLogFormat.pythonImportTime, LoaderLogFormat.v8Profile,
      LoaderLogFormat.vimStartupTime:
      tree.map(nested)
    case LoaderLogFormat.jvmStartupTime: jvmStages
    case LoaderLogFormat.nodeTiming: nodeStages
    case LoaderLogFormat.systemdAnalyze, LoaderLogFormat.pattern: stages.map { part($0) }
    case LoaderLogFormat.systemdBlame, LoaderLogFormat.strace:
      stages.map { part($0, kind: .detail) }
    default: []
    }
  }

  // MARK: - dyld

  private var dyldSummaryStages: [Stage] {
    var parts = stages.map { part($0) }
    if let index = parts.firstIndex(where: { $0.name == StageName.initializers }) {
      parts[index].children = images.map { part($0, kind: .detail) }
    }
    return parts + residual(after: parts)
  }

  /// The fix-ups are one stage, and what the debugger took and what was redone is no part.
  private var dyldDetailsStages: [Stage] {
    let excluded: Set<String> = [DyldName.pause, DyldName.redo]
    let fixups = stages.filter { $0.stage == StageName.fixup }
    var parts: [Stage] = []
    for value in stages where !excluded.contains(value.name) && value.name != DyldName.objc {
      switch value.stage {
      case StageName.fixup:
        guard value == fixups.first else { continue }
        parts.append(sum(of: fixups.map { part($0, named: $0.name) }, named: StageName.fixup))
      case StageName.initializers:
        var stage = part(value)
        stage.children = stages.filter { $0.name == DyldName.objc }.map { part($0, kind: .detail) }
        stage.children += images.map { part($0, kind: .detail) }
        parts.append(stage)
      case nil: continue
      default: parts.append(part(value))
      }
    }
    let others = stages.filter { excluded.contains($0.name) }.map { part($0, kind: .excluded) }
    return parts + residual(after: parts) + others
  }

  private func sum(of parts: [Stage], named name: String) -> Stage {
    let durations = parts.compactMap(\.duration)
    let isWhole = durations.count == parts.count
    return Stage(
      name: name,
      duration: isWhole ? durations.reduce(.zero, +) : nil,
      resolution: parts.map(\.resolution).reduce(.zero, +),
      source: .text,
      flags: isWhole ? [] : [.unavailable],
      children: parts
    )
  }

  // MARK: - Runtimes

  private var glibcStages: [Stage] {
    let parts = stages.map { part($0, source: .statistics) }
    return parts + residual(after: parts, source: .statistics)
  }

  private var goStages: [Stage] {
    // Their instants are since the runtime began, which is not what stages start from.
    let children = stages.map { part($0) }
    return children.isEmpty ? [] : [sum(of: children, named: StageName.initializers)]
  }

  private func nested(_ node: LoaderLogNode) -> Stage {
    var stage = part(node.value, kind: .detail)
    stage.children = node.children.map(nested)
    return stage
  }

  private var jvmStages: [Stage] {
    let whole = stages.last { $0.name == "Create VM" }
    let phases = stages.filter { $0.name != whole?.name }.map { part($0, kind: .detail) }
    guard let whole else { return phases }
    var stage = part(whole, named: StageName.runtimeSetup)
    stage.children = phases
    return [stage]
  }

  /// What lies between the start of Node and the end of its bootstrap is the runtime's.
  private var nodeStages: [Stage] {
    let marks = stages.filter { $0.instant?.nanoseconds != nil }
    guard let start = marks.firstIndex(where: { $0.name == "nodeStart" }),
      let end = marks.firstIndex(where: { $0.name == "bootstrapComplete" }), start < end
    else { return [] }
    let parts = marks[(start + 1)...end].map { part($0) }
    let runtime = sum(of: parts, named: StageName.runtimeSetup)
    return [runtime] + marks[(end + 1)...].map { part($0, kind: .detail) }
  }

  // MARK: - Parts

  private func part(
    _ value: LoaderLogValue,
    named name: String? = nil,
    kind: Stage.Kind = .part,
    source: StageCollector = .text
  ) -> Stage {
    let duration = value.amount?.nanoseconds.map { Nanoseconds($0) }
    let isWrapped = value.flags.contains(LoaderLogFlag.wrapped)
    return Stage(
      name: name ?? value.stage ?? value.name,
      kind: kind,
      duration: duration,
      resolution: Nanoseconds(value.amount?.resolution ?? 0),
      source: source,
      flags: duration != nil ? [] : isWrapped ? [.wrapped] : [.unavailable]
    )
  }

  /// What the total holds besides its parts, if that is more than their resolutions.
  private func residual(after parts: [Stage], source: StageCollector = .text) -> [Stage] {
    guard isComplete, let total = total?.amount, let whole = total.nanoseconds else { return [] }
    let durations = parts.compactMap(\.duration?.count)
    guard durations.count == parts.count else { return [] }
    let rest = durations.reduce(whole) { $0.subtractingReportingOverflow($1).partialValue }
    let slack = parts.reduce(total.resolution ?? 0) { $0 + $1.resolution.count }
    guard rest > slack else { return [] }
    return [
      Stage(
        name: StageName.loaderOther,
        duration: Nanoseconds(rest),
        resolution: Nanoseconds(slack),
        source: source
      )
    ]
  }
}
