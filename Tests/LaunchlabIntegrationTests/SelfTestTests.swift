import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// A program against itself, and hosts against each other.
  @Suite struct SelfTestTests {
    @Test func `measures the noise of the host, and compares two of them`() async throws {
      let lab = Launchlab()
      // In 6 pairs A and B may be called different on a noisy host.
      for name in ["first.json", "second.json"] {
        let session = try lab.start([
          "selftest", "--launches", "6", "--state", "warm", "--store", "host.sqlite", "--json",
          name, "--", "/bin/true",
        ])
        let output = try await session.finish()
        #expect([0, 125].contains(output.status), "\(output.stderr)")
        #expect(output.stdout.contains("warm"))
        #expect(session.leftovers == [])
        let result = try Result(try String(contentsOfFile: lab.path(name), encoding: .utf8))
        #expect(result.schema == "launchlab.selftest/1")
        #expect(result.command == ["/bin/true"])
        #expect(result.noise.map(\.state) == ["warm"])
        #expect(result.noise.map { $0.pairs + $0.unpaired } == [6])
      }

      let output = try await lab.run("selftest", "--compare", "first.json", "second.json")
      let json = try await lab.run("selftest --json - --compare first.json second.json")

      #expect(try await lab.runs(store: "host.sqlite").map(\.scenario) == ["selftest", "selftest"])
      #expect(output.stdout.contains("first.json") && output.stdout.contains("second.json"))
      let comparison = try Comparison(json.stdout)
      #expect(comparison.schema == "launchlab.selftest-comparison/1")
      let ranking = try #require(comparison.rankings.first)
      #expect(comparison.rankings.count == 1)
      if ranking.unranked.isEmpty {
        #expect(output.status == 0)
        #expect(Set(ranking.hosts.map(\.result)).count == 2)
        #expect(ranking.hosts.first?.rank == 1)
      } else {
        #expect(output.status == 125)
      }
    }

    @Test func `tells doctor how noisy the host is`() async throws {
      var lab = Launchlab()
      lab.wrapper = ["env", "XDG_STATE_HOME=\(lab.path("state"))"]

      let before = try await lab.run("doctor", "--json", "-")
      let test = try await lab.run("selftest --launches 6 --state warm -- /bin/true")
      let after = try await lab.run("doctor", "--json", "-")

      #expect([0, 125].contains(test.status), "\(test.stderr)")
      #expect(lab.exists("state/launchlab/launchlab.sqlite"))
      #expect(try Noise(before.stdout).noise.isEmpty)
      #expect(try Noise(after.stdout).noise.map(\.state) == ["warm"])
    }

    /// What `selftest --json` writes.
    private struct Result: Decodable {
      let schema: String
      let command: [String]
      let noise: [State]

      struct State: Decodable {
        let state: String
        let pairs: Int
        let unpaired: Int
      }

      init(_ text: String) throws {
        self = try StoredRun.decoder.decode(Self.self, from: Data(text.utf8))
      }
    }

    private struct Comparison: Decodable {
      let schema: String
      let rankings: [Ranking]

      struct Ranking: Decodable {
        let hosts: [Host]
        let unranked: [String]
      }

      struct Host: Decodable {
        let rank: Int
        let result: String
      }

      init(_ text: String) throws {
        self = try StoredRun.decoder.decode(Self.self, from: Data(text.utf8))
      }
    }

    /// What `doctor --json` knows of the noise.
    private struct Noise: Decodable {
      let noise: [State]

      struct State: Decodable {
        let state: String
      }

      init(_ text: String) throws {
        self = try StoredRun.decoder.decode(Self.self, from: Data(text.utf8))
      }
    }
  }
}
