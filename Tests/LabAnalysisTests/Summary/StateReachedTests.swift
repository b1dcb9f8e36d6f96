import Testing

@testable import LaunchCore
@testable import Measuring

@Suite struct StateReachedTests {
  private func file(_ path: String, own: Bool = true, resident: Int, of total: Int) -> FileResidency
  {
    FileResidency(
      path: path,
      isOwn: own,
      residentPages: resident,
      totalPages: total,
      pinnedBy: resident > 0 ? "mapped by pid 1" : nil
    )
  }

  private func cold(
    _ files: [FileResidency],
    readIn: ReadIn? = nil,
    share: Double? = nil
  ) -> StateReached {
    StateReached.judged(
      .reinstallCold,
      preparation: Preparation(residency: files),
      result: LaunchResult(outcome: .ready, readIn: readIn),
      coldShare: share
    )
  }

  @Test func `takes a launch for cold when nearly all of its own files were out of the cache`() {
    let files = [
      file("/opt/app", resident: 0, of: 960), file("/bin/sh", resident: 40, of: 40),
      file("/lib/libc.so.6", own: false, resident: 500, of: 500),
    ]
    #expect(cold(files) == .reached)
    #expect(
      cold(files, share: 0.97) == .notReached(reason: "pages of /bin/sh stayed (mapped by pid 1)")
    )
    #expect(cold(files, share: 0.96) == .reached)
  }

  @Test func `names the file that kept most pages`() {
    let files = [
      file("/opt/a", resident: 1, of: 10), file("/opt/b", resident: 2, of: 10),
    ]
    #expect(cold(files) == .notReached(reason: "pages of /opt/b stayed (mapped by pid 1)"))
  }

  @Test func `does not believe a launch that was read from nowhere`() {
    let files = [file("/opt/app", resident: 0, of: 10_000)]
    let mebibyte: Int64 = 1 << 20
    #expect(
      cold(files, readIn: ReadIn(ownBytes: 40 * mebibyte, machineBytes: 4 * mebibyte)) == .reached
    )
    #expect(
      cold(files, readIn: ReadIn(ownBytes: 45 * mebibyte, machineBytes: mebibyte / 50))
        == .notReached(
          reason: "45.0 MiB of its files came in, but the machine read only 0.0 MiB from storage: "
            + "something else holds them"
        )
    )
    // Too little to tell.
    #expect(cold(files, readIn: ReadIn(ownBytes: mebibyte - 1, machineBytes: 0)) == .reached)
  }

  @Test(arguments: [(0, 0, true), (500, 1, false), (18_700, 18, true), (18_700, 19, false)])
  func `allows a warm launch one major fault per 1,000 pages`(
    pages: Int,
    faults: Int64,
    isWarm: Bool
  ) {
    let judged = StateReached.judged(
      .warm,
      preparation: Preparation(residency: [file("/opt/app", resident: pages, of: pages)]),
      result: LaunchResult(outcome: .ready, figures: Figures(majorFaults: faults))
    )
    #expect(judged == (isWarm ? .reached : .notReached(reason: "the launch had major faults")))
  }

  @Test(arguments: [(8, 0, true), (9, 0, false), (1, 4_096, false)])
  func `allows a warm launch a few major faults that read nothing`(
    faults: Int64,
    bytes: Int64,
    isWarm: Bool
  ) {
    let judged = StateReached.judged(
      .warm,
      preparation: Preparation(),
      result: LaunchResult(
        outcome: .ready,
        figures: Figures(majorFaults: faults, bytesRead: bytes)
      )
    )
    #expect((judged == .reached) == isWarm)
  }
}
