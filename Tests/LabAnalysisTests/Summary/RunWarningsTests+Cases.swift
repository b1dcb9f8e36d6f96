import LabModel

extension RunWarningsTests.Case {
  private static let cold = Arm(target: "perl", state: .reinstallCold)

  static let outcomes = [
    Self(
      text: """
        error: none of 3 launches became ready (2 exited, 1 timed-out); the command, its readiness \
        condition or its timeout is probably wrong
          at: perl, warm
          help: run the command by hand, and see its output with `launchlab export`
        """
    ) {
      $0.add([0, 0], outcome: .exited(code: 2))
      $0.add([0], outcome: .timedOut)
    },
    Self(
      text: """
        error: there is no launch, because the run ended before it
          at: perl, warm
          help: run again
        """
    ) { _ in },
    Self(
      text: """
        warning: 1 of 51 launches did not become ready (1 signalled), and the numbers are of the \
        others; the target fails now and then
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
        warning: 50 of 50 launches did not reach reinstall-cold, and the numbers are of launches \
        that were not reinstall-cold: pages of /usr/bin/perl stayed (mapped by pid 7)
          at: perl, reinstall-cold
          help: end the processes that keep the files in use, or measure another state
        """,
      arm: cold
    ) {
      let reason = "pages of /usr/bin/perl stayed (mapped by pid 7)"
      $0.add(steadyTimes(50), state: .notReached(reason: reason))
    },
    Self(
      text: """
        warning: 2 of 52 launches did not reach warm, and their numbers are left out: the launch had \
        major faults
          at: perl, warm
          help: free memory so that the target's pages can stay, or measure another state
        """
    ) {
      $0.add(steadyTimes(50))
      $0.add([9_000, 9_000], state: .notReached(reason: "the launch had major faults"))
    },
    Self(
      text: """
        warning: it is not known whether 50 of 50 launches reached reinstall-cold: cannot read what \
        is in memory
          at: perl, reinstall-cold
          help: run as root, so that launchlab can see what is in memory
        """,
      arm: cold
    ) { $0.add(steadyTimes(50), state: .notVerified(reason: "cannot read what is in memory")) },
  ]

  static let times = [
    Self(
      text: """
        warning: 4 launch times are too few for an interval of the median, so how far off it is \
        cannot be told
          at: perl, warm
          help: measure at least 5 launches, better 20, with `launches: 20` or `--launches 20`
        """
    ) { $0.add([1_000, 1_010, 1_020, 1_005]) },
    Self(
      text: """
        warning: the launches have two modes: 60 % near 1.20 ms, 40 % near 1.89 ms; something is \
        different from launch to launch, such as the core, its frequency, or a cache that is hit or \
        not
          at: perl, warm
          help: judge each mode by itself, and see with `launchlab export` what tells them apart
        """
    ) { builder in
      builder.add(
        (0..<50).map { ($0 * 7 % 10 < 6 ? 1_200 : 1_900) + ($0 * 13 % 17 - 8) * 4 }
      )
    },
    Self(
      text: """
        warning: from the first launch to the last they became 9.3 % slower, by 98.0 µs; the machine \
        may have heated up, or other work or what the target itself stores may have changed
          at: perl, warm
          help: run again once the machine is at rest, and compare arms within one run only
        """
    ) { $0.add((0..<50).map { 1_000 + 2 * $0 }) },
    Self(
      text: """
        warning: the first launch took 3.10 ms, 3.10 times the median of the others; something may \
        have been colder than before the others, or it may be chance
          at: perl, warm
          help: read the median, which it hardly moves, and run again to see whether it comes back
        warning: the standard deviation is 28 % of the mean; other work on the machine makes \
        launches scatter
          at: perl, warm
          help: stop other work, or measure more launches, and read the interval of the median
        note: 1 of 51 launches is an outlier (1 slow, 0 fast); other work on the machine is the usual \
        cause, and none was dropped
          at: perl, warm
          help: read the median and its interval, which outliers hardly move, not the mean
        """
    ) { $0.add([3_100] + steadyTimes(50)) },
    Self(
      text: """
        note: readiness is polled, so a time is commonly up to 20.0 µs too long, which is 2.0 % of the \
        median
          at: perl, warm
          help: use a condition that is awaited, such as `exit`, `stdout` or `notify`
        """
    ) { $0.add(steadyTimes(50), resolution: Nanoseconds(20_000)) },
    Self(
      text: """
        warning: readiness is polled, so a time is commonly up to 250 µs too long, which is 25 % of the \
        median; the launch is too short for this condition
          at: perl, warm
          help: use a condition that is awaited, such as `exit`, `stdout` or `notify`
        """
    ) { $0.add(steadyTimes(50), resolution: Nanoseconds(250_000)) },
  ]

  static let others = [
    Self(
      text: """
        warning: in 50 of 50 launches the executable was another file than in the first one, so the \
        numbers are of different programs; it was probably built or updated meanwhile
          at: perl, warm
          help: run again without building or updating the target
        warning: in 50 of 50 launches a pipe was full, so the target may have waited until its \
        output was read; it writes very much
          at: perl, warm
          help: make the target write less, or send its output to a file
        warning: in 50 of 50 launches processes were left behind and were killed, so later launches \
        may have found work half done; the target starts children that it does not wait for
          at: perl, warm
          help: wait for what the children do with a readiness condition other than `exit`
        warning: in 50 of 50 launches the target was stopped before what `stop: {when}` waits for had \
        come, so it may not have been ready to stop
          at: perl, warm
          help: correct the condition, or raise `timeout`, which it has to come within as well
        warning: in 50 of 50 launches the target did not stop in its grace time and was killed, so \
        it may not have stored its state; it stops slowly, ignores the signal, or was still \
        starting when it was sent
          at: perl, warm
          help: set `stop: {signal, grace}` to what the target needs, or try `stop: {after: 200ms}`
        warning: in 50 of 50 launches the target had been killed in its launch before, so it may \
        have had to recover; launches that then stopped by themselves are left out
          at: perl, warm
          help: let it stop by itself with `stop: {grace, after}`, or set `stop: {signal: KILL}` if \
        it can only be killed
        warning: in 50 of 50 launches more threads wanted to run than there were processors, and \
        with `scheduling: fifo` a thread runs until it waits, so others of the target may have \
        waited for it
          at: perl, warm
          help: leave `scheduling` out for this target, or give it more processors with `cpus`
        """
    ) { $0.add(steadyTimes(50), flags: LaunchFlag.allCases) },
    Self(
      text: """
        note: this machine drops idle pages from memory by itself (DAMON pageout), so that a warm \
        program grows cold while it rests
          help: compare these numbers only with others of this machine
        note: this machine is virtual (kvm), so its host may still hold the blocks that a cold \
        launch reads, and cold launches may look faster than on real storage
          help: compare cold numbers only with others of this machine
        """,
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
