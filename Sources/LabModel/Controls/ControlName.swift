/// A control: something of the machine that a run holds still, or watches.
///
/// The raw value is the name used in scenarios, JSON, the store and reports.
package enum ControlName: String, Codable, CaseIterable, Sendable {
  case cpus
  case shield
  case aslr
  case environmentSize = "env_size"
  case priority
  case scheduling
  case governor
  case boost
  case thp
  case swap
  case nmiWatchdog = "nmi_watchdog"
  case network
  case environment
  case services
  case settle
  case steal
  case proactiveReclaim = "proactive_reclaim"
}
