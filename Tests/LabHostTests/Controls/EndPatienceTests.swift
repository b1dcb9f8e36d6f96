import Testing

@testable import LaunchHost

/// How long a signal may take to be heeded.
@Suite struct EndPatienceTests {
  private typealias Sight = EndPatience.Sight

  /// What is decided on one sight after the other.
  private func reasons(_ sights: [Sight]) -> [EndPatience.Reason?] {
    var patience = EndPatience()
    return sights.map { patience.reason(toEndAfter: $0) }
  }

  @Test func `a second signal ends at once, but not one of the same moment`() {
    let sights = [
      Sight(cpu: 0, now: 0), Sight(signals: 1, cpu: 0, now: 50),
      Sight(signals: 1, isHeeded: true, cpu: 0, now: 300),
    ]
    #expect(reasons(sights) == [nil, nil, .again])
  }

  @Test func `a computation that does not look up is ended`() {
    let sights = [Sight(cpu: 100, now: 0), Sight(cpu: 750, now: 700), Sight(cpu: 800, now: 9_000)]
    #expect(reasons(sights) == [nil, nil, .unheeded])
  }

  @Test func `threads that only wait for others are ended`() {
    let sights = [
      Sight(isIdle: true, cpu: 0, now: 0), Sight(isIdle: true, cpu: 0, now: 850),
      Sight(isIdle: false, cpu: 0, now: 900), Sight(isIdle: true, cpu: 0, now: 1_000),
      Sight(isIdle: true, cpu: 0, now: 1_900),
    ]
    #expect(reasons(sights) == [nil, nil, nil, nil, .unheeded])
  }

  @Test func `a process that gets no processor is left alone`() {
    #expect(reasons([Sight(cpu: 0, now: 0), Sight(cpu: 100, now: 60_000)]) == [nil, nil])
  }

  @Test func `an orderly end has its time, but not for ever`() {
    let heeded = [0, 5_000, 19_000, 20_000].map { Sight(isHeeded: true, cpu: 0, now: $0) }
    #expect(reasons(heeded) == [nil, nil, nil, .unheeded])
    let computing = [0, 2_900, 3_000].map { Sight(isHeeded: true, cpu: $0, now: $0) }
    #expect(reasons(computing) == [nil, nil, .unheeded])
  }
}
