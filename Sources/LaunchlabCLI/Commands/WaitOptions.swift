import ArgumentParser
import LabModel
import LabWorkflows

/// How long a command waits while another lab is at work.
struct WaitOptions: ParsableArguments {
  @Option(
    help: .init(
      "Wait up to this long, such as 30m, for another lab to finish.",
      valueName: "duration"
    )
  )
  var wait: String?

  /// Does something that has labs, each of which waits for its turn where that is asked for.
  func patiently<Result>(
    on console: Console,
    _ body: () async throws -> Result
  ) async throws -> Result {
    guard let patience = try patience(on: console) else { return try await body() }
    return try await LabPatience.$current.withValue(patience) { try await body() }
  }

  /// Does something that has a lab, without suspending.
  func patiently<Result>(on console: Console, _ body: () throws -> Result) throws -> Result {
    guard let patience = try patience(on: console) else { return try body() }
    return try LabPatience.$current.withValue(patience) { try body() }
  }

  private func patience(on console: Console) throws -> LabPatience? {
    guard let wait else { return nil }
    return try LabPatience(wait) { LabWaiting(console: console).show($0) }
  }
}

/// Shows that another lab is waited for: a note, and on a terminal how long.
struct LabWaiting {
  let console: Console

  func show(_ event: LabPatience.Event) {
    let terminal = console.stderr.isTerminal ? console.stderr : nil
    switch event {
    case .waiting(let limit, let reason):
      try? terminal?.redraw("")
      console.note("waiting up to \(limit): \(reason)")
    case .waited(let time, let limit):
      try? terminal?.redraw("waited \(time.count / 1_000_000_000) s of \(limit)")
    case .ended:
      try? terminal?.redraw("")
    }
  }
}
