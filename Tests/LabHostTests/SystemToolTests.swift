import Testing

@testable import LaunchHost

struct SystemToolTests {
  private let shell = SystemTool("/bin/sh", environment: [:], printsErrors: true)

  @Test func `gives what a program prints, whatever its status`() throws {
    #expect(try shell.output(["-c", "echo one; echo two >&2; exit 3"]) == "one\ntwo\n")
  }

  @Test func `waits for no program longer than its limit`() {
    var shell = shell
    shell.limit = 0
    #expect(throws: SystemTool.TooSlow.self) {
      try shell.output(["-c", "trap '' TERM; exec sleep 600"])
    }
  }
}
