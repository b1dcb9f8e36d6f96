import Foundation
import Testing

@testable import LaunchCore
@testable import LaunchHost

struct SpawnerFiguresTests {
  @Test func `reports a small empty program while this process is large`() throws {
    let bench = try LaunchBench()
    let ballast = [UInt8](repeating: 1, count: 200 << 20)
    let program = try EmbeddedHelper.empty.unpacked()
    let result = try bench.spawner.launch(bench.request([program]))
    #expect(try #require(result.figures.peakRSS) < 2 << 20)
    #expect(ballast[ballast.count / 2] == 1)
  }

  @Test func `reports the empty program alike before and after a flood`() throws {
    let bench = try LaunchBench()
    let request = try bench.request([EmbeddedHelper.empty.unpacked()])
    let before = try #require(try bench.spawner.launch(request).figures.peakRSS)
    _ = try bench.perl("print q(x) x 10000000; print STDERR q(x) x 10000000")
    let after = try #require(try bench.spawner.launch(request).figures.peakRSS)
    #expect(after - before <= 128 << 10)
  }

  @Test func `reports the empty program alike before and after many records of faults`() throws {
    let bench = try LaunchBench()
    let request = try bench.request([EmbeddedHelper.empty.unpacked()])
    let before = try #require(try bench.spawner.launch(request).figures.peakRSS)
    _ = try bench.mapping(5_000)
    let after = try #require(try bench.spawner.launch(request).figures.peakRSS)
    #expect(after - before <= 128 << 10)
  }

  @Test func `reports what a server used when it was ready`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "$n = 20000000; $SIG{TERM} = sub { $b = q(x) x (7 * $n); exit }; $a = q(x) x $n; $|=1; print 1;"
        + "sleep 60",
      ready: .output(stream: .stdout, pattern: "1")
    )
    let peak = try #require(result.figures.peakRSS)
    #expect(peak > 20_000_000 && peak < 100_000_000)
    #expect(result.figures.peakRSSTree == peak)
    #expect(try #require(result.figures.minorFaults) > 1_000)
    let times = try #require(result.figures.userTime) + #require(result.figures.systemTime)
    #expect(times > .zero)
    #expect(result.figures.missing == [:])
  }

  /// Starts perl, which uses 40 MB, waits for it if it is to, and prints `done`.
  private func starting(_ perl: String, waits: Bool) -> [String] {
    let source = "$a = q(x) x 40000000; $| = 1; print q(up); \(waits ? "" : "sleep 60")"
    return [
      "/bin/sh", "-c", "\(perl) -e '\(source)' \(waits ? "" : "& wait"); /bin/true; echo done",
    ]
  }

  @Test func `reports the chosen program in place of its launcher while it lives`() throws {
    let bench = try LaunchBench()
    func peak(_ name: String?) throws -> Int64? {
      let request = try bench.request(
        starting("/usr/bin/perl", waits: false),
        ready: .output(stream: .stdout, pattern: "up"),
        chosen: name.map { ChosenProgram(name: $0) }
      )
      return try bench.spawner.launch(request).figures.peakRSS
    }
    #expect(try #require(try peak(nil)) < 20_000_000)
    #expect(try #require(try peak("perl")) > 40_000_000)
    #expect(try peak("true") == nil)
  }

  @Test(.enabled(if: TestMachine.isRoot, "the kernel tells root of processes that have ended"))
  func `reports the chosen program after it has ended`() throws {
    let bench = try LaunchBench()
    func figures(_ chosen: ChosenProgram?) throws -> Figures {
      let request = try bench.request(starting("/usr/bin/perl", waits: true), chosen: chosen)
      return try bench.spawner.launch(request).figures
    }
    let found = try figures(ChosenProgram(name: "perl"))
    let tree = try #require(found.peakRSSTree)
    #expect(found.peakRSS == tree && tree > 40_000_000)
    // By its file, whatever it is called.
    #expect(try figures(ChosenProgram(name: "x", file: "/usr/bin/perl")).peakRSS ?? 0 > 40_000_000)
    let small = try #require(try figures(ChosenProgram(name: "true")).peakRSS)
    #expect(small < 10_000_000)
    let none = try figures(ChosenProgram(name: "linker"))
    #expect(none.peakRSS == nil)
    #expect(none.missing == ["peak_rss": "no process of the launch was seen to run linker"])
  }

  @Test func `counts the switches of every thread`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "use threads; $|=1; threads->create(sub { select undef,undef,undef,.0001 for 1..200;"
        + "print 1; sleep 60 })->join",
      ready: .output(stream: .stdout, pattern: "1")
    )
    #expect(try #require(result.figures.voluntarySwitches) >= 200)
  }

  @Test func `adds up the processes of a tree`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "$n = 40000000; if (!fork) { $a = q(x) x $n; $|=1; print 1; sleep 60 } sleep 60",
      ready: .output(stream: .stdout, pattern: "1")
    )
    let tree = try #require(result.figures.peakRSSTree)
    #expect(tree > 40_000_000)
    #expect(try #require(result.figures.peakRSS) < 40_000_000)
  }

  @Test func `counts what an orphan used before the end`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      // It waits until the spawner has buried the orphan, which no signal reaches from then on.
      "$n = 40000000; pipe my $r, my $w;"
        + "if (!fork) { if (!fork) { $a = q(x) x $n; syswrite $w, $$; exit } exit } "
        + "close $w; wait; sysread $r, my $orphan, 20;"
        + "select undef,undef,undef,.001 while kill 0, $orphan"
    )
    #expect(try #require(result.figures.peakRSSTree) > 40_000_000)
  }

  @Test func `counts events of the kernel, and says which the machine lacks`() throws {
    let bench = try LaunchBench()
    let names = CounterEvent.allCases.map(\.rawValue)
    let result = try bench.perl("1", counters: names)
    #expect(result.outcome == .ready)
    for name in names {
      #expect((result.figures.counters[name] == nil) == (result.figures.missing[name] != nil))
    }
    guard let faults = result.figures.counters["page-faults"] else { return }
    let second = try bench.perl("1", counters: ["page-faults"]).figures.counters["page-faults"]
    #expect(faults > 100)
    #expect(try #require(second) > 100)
  }
}
