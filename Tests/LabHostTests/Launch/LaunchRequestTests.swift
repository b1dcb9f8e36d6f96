import Testing

@testable import LaunchCore
@testable import LaunchHost

struct LaunchRequestTests {
  private func request(
    _ ready: Readiness = .exit,
    counters: [String] = [],
    arguments: [String] = ["/bin/true"]
  ) throws -> LaunchRequest {
    try LaunchRequest(
      program: "/bin/true",
      arguments: arguments,
      environment: [],
      directory: "/",
      ready: ready,
      counters: counters
    )
  }

  @Test func `refuses a broken pattern before the first launch`() {
    #expect(
      throws: HostError.launchRefused(
        .badPattern(
          "(",
          reason: "there is no \")\" for the \"(\" at character 1",
          remedy: "correct it"
        )
      )
    ) { try request(.output(stream: .stdout, pattern: "(")) }
  }

  @Test func `refuses an unknown counter`() {
    #expect(throws: HostError.launchRefused(.unknownCounter("instruction"))) {
      try request(counters: ["instruction"])
    }
  }

  @Test func `refuses a host without an address`() {
    #expect(throws: HostError.self) { try request(.tcp(host: "no.such.host.invalid", port: 1)) }
  }

  @Test func `refuses a NUL byte`() {
    #expect(throws: HostError.launchRefused(.containsNUL("a\0b"))) {
      try request(arguments: ["a\0b"])
    }
  }

  @Test func `refuses what no program can be given`() {
    #expect(throws: HostError.self) {
      try request(arguments: [String(repeating: "x", count: 7 << 20)])
    }
  }

  @Test func `passes on the arguments of a program as they are`() throws {
    let bench = try LaunchBench()
    let arguments = ["", "a b", "\u{fc}", String(repeating: "y", count: 100_000)]
    let result = try bench.spawner.launch(
      bench.request(["/usr/bin/perl", "-e", "print join q(|), @ARGV"] + arguments)
    )
    #expect(String(decoding: result.output.stdout.head, as: UTF8.self).hasPrefix("|a b|\u{fc}|y"))
    #expect(result.output.stdout.totalBytes == 100_008)
  }
}
