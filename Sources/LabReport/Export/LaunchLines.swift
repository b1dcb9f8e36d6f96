package import LabModel

/// Stored launches as JSON lines: one object per launch, with everything that is known of it.
package struct LaunchLines {
  private let run: RunRecord

  package init(_ run: RunRecord) { self.run = run }

  /// One launch of the run as a line, with its line feed.
  package func line(for record: LaunchRecord) -> String {
    JSONText.line(.object(identity(record) + result(record.result) + evidence(record)))
  }

  private typealias Members = [(name: String, value: JSONValue)]

  private func identity(_ record: LaunchRecord) -> Members {
    let arm = run.plan.arms.indices.contains(record.arm) ? run.plan.arms[record.arm] : nil
    return [
      ("run", .string(run.id)), ("block", JSONValue(record.block)),
      ("position", JSONValue(record.position)), ("target", JSONValue(arm?.target)),
      ("state", JSONValue(arm?.state.rawValue)), ("kind", JSONValue(arm?.kind.rawValue)),
      ("started_ns", .integer(record.startedAt.count)),
    ]
  }

  private func result(_ result: LaunchResult) -> Members {
    let figures = result.figures
    let detail = OutcomeDetail(result.outcome)
    let metrics = Metric.stored.map { metric in
      (name: metric.exportName, value: JSONValue(result.value(of: metric)))
    }
    return [
      ("outcome", .string(result.outcome.name)), ("exit_code", JSONValue(detail.exitCode)),
      ("signal", JSONValue(detail.signal)), ("reason", JSONValue(detail.reason)),
    ] + metrics + [
      ("resolution_ns", .integer(result.resolution.count)),
      ("includes_waited_children", .bool(figures.includesWaitedChildren)),
      ("counters", JSONValue(figures.counters, JSONValue.integer)),
      ("missing", JSONValue(figures.missing, JSONValue.string)),
      ("flags", .array(result.flags.map { .string($0.rawValue) })),
      ("stdout", output(result.output.stdout, of: result)),
      ("stderr", output(result.output.stderr, of: result)),
    ]
  }

  private func evidence(_ record: LaunchRecord) -> Members {
    let preparation = record.preparation
    return [
      ("state_reached", .string(record.stateReached.name)),
      ("state_reason", JSONValue(record.stateReached.reason)),
      ("preparation_ns", .integer(preparation.duration.count)),
      ("warm_ups", JSONValue(preparation.warmUps)),
      ("waited_ns", JSONValue(preparation.settling?.waited.count)),
      ("unsettled", JSONValue(preparation.settling?.obstacle)),
      ("disturbed", .array(record.result.disturbances.map(disturbance))),
      ("residency", .array(preparation.residency.map(file))),
      ("stages", record.stages.map { LaunchStagesJSON($0).value } ?? nil),
    ]
  }

  /// What a launch printed that was not ready; null for one that was.
  private func output(_ stream: CapturedStream, of result: LaunchResult) -> JSONValue {
    guard result.outcome != .ready else { return nil }
    return [
      "head": .string(String(decoding: stream.head, as: UTF8.self)),
      "tail": .string(String(decoding: stream.tail, as: UTF8.self)),
      "total_bytes": .integer(stream.totalBytes),
    ]
  }

  private func disturbance(_ disturbance: Disturbance) -> JSONValue {
    [
      "kind": .string(disturbance.kind.rawValue),
      "amount": .integer(disturbance.amount),
      "limit": .integer(disturbance.limit),
    ]
  }

  private func file(_ file: FileResidency) -> JSONValue {
    [
      "path": .string(file.path),
      "is_own": .bool(file.isOwn),
      "resident_pages": JSONValue(file.residentPages),
      "total_pages": JSONValue(file.totalPages),
      "pinned_by": JSONValue(file.pinnedBy),
    ]
  }
}

/// The values of an outcome, each nil where the outcome has no such value.
struct OutcomeDetail {
  var exitCode: Int?
  var signal: Int?
  var reason: String?

  init(_ outcome: Outcome) {
    switch outcome {
    case .ready, .timedOut: break
    case .exited(let code): exitCode = Int(code)
    case .signalled(let number): signal = Int(number)
    case .notStarted(let text): reason = text
    }
  }
}

extension Metric {
  /// The name of the field or column of single values, with the unit where it is a time.
  var exportName: String { unit == .nanoseconds ? "\(rawValue)_ns" : rawValue }
}

extension StateReached {
  /// Why the state was not reached or not verified; nil when it was reached.
  var reason: String? {
    switch self {
    case .reached: nil
    case .notReached(let reason), .notVerified(let reason): reason
    }
  }
}
