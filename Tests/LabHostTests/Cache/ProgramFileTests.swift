import SystemPackage
import Testing

@testable import LaunchHost

@Suite struct ProgramFileTests {
  /// An ELF file with one program header that names a loader.
  static func program(is64Bit: Bool, isLittleEndian: Bool, type: Int = 3) -> [UInt8] {
    func field(_ value: Int, _ size: Int) -> [UInt8] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      return isLittleEndian ? bytes : bytes.reversed()
    }
    let path = Array("/lib/ld.so".utf8) + [0]
    let word = is64Bit ? 8 : 4
    var bytes: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, is64Bit ? 2 : 1, isLittleEndian ? 1 : 2, 1]
    bytes += [UInt8](repeating: 0, count: 16 - bytes.count)
    bytes += field(2, 2) + field(62, 2) + field(1, 4) + field(0, word) + field(64, word)
    bytes += field(0, word) + field(0, 4) + field(is64Bit ? 64 : 52, 2)
    bytes += field(is64Bit ? 56 : 32, 2) + field(1, 2)
    bytes += [UInt8](repeating: 0, count: 64 - bytes.count)
    let header =
      is64Bit
      ? field(type, 4) + field(4, 4) + field(120, 8) + field(0, 16) + field(path.count, 8)
      : field(type, 4) + field(120, 4) + field(0, 8) + field(path.count, 4)
    bytes += header
    bytes += [UInt8](repeating: 0, count: 120 - bytes.count)
    return bytes + path
  }

  @Test(arguments: [true, false], [true, false])
  func `finds the loader of a program`(is64Bit: Bool, isLittleEndian: Bool) {
    let bytes = Self.program(is64Bit: is64Bit, isLittleEndian: isLittleEndian)
    #expect(ProgramFile(bytes: bytes) == .dynamic(loader: "/lib/ld.so"))
  }

  @Test func `takes a program without a loader as it is`() {
    let bytes = Self.program(is64Bit: true, isLittleEndian: true, type: 1)
    #expect(ProgramFile(bytes: bytes) == .fixed)
  }

  @Test func `stands any truncated and any altered program`() {
    let bytes = Self.program(is64Bit: true, isLittleEndian: true)
    var dynamic = 0
    for length in 0..<bytes.count {
      if case .dynamic = ProgramFile(bytes: Array(bytes.prefix(length))) { dynamic += 1 }
    }
    // Only the loader's own path may be cut short.
    #expect(dynamic == 10)
    for index in bytes.indices {
      for value: UInt8 in [0, 1, 0x7F, 0xFF] {
        var altered = bytes
        altered[index] = value
        _ = ProgramFile(bytes: altered)
      }
    }
  }

  struct Script: CustomTestStringConvertible, Sendable {
    let line: String
    let program: ProgramFile
    var testDescription: String { line }
  }

  @Test(arguments: [
    Script(line: "#!/bin/sh\n", program: .script(interpreter: "/bin/sh", argument: nil)),
    Script(line: "#! /bin/sh -e x \n", program: .script(interpreter: "/bin/sh", argument: "-e x")),
    Script(line: "#!\t/a\tb", program: .script(interpreter: "/a", argument: "b")),
    Script(line: "#!", program: .unknown),
    Script(line: "#!   \nx", program: .unknown),
    Script(line: "", program: .unknown),
    Script(line: "text", program: .unknown),
    Script(line: "#!/bin/sh\r\n", program: .script(interpreter: "/bin/sh\r", argument: nil)),
    Script(line: "#!/bin/env a\r\n", program: .script(interpreter: "/bin/env", argument: "a\r")),
    Script(line: "version https://git-lfs.github.com/spec/v1\noid", program: .pointer),
    Script(line: "version 1", program: .unknown),
  ])
  func `reads the first line of a script`(_ script: Script) {
    #expect(ProgramFile(bytes: Array(script.line.utf8)) == script.program)
  }

  @Test func `reads a program of this machine`() {
    guard case .dynamic(let loader) = ProgramFile(at: "/usr/bin/perl") else {
      Issue.record("perl should be dynamic")
      return
    }
    #expect(loader.contains("ld"))
    #expect(ProgramFile(at: "/nonexistent") == .unknown)
    #expect(ProgramFile(at: "/") == .unknown)
  }
}
