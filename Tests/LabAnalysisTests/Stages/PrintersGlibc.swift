@testable import LaunchCore

/// A model of how the loader of glibc prints its statistics.
///
/// Source: `print_statistics` in elf/rtld.c, `HP_TIMING_PRINT` in sysdeps and
/// `_dl_debug_vdprintf` in elf/dl-printf.c of glibc 2.2 to 2.41.
struct GlibcPrinter {
  var version: GlibcVersion
  var pid: UInt64

  /// False where the loader cannot read a clock, as on aarch64.
  var hasClock = true

  struct Counters {
    var total: UInt64, relocation: UInt64, load: UInt64
    var relocations: UInt64, cached: UInt64, relative: UInt64
    var final: UInt64, finalCached: UInt64
  }

  private var isClockCycles: Bool { version < GlibcVersion(2, 20) }
  private var hasTabs: Bool { (GlibcVersion(2, 5)..<GlibcVersion(2, 30)).contains(version) }
  private var drops: Bool { version >= GlibcVersion(2, 31) }
  private var hasCache: Bool { version >= GlibcVersion(2, 3) }
  private var hasRelative: Bool { version >= GlibcVersion(2, 4) }

  private var tag: String { "\(pid)".right(10) + ":\t" }

  /// The digits of a count: from 2.31 on the terminator takes the place of the last one.
  private func digits(_ count: UInt64) -> String {
    drops ? String("\(count)".dropLast()) : "\(count)"
  }

  /// The share in tenths of a percent with its point; nothing for four digits.
  private func percent(_ part: UInt64, _ whole: UInt64) -> String {
    let digits = Array("\(1_000 * part / whole)")
    guard digits.count <= 3 else { return "" }
    return String(digits.dropLast()) + "." + String(digits.suffix(1))
  }

  private var unit: String { isClockCycles ? " clock cycles" : " cycles" }

  func startup(_ counters: Counters) -> PrintedText {
    var lines: [String] = []
    if hasClock {
      lines += [
        "", "runtime linker statistics:",
        "  total startup time in dynamic loader: " + digits(counters.total) + unit,
      ]
    }
    let (first, second) = hasTabs ? ("\t    ", "\t   ") : ("            ", "           ")
    let share = { percent($0, counters.total) }
    if hasClock {
      let part = counters.relocation
      lines.append("\(first)time needed for relocation: \(digits(part))\(unit) (\(share(part))%)")
    }
    lines.append("                 number of relocations: \(counters.relocations)")
    if hasCache { lines.append("      number of relocations from cache: \(counters.cached)") }
    if hasRelative { lines.append("        number of relative relocations: \(counters.relative)") }
    if hasClock {
      let part = counters.load
      lines.append("\(second)time needed to load objects: \(digits(part))\(unit) (\(share(part))%)")
    }
    return PrintedText(lines: lines.map { tag + $0 }, facts: [facts(counters)])
  }

  func final(_ counters: Counters) -> PrintedText {
    var lines = ["", "runtime linker statistics:"]
    lines.append("           final number of relocations: \(counters.final)")
    var facts = ["format glibc.final true", "count final_number_of_relocations=\(counters.final)"]
    if hasCache {
      lines.append("final number of relocations from cache: \(counters.finalCached)")
      facts.append("count final_number_of_relocations_from_cache=\(counters.finalCached)")
    }
    return PrintedText(lines: lines.map { tag + $0 }, facts: [facts])
  }

  private func facts(_ counters: Counters) -> [String] {
    var facts = ["format glibc.startup true"]
    if hasClock {
      facts.append("total total startup time in dynamic loader" + fact(counters.total, nil))
      let share = { percent($0, counters.total) }
      facts.append(
        "stage time needed for relocation" + fact(counters.relocation, share(counters.relocation))
      )
      facts.append("stage time needed to load objects" + fact(counters.load, share(counters.load)))
    }
    var counts = ["count number_of_relocations=\(counters.relocations)"]
    if hasCache { counts.append("count number_of_relocations_from_cache=\(counters.cached)") }
    if hasRelative { counts.append("count number_of_relative_relocations=\(counters.relative)") }
    facts += counts.sorted()
    return facts + flags(counters).sorted().map { "flag \($0)" }
  }

  private func flags(_ counters: Counters) -> Set<String> {
    guard hasClock else { return ["no_times"] }
    var flags: Set<String> = isClockCycles ? ["clock_cycles_label"] : []
    let parts = [counters.relocation, counters.load]
    if parts.contains(where: { percent($0, counters.total).isEmpty }) {
      flags.insert("empty_percent_means_ge_100")
    }
    if drops, (parts + [counters.total]).contains(where: { $0 < 10 }) {
      flags.insert("empty_number_means_lt_10")
    }
    return flags
  }

  private func fact(_ count: UInt64, _ percent: String?) -> String {
    let share = percent.map { $0.isEmpty ? "-" : $0.hasPrefix(".") ? "0" + $0 : $0 } ?? "-"
    let cycles = drops ? count / 10 * 10 : count
    return "|-|\(digits(count))|cycles|\(share)|cycles \(cycles)"
  }
}
