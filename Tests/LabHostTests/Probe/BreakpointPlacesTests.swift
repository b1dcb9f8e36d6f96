import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct BreakpointPlacesTests {
  @Test func `finds nothing in what is no program`() throws {
    let path = "\(TemporaryDirectory.path)/text"
    try TestMachine.shell(
      "echo text > text; chmod +x text; mkfifo pipe",
      in: TemporaryDirectory.path
    )
    let pipe = "\(TemporaryDirectory.path)/pipe"
    for path in [path, pipe, "/nowhere", "/", "/dev/zero"] {
      let found = BreakpointPlaces.find(in: path)
      #expect(found.places.isEmpty)
      #expect(found.notes.count == 1)
      #expect(found.refusal == nil)
    }
  }

  @Test func `follows the interpreters of scripts as far as the kernel does`() throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell(
      "printf '#!/bin/sh\\n' > a; printf '#!%s/a -x\\n' $PWD > b; printf '#!%s/c\\n' $PWD > c",
      in: directory
    )
    #expect(BreakpointPlaces.find(in: "\(directory)/b").program == "/bin/sh")
    #expect(BreakpointPlaces.find(in: "\(directory)/c").places.isEmpty)
  }

  @Test func `stands any truncated and any altered program`() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/bin/true")))
    var generator = SplitMix64(seed: 7)
    for round in 0..<400 {
      var altered = bytes
      if round % 4 == 0 { altered.removeLast(Int(generator.next() % UInt64(bytes.count))) }
      // The header, the program headers and the section headers are where it matters.
      for _ in 0..<(1 + round % 8) {
        let part = [64, 1_000, altered.count][Int(generator.next() % 3)]
        let end = generator.next() % 2 == 0
        let offset = Int(generator.next() % UInt64(max(1, min(part, altered.count))))
        let index = end ? altered.count - 1 - offset : offset
        if altered.indices.contains(index) {
          altered[index] = UInt8(truncatingIfNeeded: generator.next())
        }
      }
      let symbols = ELFSymbols { offset, count in
        Array(altered.dropFirst(offset).prefix(count))
      }
      _ = symbols?.functions(named: ["main", "_dl_debug_state"])
      _ = symbols?.bytes(at: symbols?.header.entry ?? 0, count: 64)
      _ = symbols.map { GoFunctions.find(["main.main"], in: $0) }
      _ = symbols.flatMap { $0.header.loader { altered.dropFirst($0).prefix($1).map(\.self) } }
    }
  }

  struct Code: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    var main: UInt64?
  }

  private static let beginning: [UInt8] = [
    0x31, 0xED, 0x49, 0x89, 0xD1, 0x5E, 0x48, 0x89, 0xE2, 0x48, 0x83, 0xE4, 0xF0, 0x50, 0x54,
  ]

  /// Written by hand after sysdeps/x86_64/start.S of glibc.
  static let codes = [
    Code(
      testDescription: "glibc 2.34, at any address",
      bytes: beginning + [
        0x45, 0x31, 0xC0, 0x31, 0xC9, 0x48, 0x8D, 0x3D, 0xCE, 0, 0, 0, 0xFF, 0x15,
      ],
      main: 0x1000 + 27 + 0xCE
    ),
    Code(
      testDescription: "glibc 2.34, before the entry point, with endbr64",
      bytes: [0xF3, 0x0F, 0x1E, 0xFA] + beginning
        + [0x45, 0x31, 0xC0, 0x31, 0xC9, 0x48, 0x8D, 0x3D, 0xF0, 0xFF, 0xFF, 0xFF, 0xFF, 0x15],
      main: 0x1000 + 31 - 0x10
    ),
    Code(
      testDescription: "glibc 2.17, at a fixed address",
      bytes: beginning + [0x49, 0xC7, 0xC0, 1, 2, 3, 0, 0x48, 0xC7, 0xC1, 1, 2, 3, 0]
        + [0x48, 0xC7, 0xC7, 0x34, 0x12, 0x40, 0, 0xE8],
      main: 0x401234
    ),
    Code(
      testDescription: "glibc 2.31, at any address",
      bytes: beginning + [0x4C, 0x8D, 0x05, 1, 2, 3, 0, 0x48, 0x8D, 0x0D, 1, 2, 3, 0]
        + [0x48, 0x8D, 0x3D, 0x01, 0, 0, 0, 0xFF, 0x15],
      main: 0x1000 + 15 + 21 + 1
    ),
    Code(
      testDescription: "another call",
      bytes: beginning + [0x45, 0x31, 0xC0, 0x31, 0xC9, 0x48, 0x8D, 0x3D, 0xCE, 0, 0, 0, 0x90],
      main: nil
    ),
    Code(
      testDescription: "a load from a table",
      bytes: beginning + [
        0x45, 0x31, 0xC0, 0x31, 0xC9, 0x48, 0x8B, 0x3D, 0xCE, 0, 0, 0, 0xFF, 0x15,
      ],
      main: nil
    ),
    Code(testDescription: "nothing", bytes: [], main: nil),
  ]

  @Test(arguments: codes) func `reads main out of the start code`(_ code: Code) {
    #expect(StartCode.main(in: code.bytes, entry: 0x1000) == code.main)
    for length in 0..<code.bytes.count {
      #expect(StartCode.main(in: Array(code.bytes.prefix(length)), entry: 0x1000) == nil)
    }
  }

  @Test(.enabled(if: CProgram.hasCompiler, "there is no C compiler"))
  func `finds the same main with symbols and without`() throws {
    #if arch(x86_64)
    for flags in [[], ["-no-pie"], ["-static"], ["-static-pie"]] {
      let path = try CProgram(testDescription: "", flags: flags).compile(CProgram.clockSource)
      let whole = BreakpointPlaces.find(in: path)
      try TestMachine.shell("strip program", in: TemporaryDirectory.path)
      #expect(BreakpointPlaces.find(in: path).places == whole.places)
      #expect(whole.places.last?.kind == .mainReached)
    }
    #endif
  }

  static let hasGo = FileManager.default.isExecutableFile(atPath: "/usr/bin/go")

  @Test(
    .enabled(if: hasGo, "there is no Go compiler"),
    arguments: ["-ldflags=-s", "-buildmode=pie"]
  )
  func `sees the packages of a Go program initialized`(_ flags: String) throws {
    let directory = TemporaryDirectory.path
    let source = """
      package main
      import "os"
      func main() { os.Stdout.WriteString("main") }
      """
    try source.write(toFile: "\(directory)/main.go", atomically: true, encoding: .utf8)
    try TestMachine.shell(
      "export HOME=$PWD; go build \(flags) -o program main.go",
      in: directory
    )
    let bench = try LaunchBench()
    let path = "\(directory)/program"
    let request = try bench.request([path], breakpoints: .find(in: path))
    let seen = try #require(try bench.spawner.launch(request).observation)
    let states: [LaunchEvent.Kind] =
      flags.contains("pie") ? [.loaderState, .loaderState] : []
    #expect(
      seen.events.map(\.kind) == [.executed] + states + [.entered, .runtimeMain, .mainReached]
    )
  }
}
