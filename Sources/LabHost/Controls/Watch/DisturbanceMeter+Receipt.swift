package import LabModel

extension DisturbanceMeter {
  /// What is watched, by which sources, and what cannot be seen here.
  package func receipt() -> ControlReceipt {
    let sees = sources.hasStat || sources.busy != nil
    return ControlReceipt(
      name: ControlName.steal.rawValue,
      wanted: "stolen \(Words.percent(limits.stolen)), foreign \(Words.percent(limits.foreign)), "
        + "share \(Words.percent(limits.share))",
      after: sees ? seen.joined(separator: ", ") : nil,
      status: sees ? .applied : .unavailable,
      reason: missing.isEmpty ? nil : missing.joined(separator: "; ")
    )
  }

  /// The sources in words.
  private var seen: [String] {
    [
      sources.hasStat ? "steal" : nil,
      sources.busy.map { "foreign by \($0.source.rawValue) and \(ownSource)" },
      sources.hasPressure ? "cpu.pressure" : nil,
      sources.throttling.areMissing ? nil : "throttle counters",
      sources.hasSwap ? "swap-ins" : nil,
    ].compactMap(\.self)
  }

  private var ownSource: String {
    sources.hasCgroup ? "cgroup" : "figures"
  }

  /// What is missing or coarse, with the remedy.
  private var missing: [String] {
    [
      sources.hasStat ? nil : "no /proc/stat, so stealing is not seen",
      sources.busy == nil ? "no processor time, so others are not seen" : nil,
      sources.busy?.source == .ticks
        ? "processor time comes in ticks of 10 ms, so others are not seen on short launches: use a "
          + "kernel with CONFIG_SCHEDSTATS" : nil,
      sources.hasCgroup ? nil : "no cgroup of the run, so others are seen less well: run as root",
      sources.hasCgroup && !sources.hasPressure
        ? "no cpu.pressure, so waiting is not seen: boot with psi=1" : nil,
      sources.throttling.areMissing ? "no throttle counters" : nil,
    ].compactMap(\.self)
  }
}
