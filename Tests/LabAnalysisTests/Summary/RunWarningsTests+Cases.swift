@testable import LaunchCore

extension RunWarningsTests.Case {
  private static let cold = Arm(target: "perl", state: .reinstallCold)

  static let outcomes = [
    Self(
      text: """
        error: none of 3 launches became ready (2 exited, 1 timed-out); the last one timed out
            it printed nothing
          at: perl, warm
          help: raise `timeout`, or check `ready`; a program that buffers its output needs `tty: true`
        """
    ) {
      $0.add([0, 0], outcome: .exited(code: 2))
      $0.add([0], outcome: .timedOut)
    },
    Self(
      text: """
        error: not launched: the run ended first
          at: perl, warm
          help: run again
        """
    ) { _ in },
    Self(
      text: """
        warning: 1 of 51 launches did not become ready (1 signalled); the numbers are of the \
        others
          at: perl, warm
          help: see the output of the failed launches with `launchlab export`
        """
    ) {
      $0.add(steadyTimes(50))
      $0.add([0], outcome: .signalled(signal: 11))
    },
  ]

  static let states = [
    Self(
      text: """
        warning: 50 of 50 launches did not reach reinstall-cold, and the numbers are of launches in \
        another state: pages of /usr/bin/perl stayed (mapped by pid 7)
          at: perl, reinstall-cold
          help: stop the processes that use the files, or measure another state
        """,
      arm: cold
    ) {
      let reason = "pages of /usr/bin/perl stayed (mapped by pid 7)"
      $0.add(steadyTimes(50), state: .notReached(reason: reason))
    },
    Self(
      text: """
        warning: 2 of 52 launches did not reach warm, and are excluded: the launch had major faults
          at: perl, warm
          help: free memory, or measure another state
        """
    ) {
      $0.add(steadyTimes(50))
      $0.add([9_000, 9_000], state: .notReached(reason: "the launch had major faults"))
    },
    Self(
      text: """
        warning: unverified: whether 50 of 50 launches reached reinstall-cold: cannot read what is in \
        memory
          at: perl, reinstall-cold
          help: run as root, to see what is in memory
        """,
      arm: cold
    ) { $0.add(steadyTimes(50), state: .notVerified(reason: "cannot read what is in memory")) },
  ]

  static let times = [
    Self(
      text: """
        warning: 4 launch times are too few for an interval of the median
          at: perl, warm
          help: measure at least 5 launches, better 20: `--launches 20`
        """
    ) { $0.add([1_000, 1_010, 1_020, 1_005]) },
    Self(
      text: """
        warning: bimodal: 60 % near 1.20 ms, 40 % near 1.89 ms; something differs from launch to launch, \
        such as the core, its frequency, or a cache that is hit or not
          at: perl, warm
          help: judge each mode by itself; `launchlab explain --slow` says why one is slower
        """
    ) { builder in
      builder.add(
        (0..<50).map { ($0 * 7 % 10 < 6 ? 1_200 : 1_900) + ($0 * 13 % 17 - 8) * 4 }
      )
    },
    Self(
      text: """
        warning: launches slowed by 9.3 % (98.0 µs) during the run; the machine may have heated \
        up, or other work on it or what the target stores may have changed
          at: perl, warm
          help: run again on an idle machine, and compare only arms of the same run
        """
    ) { $0.add((0..<50).map { 1_000 + 2 * $0 }) },
    Self(
      text: """
        warning: the first launch took 3.10 ms, 3.10 times the median of the others: something was \
        probably colder, or it is chance
          at: perl, warm
          help: use the median, and run again to see whether it recurs
        note: 1 of 51 launches is an outlier (1 slow, 0 fast), due to other work on the machine or \
        to the program; none was dropped
          at: perl, warm
          help: use the median and its interval rather than the mean
        warning: noisy: perl warm at 28 % CV
          help: stop other work (see `top`), or measure more launches
        """
    ) { $0.add([3_100] + steadyTimes(50)) },
    Self(
      text: """
        note: readiness is polled: times are up to 20.0 µs too long, 2.0 % of the median
          at: perl, warm
          help: use a condition that is not polled, such as `exit`, `stdout` or `notify`
        """
    ) { $0.add(steadyTimes(50), resolution: Nanoseconds(20_000)) },
    Self(
      text: """
        warning: readiness is polled: times are up to 250 µs too long, 25 % of the median; too coarse for so short a launch
          at: perl, warm
          help: use a condition that is not polled, such as `exit`, `stdout` or `notify`
        """
    ) { $0.add(steadyTimes(50), resolution: Nanoseconds(250_000)) },
  ]

  static let others = [
    Self(
      text: """
        warning: in 50 of 50 launches the executable was not the same file as in the first launch: the \
        numbers are of different programs
          at: perl, warm
          help: run again without building or updating the target
        warning: in 50 of 50 launches an output pipe was full, so the target may have been blocked; \
        it writes very much
          at: perl, warm
          help: make the target write less, or send its output to a file
        warning: in 50 of 50 launches leftover processes were killed, so later launches may have \
        found work half done; the target starts children that it does not wait for
          at: perl, warm
          help: wait for what the children do with a readiness condition other than `exit`
        warning: in 50 of 50 launches the target was stopped before the condition of `stop: {when}` \
        held, so it may not have been ready to stop
          at: perl, warm
          help: correct the condition, or raise `timeout`, which also limits this wait
        warning: in 50 of 50 launches the target did not stop within its grace time and was killed, so \
        it may not have saved its state
          at: perl, warm
          help: set `stop: {signal, grace}` to what the target needs, or try `stop: {after: 200ms}`
        warning: in 50 of 50 launches the target was killed in the launch before and may have had to \
        recover; launches that then stopped by themselves are excluded
          at: perl, warm
          help: let it stop by itself with `stop: {grace, after}`, or set `stop: {signal: KILL}` if \
        it can only be killed
        warning: in 50 of 50 launches more threads than processors were runnable; with `scheduling: \
        fifo` a thread runs until it waits, so others of the target may have \
        waited for it
          at: perl, warm
          help: leave `scheduling` out for this target, or give it more processors with `cpus`
        """
    ) { $0.add(steadyTimes(50), flags: LaunchFlag.allCases) },
    Self(
      text: "",
      arm: cold,
      host: HostFacts(
        architecture: "x86_64",
        kernel: "6.18",
        proactiveReclaim: "DAMON pageout",
        virtualization: "kvm",
        fingerprint: "f"
      )
    ) { $0.add(steadyTimes(50)) },
  ]
}
