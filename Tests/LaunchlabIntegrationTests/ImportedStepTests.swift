import Foundation
import Testing

extension EndToEnd {
  /// The alerts of imported histories that are a few weeks long.
  @Suite struct ImportedStepTests {
    /// Nights at one level after the other, and what is to be said of the newest one.
    struct Case: CustomTestStringConvertible {
      let levels: [(milliseconds: Double, nights: Int)]
      let verdict: String

      /// What is said of the change.
      let change: String

      static let all = [
        Self(
          levels: [(10, 12), (1_000, 12)],
          verdict: "red, 1 confirmed regression",
          change: "+9900 %, 0.010 → 1.000 s, 12 nights"
        ),
        Self(
          levels: [(10, 17), (1_000, 7)],
          verdict: "red, 1 confirmed regression",
          change: "+9900 %, 0.010 → 1.000 s, 7 nights"
        ),
        Self(
          levels: [(10, 5), (11, 3)],
          verdict: "unsettled, 1 suspected regression",
          change: "+10.0 %, 10.00 → 11.00 ms, 3 nights"
        ),
        Self(
          levels: [(100, 15), (10, 13), (20, 7)],
          verdict: "red, 1 confirmed regression",
          change: "+100 %, 10.00 → 20.00 ms, 7 nights"
        ),
      ]

      var testDescription: String {
        levels.map { "\($0.nights) nights at \($0.milliseconds) ms" }.joined(separator: ", ")
      }

      /// One value a day from 1 October on, with a scatter of 0.2 %.
      var text: String {
        let values = levels.flatMap { level, nights -> [Double] in
          (0..<nights).map { night -> Double in
            let scatter = Double((night * 7) % 5 - 2)
            return level * (1 + 0.001 * scatter)
          }
        }
        let rows = values.enumerated().map { day, value in
          let moment = Date(timeIntervalSince1970: 1_790_812_800 + 86_400 * Double(day))
          return "\(moment.formatted(.iso8601.year().month().day())),\(value),ms,app"
        }
        return (["time,value,unit,target"] + rows + [""]).joined(separator: "\n")
      }
    }

    @Test(arguments: Case.all)
    func `a great step is an alert, however short the history`(test: Case) async throws {
      let lab = Launchlab()
      try lab.write(test.text, to: "app.csv")
      let imported = try await lab.run("import", "app.csv", "--scenario", "app")
      #expect(imported.stderr.isEmpty)
      #expect(imported.stdout.contains("app warm launch \(test.change)"))
      let report = try await lab.run("report", "--output", "out")
      #expect(report.stdout.contains("verdict: \(test.verdict)\n"))
      let alerts = try await lab.run("export", "--what", "alerts")
      #expect(alerts.stdout.split(separator: "\n").count == 1)
    }
  }
}
