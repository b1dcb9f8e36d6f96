package import LabModel

extension DisturbanceMeter {
  /// What is watched, by which sources, and what cannot be seen here.
  package func receipt() -> ControlReceipt {
    let sees = sources.hasStat || sources.busy != nil
    return ControlReceipt(
      name: ControlName.steal.rawValue,
      wanted: "stolen \(Words.percent(limits.stolen)), others on the target's processors "
        + "\(Words.percent(limits.foreign)) of a launch, no throttling, no swap-in; repeated up to "
        + Words.percent(limits.share),
      after: sees ? seen.joined(separator: "; ") : nil,
      status: sees ? .applied : .unavailable,
      reason: missing.isEmpty ? nil : missing.joined(separator: "; ")
    )
  }

  /// The sources in words.
  private var seen: [String] {
    [
      sources.hasStat ? "steal by /proc/stat" : nil,
      sources.busy.map { "others by \($0.source.rawValue) and \(ownSource)" },
      sources.hasPressure ? "waiting by cpu.pressure" : nil,
      sources.throttling.areMissing ? nil : "throttle counters",
      sources.hasSwap ? "swap-ins" : nil,
    ].compactMap(\.self)
  }

  private var ownSource: String {
    sources.hasCgroup ? "the run's cgroup" : "the launch's own figures"
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
