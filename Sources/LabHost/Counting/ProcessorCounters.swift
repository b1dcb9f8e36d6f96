/// The counters of the processor, as far as launches may use them.
package enum ProcessorCounters {
  /// Whether instructions can be counted here, in the kernel too, as counter launches do.
  package static var countInstructions: Bool { HostTrials.live.hardwareEvent(true) == 0 }
}
