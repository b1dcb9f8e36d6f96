import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct NoiseTests {
  @Test func `gives back the noise of every host, the newest first`() throws {
    let store = try store(runs: "a", "b")
    let old = [Sample.noise(.rebootCold, run: "a"), Sample.noise(.warm, run: "a")]
    let new = Sample.noise(run: "b", fingerprint: "decaf", secondsLater: 60)
    try store.saveNoise(old.reversed())
    try store.saveNoise([new])
    #expect(try store.noise() == [new] + old)
  }

  @Test func `gives the newest of each state and command of a host`() throws {
    // Given a host that was looked at three times, and another one
    let store = try store(runs: "a", "b", "c", "d")
    let old = [Sample.noise(.reinstallCold, run: "a"), Sample.noise(.warm, run: "a")]
    let other = Sample.noise(run: "b", command: ["/bin/false"], secondsLater: 1)
    let new = Sample.noise(.warm, run: "c", secondsLater: 2)
    let foreign = Sample.noise(.warm, run: "d", fingerprint: "decaf", secondsLater: 3)
    try store.saveNoise(old + [other, new, foreign])

    // When its noise is asked for
    let noise = try store.noise(fingerprint: "c0ffee")

    // Then what a later run measured anew is left out
    #expect(noise == [new, other, old[0]])
    #expect(try store.noise(fingerprint: "unknown").isEmpty)
  }

  @Test func `takes the place of what the same run said before`() throws {
    let store = try store(runs: "a")
    var noise = Sample.noise(run: "a")
    try store.saveNoise([noise, Sample.noise(.firstRun, run: "a")])
    noise.detectable = []
    noise.falseAlarms = 0
    try store.saveNoise([noise])
    #expect(try store.noise() == [Sample.noise(.firstRun, run: "a"), noise])
  }

  @Test func `refuses noise of a run that is not stored, and keeps what there was`() throws {
    let store = try store(runs: "a")
    try store.saveNoise([Sample.noise(run: "a")])
    var changed = Sample.noise(run: "a")
    changed.falseAlarms = 0
    #expect(throws: StoreError.unknownRun(text: "b")) {
      try store.saveNoise([changed, Sample.noise(run: "b")])
    }
    #expect(try store.noise() == [Sample.noise(run: "a")])
  }

  @Test func `refuses noise that is no number`() throws {
    let store = try store(runs: "a")
    var noise = Sample.noise(run: "a")
    noise.coefficientOfVariation = .nan
    #expect(throws: StoreError.self) { try store.saveNoise([noise]) }
  }

  private func store(runs: String...) throws -> Store {
    let store = try Store.inMemory()
    for run in runs { try store.fill(Sample.run(run), with: []) }
    return store
  }
}
