@testable import LaunchCore

/// Stored launches of `SampleRun.troubled`, one of each kind that an export must tell apart.
enum SampleLaunches {
  static let all = [ready, exited, killed, lost]

  private static let ready = LaunchRecord(
    block: 0,
    position: 1,
    arm: 0,
    startedAt: .milliseconds(31),
    preparation: Preparation(
      duration: .milliseconds(21),
      residency: [
        FileResidency(path: "/usr/bin/perl", isOwn: true, residentPages: 0, totalPages: 928),
        FileResidency(
          path: "/lib/libc.so.6",
          isOwn: false,
          residentPages: 467,
          totalPages: 467,
          pinnedBy: "mapped by pid 1 and 41 others"
        ),
      ]
    ),
    result: LaunchResult(
      outcome: .ready,
      launch: Nanoseconds(17_710_345),
      spawn: Nanoseconds(84_000),
      figures: Figures(
        peakRSS: 5_242_880,
        minorFaults: 402,
        majorFaults: 57,
        userTime: Nanoseconds(1_200_000),
        systemTime: Nanoseconds(3_400_000),
        counters: ["page-faults": 459, "instructions": 12_345_678],
        missing: ["bytes_read": "permission denied"]
      ),
      flags: [.outputBlocked, .replaced],
      output: CapturedOutput(stdout: CapturedStream(head: Array("hello\n".utf8), totalBytes: 6))
    ),
    stateReached: .reached
  )

  private static let exited = LaunchRecord(
    block: 0,
    position: 2,
    arm: 2,
    startedAt: .milliseconds(62),
    preparation: Preparation(
      warmUps: 2,
      settling: Settling(waited: .seconds(30), obstacle: "load 2.50 (limit 1.5), cpu idle 12 %")
    ),
    result: LaunchResult(
      outcome: .exited(code: 3),
      output: CapturedOutput(
        stderr: CapturedStream(head: [0x6E, 0x6F, 0xFF, 0x1B, 0x0A], totalBytes: 5)
      ),
      disturbances: [
        Disturbance(kind: .steal, amount: 400_000, limit: 52_000),
        Disturbance(kind: .swapIn, amount: 3, limit: 0),
      ]
    ),
    stateReached: .notReached(reason: "said \"no\", twice\nand left")
  )

  private static let killed = LaunchRecord(
    block: 1,
    position: 0,
    arm: 3,
    startedAt: .milliseconds(90),
    preparation: Preparation(settling: Settling(waited: .milliseconds(20))),
    result: LaunchResult(outcome: .signalled(signal: 11)),
    stateReached: .notVerified(reason: "mincore needs root")
  )

  private static let lost = LaunchRecord(
    block: 1,
    position: 1,
    arm: 99,
    startedAt: .milliseconds(95),
    preparation: Preparation(),
    result: LaunchResult(outcome: .notStarted(reason: "exec: no such file")),
    stateReached: .reached
  )
}
