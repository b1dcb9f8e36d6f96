import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// `kill -9` of a run that holds the machine with every control.
  @Suite(.enabled(if: Machine.isRoot, "changing the machine takes root"), .machineKnobs)
  struct ControlKillTests {
    /// How often a run is killed.
    private static let kills = 50

    @Test func `sets everything back that a killed run had changed`() async throws {
      let lab = Launchlab()
      try lab.writeControlled(launches: 3)
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let before = MachineState.now
      // The first run makes more than the later ones, such as the store.
      var duration = Duration.seconds(60)
      for _ in 0..<3 {
        let beginning = ContinuousClock.now
        _ = try await lab.start(["run", "scenario.yml"]).finish()
        duration = min(duration, ContinuousClock.now - beginning)
      }
      var changed = 0
      for number in 0..<Self.kills {
        // Each kill has its own part of the run, and some come when it has ended.
        let part = (Double(number) + .random(in: 0..<1)) / Double(Self.kills)
        let session = try lab.start(["run", "scenario.yml"])
        try await Task.sleep(for: duration * (1.1 * part))
        session.killHard(withSpawner: number.isMultiple(of: 3))
        if MachineState.now.knobs != before.knobs { changed += 1 }
        _ = try await session.finish()

        let restoration = try await lab.start(["restore"]).finish()

        #expect(restoration.status == 0, "kill \(number): \(restoration.stderr)")
        #expect(MachineState.now == before, "kill \(number): \(restoration.stdout)")
        #expect(try await session.isClean, "kill \(number): \(restoration.stdout)")
        #expect(!lab.hasJournal, "kill \(number)")
      }
      #expect(changed > 0, "no kill hit a run that had changed anything")
    }

    @Test(.enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"))
    func `ends what a killed run without a cgroup has launched`() async throws {
      let lab = try Launchlab.asNobody()
      try lab.writeControlled(states: "warm", launches: 10_000)
      let before = MachineState.now
      for number in 1...8 {
        let launches = lab.lineCount(of: "tally")
        let session = try lab.start(["run", "scenario.yml"])
        try #require(try await eventually { lab.lineCount(of: "tally") >= launches + number })
        session.killHard(withSpawner: !number.isMultiple(of: 3))
        _ = try await session.finish()

        let restoration = try await lab.start(["restore"]).finish()

        #expect(restoration.status == 0, "kill \(number): \(restoration.stderr)")
        #expect(try await session.isClean, "kill \(number): \(restoration.stdout)")
        #expect(!lab.hasJournal, "kill \(number)")
      }
      #expect(MachineState.now == before)
    }

    @Test func `lets the next run set back what a killed one had changed`() async throws {
      let lab = Launchlab()
      try lab.writeControlled(launches: 10_000)
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let before = MachineState.now
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") > 0 })
      #expect(MachineState.now.knobs != before.knobs)
      session.killHard(withSpawner: false)
      _ = try await session.finish()

      let next = try await lab.run("measure", "--launches", "3", "--", "/bin/true")

      #expect(next.status == 0)
      #expect(next.stderr.contains("swappiness"))
      #expect(try await eventually { MachineState.now == before })
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `sets everything back when it is interrupted`(signal: Int32) async throws {
      let lab = Launchlab()
      try lab.writeControlled(launches: 10_000)
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let before = MachineState.now
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") > 0 })

      session.send(signal)
      let output = try await session.finish()

      #expect(output.status == 130)
      #expect(MachineState.now == before)
      #expect(session.leftovers == [])
    }

    @Test func `sets everything back when nobody reads what it says`() async throws {
      let lab = Launchlab()
      try lab.writeControlled()
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let before = MachineState.now

      let session = try lab.startUnread(["run", "scenario.yml"])
      _ = try await session.finish()

      #expect(try await lab.runs().map(\.status) == ["complete"])
      #expect(MachineState.now == before)
    }

    @Test func `leaves and reports a value that someone else has set meanwhile`() async throws {
      let lab = Launchlab()
      try lab.writeControlled(launches: 10_000)
      let unusual = try UnusualKnobs()
      defer { unusual.putBack() }
      let session = try lab.start(["run", "scenario.yml"])
      try #require(try await eventually { lab.lineCount(of: "tally") > 0 })
      try MachineState.set("/proc/sys/vm/swappiness", to: "55")

      session.send(SIGINT)
      let output = try await session.finish()

      #expect(MachineState.text(at: "/proc/sys/vm/swappiness") == "55")
      #expect(output.stderr.contains("warning"))
      #expect(output.stderr.contains("55"))
    }
  }
}

extension Launchlab {
  /// Whether a change is written down that is not undone.
  fileprivate var hasJournal: Bool {
    names(in: stateDirectory).contains { $0.hasPrefix("journal-") }
  }
}

/// Values that no default is, so that restoring a default would be noticed.
private struct UnusualKnobs {
  private let first = MachineState.now.knobs

  init() throws {
    do {
      try MachineState.set("/proc/sys/vm/swappiness", to: "37")
      try MachineState.set("/proc/sys/kernel/randomize_va_space", to: "1")
      try MachineState.set("/sys/kernel/mm/transparent_hugepage/enabled", to: "always")
    } catch {
      putBack()
      throw error
    }
  }

  func putBack() {
    for (path, text) in first {
      let chosen = text.split(separator: " ").first { $0.hasPrefix("[") }
      let value = chosen.map { String($0.dropFirst().dropLast()) } ?? text
      try? MachineState.set(path, to: value)
    }
  }
}

extension Launchlab {
  /// Starts launchlab with both its outputs on a pipe that is closed already.
  fileprivate func startUnread(_ arguments: [String]) throws -> Session {
    var unread = self
    unread.wrapper = [
      "perl", "-e", "pipe R, W; close R; open STDERR, '>&W'; open STDOUT, '>&W'; exec @ARGV or die",
    ]
    return try unread.start(arguments)
  }
}

extension Session {
  /// Whether nothing is left of a killed launchlab, but for a child that the kill has caught between
  /// its fork and its program, and that ends by itself.
  fileprivate var isClean: Bool {
    get async throws { try await eventually { leftovers.isEmpty } }
  }
}
