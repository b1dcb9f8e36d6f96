import Glibc
import LaunchCore
import LaunchStatistics
import Rendering

/// The figures of one arm as short texts, the same in every format that people read.
struct ArmText {
  let summary: ArmSummary

  private let launch: Estimates?
  private let scale: Scale

  init(_ summary: ArmSummary) {
    self.summary = summary
    launch = summary.summary(of: .launch)?.estimates
    scale = Scale(.nanoseconds, for: launch?.median ?? 0)
  }

  /// The arms whose times are the result, in the order they are shown: the floor last.
  static func shown(of summary: RunSummary) -> [ArmText] {
    let plain = summary.arms.filter { $0.arm.kind == .plain }.map(ArmText.init)
    return plain.filter { !$0.isFloor } + plain.filter(\.isFloor)
  }

  /// How the launches of the arms are distributed that have two modes or scatter much, since neither
  /// their median nor their coefficient of variation tells.
  static func distributions(of summary: RunSummary) -> [LaunchDistributions] {
    shown(of: summary).compactMap { arm in
      let remarks = arm.summary.summary(of: .launch)?.remarks ?? []
      guard arm.summary.highVariation != nil || remarks.contains(where: { $0.id == "two-modes" })
      else { return nil }
      let launches = ArmLaunches(arm.summary, .launch)
      return LaunchDistributions(
        "",
        [.init(arm.name, launches.values, missing: launches.missing)],
        unit: Metric.launch.unit
      )
    }
  }

  /// The median, in parentheses when it is of launches that were not as they were asked to be.
  var median: String {
    guard let launch else { return Quantity.none }
    let text = scale.text(launch.median)
    return summary.isDoubtful ? "(\(text))" : text
  }

  /// What the parentheses of a median mean.
  static let parentheses =
    "A median in parentheses is of launches that did not reach their state, or were disturbed."

  /// The bounds of the 95 % interval of the median, in the unit of the median.
  var interval: String {
    guard let interval = launch?.medianInterval else { return Quantity.none }
    return "\(scale.number(interval.low))…\(scale.number(interval.high))"
  }

  var meanAndDeviation: String {
    guard let launch else { return Quantity.none }
    let deviation = launch.standardDeviation.map(scale.number) ?? Quantity.none
    return "\(scale.number(launch.mean)) ± \(deviation)"
  }

  var variance: String {
    launch?.variance.map(scale.squared) ?? Quantity.none
  }

  var variation: String {
    launch?.coefficientOfVariation.map(Quantity.percent) ?? Quantity.none
  }

  var range: String {
    guard let launch else { return Quantity.none }
    return "\(scale.number(launch.minimum))…\(scale.number(launch.maximum))"
  }

  /// How many launches the figures come from, of how many if some did not count.
  var count: String {
    let used = launch?.n ?? 0
    return used == summary.launches ? "\(used)" : "\(used)/\(summary.launches)"
  }

  var floorMultiple: String {
    summary.floorMultiple.map(Quantity.significant) ?? Quantity.none
  }

  var isFloor: Bool { summary.arm.target == Arm.emptyTarget }

  /// The target and the state, with the purpose of launches that are no plain ones.
  var name: String {
    let kind = summary.arm.kind
    let purpose = kind == .plain ? "" : " (\(kind.rawValue))"
    return "\(summary.arm.target.printable) \(summary.arm.state.rawValue)\(purpose)"
  }

  /// How an arm without a time went, such as `no launch was ready: exited 3`.
  var failure: String? {
    guard launch == nil else { return nil }
    return summary.launches == 0 ? "not launched" : "no launch was ready: \(outcomes)"
  }

  /// Launches per outcome, the commonest first.
  var outcomes: String {
    summary.outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  /// The median time it took to prepare a launch.
  var preparation: String {
    summary.preparation == .zero ? Quantity.none : Quantity.text(summary.preparation)
  }

  /// The figure of a metric that stands for all launches, in the unit that suits it.
  func median(of metric: Metric) -> String {
    summary.summary(of: metric).map { Quantity.text($0.estimates.median, metric.unit) }
      ?? Quantity.none
  }
}

// MARK: - Coldness

extension ArmText {
  /// Whether every launch is known to have had its state.
  var isStateReached: Bool { summary.state.notReached == 0 && summary.state.notVerified == 0 }

  /// What is known about the state, such as `cold 97 % of 258 MiB` or `not reached 3/12`.
  var coldness: String { coldness(withSize: true) }

  /// The same, where there may be no room for the size of the own files.
  func coldness(withSize showsSize: Bool) -> String {
    let tally = summary.state
    if tally.notReached > 0 { return "not reached \(tally.notReached)/\(summary.launches)" }
    if tally.notVerified > 0 {
      let isAll = tally.notVerified == summary.launches
      return isAll ? "not verified" : "not verified \(tally.notVerified)/\(summary.launches)"
    }
    guard tally.reached > 0 else { return Quantity.none }
    guard summary.arm.state.isCold else { return faults }
    guard let pages = OwnPages(summary), pages.total > 0 else { return "reached" }
    // Rounded down, so that a single page that stayed shows.
    let share = 100 * (pages.total - pages.resident) / pages.total
    let size = Scale(.bytes, for: pages.bytes).short(pages.bytes)
    return "cold \(share) %\(showsSize ? " of \(size)" : "")"
  }

  /// The major faults of the worst warm launch that counts, such as `no major fault`.
  private var faults: String {
    let most = summary.summary(of: .majorFaults)?.estimates.maximum ?? 0
    guard most > 0 else { return "no major fault" }
    return "at most \(Quantity.count(Int(most), "major fault"))"
  }
}

/// The pages of the target's own files, over the worst launch of each file.
struct OwnPages {
  let resident: Int
  let total: Int

  /// The size of all of them, with pages of the size that this machine has.
  var bytes: Double { Double(total) * Double(sysconf(Int32(_SC_PAGESIZE))) }

  /// Adds up the pages; nil when no own file was read, because nothing is known then.
  init?(_ summary: ArmSummary) {
    let own = summary.residency.filter(\.isOwn)
    guard !own.isEmpty else { return nil }
    resident = own.reduce(0) { $0 + $1.maximumResidentPages }
    total = own.reduce(0) { $0 + $1.totalPages }
  }
}
