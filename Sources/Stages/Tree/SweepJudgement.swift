package import LaunchCore

/// Decides whether a program does the same with the probe as without it.
package enum SweepJudgement {
  /// Compares runs of a program.
  ///
  /// A program that does not do the same in two runs without the probe is compared with what it
  /// prints but for the numbers in it: process ids, addresses and times.
  ///
  /// - Parameters:
  ///   - plain: Runs without the probe, at least one.
  ///   - probed: Runs with the probe, at least one.
  /// - Returns: The verdict, and the first thing that differs; nil for ``SweptProgram/Verdict/same``.
  package static func verdict(
    plain: [ProgramRun],
    probed: [ProgramRun]
  ) -> (verdict: SweptProgram.Verdict, difference: SweptProgram.Difference?) {
    let first = plain[0]
    guard let other = plain.first(where: { $0 != first }) else {
      guard let changed = probed.first(where: { $0 != first }) else { return (.same, nil) }
      return (.differsWithProbe, difference(first, changed))
    }
    let rough = roughly(first)
    let isRoughlySteady = plain.allSatisfy { roughly($0) == rough }
    if isRoughlySteady, let changed = probed.first(where: { roughly($0) != rough }) {
      return (.differsWithProbe, difference(first, changed, isRough: true))
    }
    return (.differsByItself, difference(first, other))
  }

  /// The run without the numbers in what was printed.
  private static func roughly(_ run: ProgramRun) -> ProgramRun {
    var rough = run
    rough.stdout = roughly(run.stdout)
    rough.stderr = roughly(run.stderr)
    return rough
  }

  private static func roughly(_ stream: CapturedStream) -> CapturedStream {
    CapturedStream(head: withoutNumbers(stream.head), tail: withoutNumbers(stream.tail))
  }

  /// The text with `0` for each run of hexadecimal digits that has a decimal one.
  private static func withoutNumbers(_ bytes: [UInt8]) -> [UInt8] {
    var rough: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let end = bytes[index...].firstIndex { !isHexadecimal($0) } ?? bytes.count
      let digits = bytes[index..<end]
      rough += digits.contains(where: Ascii.isDigit) ? [Ascii.zero] : Array(digits)
      if end < bytes.count { rough.append(bytes[end]) }
      index = end + 1
    }
    return rough
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    Ascii.isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6
  }

  // MARK: - The first difference

  private static func difference(
    _ plain: ProgramRun,
    _ other: ProgramRun,
    isRough: Bool = false
  ) -> SweptProgram.Difference {
    if plain.outcome != other.outcome {
      return SweptProgram.Difference(
        place: "end",
        plain: ending(plain.outcome),
        other: ending(other.outcome)
      )
    }
    return difference(plain.stderr, other.stderr, in: "stderr", isRough)
      ?? difference(plain.stdout, other.stdout, in: "stdout", isRough)
      ?? SweptProgram.Difference(
        place: "length of stdout and stderr",
        plain: "\(plain.stdout.totalBytes) and \(plain.stderr.totalBytes) bytes",
        other: "\(other.stdout.totalBytes) and \(other.stderr.totalBytes) bytes"
      )
  }

  private static func difference(
    _ plain: CapturedStream,
    _ other: CapturedStream,
    in name: String,
    _ isRough: Bool
  ) -> SweptProgram.Difference? {
    let (ours, theirs) = (lines(plain), lines(other))
    for index in 0..<max(ours.count, theirs.count) {
      let (line, changed) = (ours.dropFirst(index).first, theirs.dropFirst(index).first)
      let isSame =
        isRough
        ? line.map(withoutNumbers) == changed.map(withoutNumbers) : line == changed
      guard !isSame else { continue }
      return SweptProgram.Difference(
        place: "\(name), line \(index + 1)",
        plain: line.map { String(decoding: $0, as: UTF8.self) },
        other: changed.map { String(decoding: $0, as: UTF8.self) }
      )
    }
    return nil
  }

  private static func lines(_ stream: CapturedStream) -> [[UInt8]] {
    (stream.head + stream.tail)
      .split(separator: Ascii.lineFeed, omittingEmptySubsequences: false).map(Array.init)
  }

  private static func ending(_ outcome: Outcome) -> String {
    switch outcome {
    case .ready: "exit status 0"
    case .exited(let code): "exit status \(code)"
    case .signalled(let signal): "signal \(signal)"
    case .timedOut: "did not end in time"
    case .notStarted(let reason): "not started: \(reason)"
    }
  }
}
