import Testing

@testable import LaunchCore
@testable import Scenarios

/// Broken texts of all kinds end in a scenario or in errors with places, never in a crash.
struct ScenarioFuzzTests {
  @Test(arguments: 0..<8)
  func `answers every mutated text with a scenario or with places`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var unplaced: [String] = []
    for _ in 0..<250 {
      let text = mutated(&generator)
      do throws(ScenarioError) {
        _ = try ScenarioFile.load(text: text, path: "s.yml")
      } catch {
        let isPlaced = error.diagnostics.allSatisfy { $0.place?.wholeMatch(of: place) != nil }
        let isComplete = error.diagnostics.allSatisfy {
          !$0.problem.isEmpty && !$0.problem.contains("\n") && $0.remedy?.isEmpty == false
        }
        if error.diagnostics.isEmpty || !isPlaced || !isComplete { unplaced.append(text) }
      }
    }
    #expect(unplaced.isEmpty)
  }

  private var place: Regex<Substring> { /s\.yml:[1-9][0-9]*:[1-9][0-9]*/ }

  private static let seed = """
    scenario: redis
    source: {repository: ., build: make -j2}
    targets:
      server: &server
        command: [src/redis-server, --port, "7379"]
        ready: {tcp: 127.0.0.1:7379}
        stop: {signal: TERM, grace: 2s}
        timeout: 10s
        env: {MALLOC_ARENA_MAX: "1"}
        files: [redis.conf]
        state: [a, {path: b, template: c}]
        counters: [cycles]
      other: *server
    states: [reboot-cold, first-run, warm]
    launches: {min: 20, max: 200, precision: 1%}
    controls: {cpus: [1, 2-5], settle: {cpu_idle: 90%, load: 1.5, temperature: 70C, within: 30s},
      priority: {policy: fifo, level: 10}, swap: off, thp: never, network: none, services: [cron],
      steal: {stolen: 2%, share: 25%}, require: [cpus, steal], suppress: [vm]}
    stages: {collect: [probe], launches: 5}
    baseline: {empty: true, control: {revision: v1.0, target: server}}
    regression: {effect: 2%, confidence: 95%, floor: 1ms, metrics: [launch], nights: 28, proof: 160, hosts: 2}
    budgets: [{target: server, state: warm, metric: launch, max: 60ms}]
    notify: [{command: [./a]}, {webhook: $HOOK}, {email: a@b.c}, {github: summary}]
    releases: {v1: 2026-10-01, v2: 20261121T043000Z-3fa2, v3: abcdef0}
    artifacts: 2GiB
    """

  private static let pieces =
    [
      "\n", "\t", " ", ":", ": ", "- ", "? ", "[", "]", "{", "}", ",", "\"", "'", "|", ">", "&a ",
      "*a", "*server", "!!str ", "!x ", "#", "%", "@", "`", "~", "null", "on", "0", "-1", "1e9",
      "-", "off",
      "<<", "---\n", "...\n", "\\", "\0", "\u{E9}", "\u{FEFF}", "\u{2028}", "\u{85}", "\r", "\r\n",
      "\u{1F600}", "\u{E000}", "/", "~/", "..", "targets: {}\n", "scenario: s\n", "  ",
    ]

  private func mutated(_ generator: inout SplitMix64) -> String {
    var scalars = Array(Self.seed.unicodeScalars)
    for _ in 0...generator.next(below: 4) {
      let start = generator.next(below: scalars.count)
      let end = min(scalars.count, start + generator.next(below: 12))
      let piece = Array(Self.pieces[generator.next(below: Self.pieces.count)].unicodeScalars)
      switch generator.next(below: 4) {
      case 0: scalars.insert(contentsOf: piece, at: start)
      case 1: scalars.replaceSubrange(start..<end, with: piece)
      case 2: scalars.insert(contentsOf: Array(scalars[start..<end]), at: end)
      default: scalars.removeSubrange(start..<end)
      }
      if scalars.isEmpty { scalars = ["a"] }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
