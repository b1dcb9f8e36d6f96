/// One report of a launch in a text.
package struct StageTextBlock: Hashable, Sendable {
  /// Such as `dyld.summary`; see ``StageTextFormat``.
  package var format: String

  /// The process that printed it, where the text says so.
  package var pid: Int64?

  package var total: StageTextValue?

  /// In the order of the text.
  package var stages: [StageTextValue] = []

  /// The slowest initializers by image, in the order of the text; they overlap the stages.
  package var images: [StageTextValue] = []

  package var counters: [String: Int64] = [:]

  /// Those of ``StageTextFlag`` and `missing:` names, sorted.
  package var flags: [String] = []

  /// The first and the last line that were used, from 1.
  package var lines: ClosedRange<Int>

  /// Whether a loader or runtime prints it like this.
  package var isStandard = true

  /// Whether the last digit of every cycle count is missing; nil when that cannot be told.
  package var lastDigitDropped: Bool?

  /// Whether nothing is missing from it, as far as can be told.
  package var isComplete: Bool {
    !flags.contains { $0 == StageTextFlag.truncated || $0.hasPrefix(StageTextFlag.missing) }
  }
}

/// The names of the formats.
package enum StageTextFormat {
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
package enum StageTextFlag {
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
