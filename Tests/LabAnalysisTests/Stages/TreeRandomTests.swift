import Testing

@testable import LaunchCore
@testable import Stages

/// Events that no program would make must not break the sums.
@Suite struct TreeRandomTests {
  @Test(arguments: 0..<400)
  func `the parts of any launch sum to it and none is negative`(seed: Int) {
    let events = randomEvents(seed: UInt64(seed))
    for ready in [nil, 0, 500, 1_200] as [Int64?] {
      for process in [Int32?.none, 101, 102] {
        var observed = events
        observed.readyProcess = process
        let stages = StageTree.stages(of: observed.observation(ready: ready))
        #expect(stages.launch.duration == ready.map(TreeEvents.us))
        expectSums(stages.launch)
        for program in stages.others { program.stages.forEach(expectSums) }
        expectSums(stages.folded(minimumShare: 0.05).launch)
      }
    }
  }

  /// The parts of a stage sum to it; a library's initializers do so too, and the loader has the rest.
  private func expectSums(_ stage: Stage) {
    if let duration = stage.duration { #expect(duration >= .zero, "\(stage.name)") }
    let parts = stage.children.filter { $0.kind == .part }
    if let duration = stage.duration, !parts.isEmpty {
      let sum = parts.reduce(Nanoseconds.zero) { $0 + ($1.duration ?? .zero) }
      #expect(sum == duration, "\(stage.name)")
    }
    stage.children.forEach(expectSums)
  }

  private func randomEvents(seed: UInt64) -> TreeEvents {
    var generator = SplitMix64(seed: seed)
    var events = TreeEvents(collector: seed.isMultiple(of: 4) ? .breakpoints : .probe)
    let kinds = LaunchEvent.Kind.allCases
    let common: [LaunchEvent.Kind] = [.initializer, .initializer, .interval, .objectOpened]
    for _ in 0..<generator.next(below: 120) {
      let number = generator.next(below: kinds.count + common.count * 4)
      let kind = number < kinds.count ? kinds[number] : common[number % common.count]
      let time = Int64(generator.next(below: 1_000)) - 10
      let end = time + Int64(generator.next(below: 200)) - 20
      events.add(
        kind,
        at: time,
        until: generator.next(below: 4) == 0 ? nil : end,
        pid: Int32(100 + generator.next(below: 3)),
        address: generator.next(),
        object: UInt32(generator.next(below: 4)),
        "/lib/\(generator.next(below: 5))"
      )
    }
    return events
  }
}
