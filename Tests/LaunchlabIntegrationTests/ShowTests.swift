import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  @Suite struct ShowTests {
    @Test func `shows what was stored, without launching it again`() async throws {
      let lab = Launchlab()
      try lab.write("#!/bin/sh\necho >> launches\n", to: "program")
      _ = try await lab.run("measure", "-l", "2", "--json", "-", "--", "sh", lab.path("program"))
      let launches = lab.lineCount(of: "launches")

      let text = try await lab.run("show")
      #expect(text.status == 0, "\(text.stderr)")
      #expect(text.stdout.contains("measure-sh"))
      // What only --verbose shows.
      #expect(text.stdout.contains("peak_rss") || text.stdout.contains("peak RSS"))
      let id = try #require(try await lab.runs().first?.id)
      let json = try await lab.run("show", String(id.prefix(20)), "--json", "-")
      #expect(try RunResult(json.stdout).run.id == id)
      let markdown = try await lab.run("show", "--markdown", "-")
      #expect(markdown.stdout.hasPrefix("# Launch times of measure"))
      #expect(lab.lineCount(of: "launches") == launches)
    }

    @Test func `shows a comparison with its verdict`() async throws {
      let lab = Launchlab()
      let output = try await lab.run("compare --launches 12 --json - true", "sh -c 'exit 0'")
      let verdict = try #require(output.stdout.firstMatch(of: /"verdict": *"([a-z-]+)"/)).1

      let again = try await lab.run("show", "last", "--json", "-")
      #expect(again.status == 0, "\(again.stderr)")
      #expect(again.stdout.firstMatch(of: /"verdict": *"([a-z-]+)"/)?.1 == verdict)
      #expect(!again.stderr.contains("the comparison itself ended"))
      #expect(try await lab.run("show").stdout.contains("B"))
    }

    @Test func `says what is stored where nothing is meant`() async throws {
      let lab = Launchlab()
      let output = try await lab.run("show")
      #expect(output.status == 128)
    }
  }
}
