import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// The files for Perfetto and speedscope.
  @Suite struct StagesExportTests {
    @Test func `reads what dyld printed after its total`() async throws {
      let lab = Launchlab()
      try lab.write(
        """
                 dylib loading time: 40.00 milliseconds (10.0%)
                rebase/binding time:  8.00 milliseconds (2.0%)
                    ObjC setup time:  12.00 milliseconds (3.0%)
                   initializer time: 340.00 milliseconds (85.0%)

        """,
        to: "app.log"
      )
      let output = try await lab.run("stages", "--parse", "app.log", "--json", "-")
      #expect(output.status == 0)
      #expect(output.stdout.contains(#""total_ns": null"#))
      #expect(output.stdout.contains(#""stage": "fixup""#))
      #expect(output.stderr.contains("missing:total"))
    }

    @Test func `lists every program of a launch with its time`() async throws {
      let lab = Launchlab()
      let script = "/usr/bin/env true; exec perl -e 0"
      for state in ["warm", "reboot-cold"] where state == "warm" || Machine.isRoot {
        let result = try await lab.stages(["--state", state], of: ["sh", "-c", script])
        let processes = try #require(result.blocks.first?.processes)
        let names = processes.map {
          ($0.isExecuted ? "" : "fork of ") + ($0.program.split(separator: "/").last ?? "")
        }
        #expect(names == ["dash", "fork of dash", "env", "true", "perl"])
        let total = try #require(result.blocks.first?.totalNs)
        #expect(processes[0].endNs == processes[4].startNs)
        #expect(processes[2].endNs == processes[3].startNs)
        #expect(processes[1].parent == processes[0].pid)
        #expect(processes.allSatisfy { $0.startNs >= 0 && $0.endNs ?? total >= $0.startNs })
        #expect(processes.allSatisfy { $0.endNs ?? 0 <= total })
      }
    }

    /// A collector with a target for it.
    struct Case: CustomTestStringConvertible, Sendable {
      let collector: String
      let command: [String]
      let frames: [String]
      var testDescription: String { collector }
    }

    @Test(arguments: [
      Case(
        collector: "probe",
        command: ["sh", "-c", "perl -e 0; exec perl -MPOSIX -e 0"],
        frames: ["launch", "exec", "load", "fixup", "init", "main_to_ready", "/usr/bin/dash"]
      ),
      Case(
        collector: "breakpoints",
        command: ["/usr/bin/perl", "-e", "0"],
        frames: ["launch", "exec", "load", "init", "main_to_ready"]
      ),
      Case(
        collector: "statistics",
        command: ["/usr/bin/perl", "-e", "0"],
        frames: ["launch", "fixup", "load", "loader_other"]
      ),
      Case(
        collector: "text",
        command: ["/usr/bin/python3", "-X", "importtime", "-c", "0"],
        frames: ["launch", "encodings", "site"]
      ),
    ]) func `writes a Chrome trace and a speedscope file`(form: Case) async throws {
      let lab = Launchlab()

      let result = try await lab.stages(
        [
          "--launches", "2", "--collect", form.collector, "--trace", "trace.json",
          "--speedscope", "scope.json",
        ],
        of: form.command
      )

      #expect(result.blocks.count == 2)
      let totals = result.blocks.compactMap(\.totalNs)
      let trace = try ChromeTraceFile(path: lab.path("trace.json"))
      trace.expectNesting()
      let launches = trace.slices.filter { $0.name == "launch" }
      #expect(launches.map(\.nanoseconds) == totals)
      #expect(Set(trace.slices.map(\.name)).isSuperset(of: form.frames))
      let scope = try SpeedscopeFile(path: lab.path("scope.json"))
      scope.expectBalance()
      #expect(scope.profiles.count >= 2)
      #expect(Set(scope.shared.frames.map(\.name)).isSuperset(of: form.frames))
      for total in totals { #expect(scope.profiles.contains { $0.endValue == total }) }
    }
  }
}

/// A file in the Trace Event Format, as far as launchlab writes it.
private struct ChromeTraceFile: Decodable {
  let traceEvents: [Event]

  struct Event: Decodable {
    let name: String
    let ph: String
    let pid: Int
    let tid: Int
    let ts: Double?
    let dur: Double?
    let cat: String?

    /// The duration, from microseconds with a fraction.
    var nanoseconds: Int64 { Int64(((dur ?? 0) * 1_000).rounded()) }
    var start: Int64 { Int64(((ts ?? 0) * 1_000).rounded()) }
    var end: Int64 { start + nanoseconds }
  }

  init(path: String) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    self = try JSONDecoder().decode(Self.self, from: data)
  }

  var slices: [Event] { traceEvents.filter { $0.ph == "X" } }

  /// Expects slices that nest on each track, and tracks and processes that have names.
  func expectNesting() {
    #expect(Set(traceEvents.map(\.ph)).isSubset(of: ["X", "M", "i"]))
    #expect(slices.allSatisfy { $0.ts != nil && $0.dur != nil && $0.start >= 0 })
    let tracks = Dictionary(grouping: slices) { "\($0.pid) \($0.tid)" }
    for (track, slices) in tracks {
      var open: [Int64] = []
      let ordered = slices.sorted { ($0.start, $1.end) < ($1.start, $0.end) }
      for slice in ordered {
        while let end = open.last, end <= slice.start { open.removeLast() }
        if let end = open.last { #expect(slice.end <= end, "\(track) \(slice.name)") }
        open.append(slice.end)
      }
    }
    let names = traceEvents.filter { $0.ph == "M" }
    let threads = Set(names.filter { $0.name == "thread_name" }.map { "\($0.pid) \($0.tid)" })
    #expect(threads == Set(tracks.keys).union(threads))
    #expect(threads.isSuperset(of: tracks.keys))
    let processes = Set(names.filter { $0.name == "process_name" }.map(\.pid))
    #expect(processes.isSuperset(of: slices.map(\.pid)))
  }
}

/// A file for speedscope, as far as launchlab writes it.
private struct SpeedscopeFile: Decodable {
  let schema: String
  let shared: Shared
  let profiles: [Profile]

  struct Shared: Decodable {
    let frames: [Frame]
  }

  struct Frame: Decodable {
    let name: String
    let file: String?
  }

  struct Profile: Decodable {
    let type: String
    let name: String
    let unit: String
    let startValue: Int64
    let endValue: Int64
    let events: [Event]
  }

  struct Event: Decodable {
    let type: String
    let frame: Int
    let at: Int64
  }

  private enum CodingKeys: String, CodingKey {
    case schema = "$schema"
    case shared, profiles
  }

  init(path: String) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    self = try JSONDecoder().decode(Self.self, from: data)
  }

  /// Expects frames that are closed in the reverse of the order in which they were opened.
  func expectBalance() {
    #expect(schema == "https://www.speedscope.app/file-format-schema.json")
    for profile in profiles {
      #expect(profile.type == "evented")
      #expect(["nanoseconds", "microseconds"].contains(profile.unit))
      #expect(profile.events.map(\.at) == profile.events.map(\.at).sorted(), "\(profile.name)")
      #expect(profile.events.allSatisfy { (0...profile.endValue).contains($0.at) })
      #expect(profile.events.allSatisfy { shared.frames.indices.contains($0.frame) })
      var open: [Int] = []
      for event in profile.events {
        if event.type == "O" {
          open.append(event.frame)
        } else {
          #expect(open.popLast() == event.frame, "\(profile.name)")
        }
      }
      #expect(open.isEmpty, "\(profile.name)")
    }
  }
}
