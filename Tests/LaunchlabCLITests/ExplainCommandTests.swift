import ArgumentParser
import Testing

@testable import launchlab

@Suite struct ExplainCommandTests {
  @Test(arguments: [
    [], ["true"], ["--alert", "R-1", "--bisect", "last"], ["--alert", "R-1", "true"],
    ["--alert", "R-1", "--target", "app"], ["--bisect", "last", "--ready", "exit"],
    ["--revisions", "a..b", "s.yml", "--alert", "R-1"], ["--alert", "R-1", "--", "true"],
    ["true", "false", "--target", "app"], ["last~1", "last", "--ready", "exit"],
    ["--resume", "last", "--alert", "R-1"], ["--resume", "last", "--seed", "1"],
    ["--resume", "last", "--state", "reboot-cold"], ["--resume", "last", "--no-callgrind"],
    ["--slow", "true", "false"], ["--slow", "--alert", "R-1"], ["--resume", "last", "--slow"],
    ["--resume", "last", "--suppress", "smt"], ["--resume", "last", "--ready", "exit"],
  ])
  func `refuses options that say of nothing, or of two things, what is explained`(
    arguments: [String]
  ) {
    #expect(throws: (any Error).self) { try Launchlab.Explain.parse(arguments) }
  }

  @Test(arguments: [
    ["true", "false", "--store", "s.sqlite"], ["--resume", "last", "--time", "5m"],
    ["--alert", "R-1", "--store", "s.sqlite"], ["--bisect", "last", "--time", "2m"],
    ["last~1", "last", "--target", "app"], ["20261120T0200", "20261121T0200"], ["true", "false"],
    ["--revisions", "a..b", "s.yml", "--target", "app"], ["--", "true"],
    ["--slow", "--", "true", "1"],
  ])
  func `takes whatever can be explained`(arguments: [String]) throws {
    _ = try Launchlab.Explain.parse(arguments)
  }
}
