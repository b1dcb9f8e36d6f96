import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What is said of the nights of several hosts in one store, and of one change in several places.
  @Suite struct ImportedHostsTests {
    /// Nights of a level that gets 8 % worse in the 45th; after the 50th it is a little worse still.
    private static func csv(_ nights: Range<Int>, level: Double, hour: Int) -> String {
      let start = Date(timeIntervalSince1970: 1_788_220_800 + Double(hour) * 3_600)
      let lines = nights.map { night in
        let noise = Double(night * 7 % 5) / 5
        let step = night < 44 ? 0 : night < 50 ? 8.0 : 8.9
        let date = (start + Double(night) * 86_400).formatted(.iso8601)
        return "\(date),\(level + step + noise)"
      }
      return "time,value\n\(lines.joined(separator: "\n"))\n"
    }

    private func take(
      _ nights: Range<Int>,
      of host: String,
      level: Double,
      hour: Int,
      into lab: Launchlab
    ) async throws -> String {
      try lab.write(Self.csv(nights, level: level, hour: hour), to: "\(host).csv")
      let output = try await lab.run(
        "import",
        "\(host).csv",
        "--scenario",
        "app",
        "--target",
        "app",
        "--unit",
        "ms",
        "--host",
        host
      )
      #expect(output.status == 0, "\(output.stderr)")
      return output.stdout
    }

    private func text(_ name: String, of lab: Launchlab) throws -> String {
      try String(contentsOfFile: lab.path("report/\(name)"), encoding: .utf8)
        .replacing("\u{a0}", with: " ")
    }

    @Test func `nights are counted for the host of the series`() async throws {
      let lab = Launchlab()
      // The first host had fewer nights; those of both are from the same days.
      let first = try await take(0..<51, of: "one", level: 100, hour: 2, into: lab)
      #expect(first.contains(", 7 nights, n = 1 tonight (R-1)"))
      #expect(first.contains("host unchanged for 51 nights"))
      let second = try await take(0..<55, of: "two", level: 130, hour: 5, into: lab)
      #expect(second.contains(", 11 nights, n = 1 tonight (R-2)"))
      #expect(second.contains(", 7 nights (R-1)"))
      #expect(second.contains("host unchanged for 55 nights"))

      let report = try await lab.run("report")
      #expect(report.status == 0)
      let latest = try text("latest.md", of: lab)
      #expect(latest.contains("; 1 series, 55 nights\n"))
      #expect(latest.contains(", 55 nights on record. "))
      #expect(latest.contains("the same one for 55 nights"))
      #expect(latest.contains("R-2 app warm launch: confirmed, 11 nights old"))
      #expect(latest.contains("R-1 app warm launch: confirmed, 7 nights old"))
      let dashboard = try text("index.html", of: lab)
      #expect(dashboard.contains("55 nights stored"))
      // The first night of the first host is in front of the series, and no other one of it.
      #expect(latest.contains("app warm launch: 56 nights with a value from"))
      #expect(latest.contains(", none missing"))

      let all = try await take(51..<56, of: "one", level: 100, hour: 2, into: lab)
      #expect(!all.contains("no result"))
      #expect(all.contains(", 12 nights, n = 1 tonight (R-1)"))
      #expect(all.contains(", 11 nights (R-2)"))
      #expect(all.contains("host unchanged for 56 nights"))
    }

    @Test func `one change has one number in chart, list and prose`() async throws {
      let lab = Launchlab()
      _ = try await take(0..<51, of: "one", level: 100, hour: 2, into: lab)
      let terminal = try await take(51..<62, of: "one", level: 100, hour: 2, into: lab)
      let told = try #require(terminal.firstMatch(of: #/app warm launch (\+[\d.]+ %), /#)?.1)
      #expect(try await lab.run("report").status == 0)
      let report = try text("latest.md", of: lab)
      #expect(report.contains("| \(told) |"))
      #expect(report.contains("R-1: confirmed regression, app warm launch \(told)\n"))
      #expect(report.contains("R-1: \(told), "))
      let dashboard = try text("index.html", of: lab)
      #expect(dashboard.contains("\"▲ R-1 \(told)\""))
      #expect(dashboard.contains("app warm: launch is \(told.dropFirst()) slower"))
      let chart = try #require(lab.names(in: "report/img").first { $0.hasSuffix("-R-1.svg") })
      #expect(try text("img/\(chart)", of: lab).contains(">▲ R-1 \(told)<"))
    }
  }
}
