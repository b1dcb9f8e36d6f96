import Foundation
import LabTestSupport
import Testing

@testable import Builds

@Suite(
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(), "there is no C compiler `cc`")
) struct MovabilityTests {
  private var root: String { TemporaryDirectory.path }

  private func program(
    _ linking: CompiledProgram.Linking = .dynamic,
    options: [String] = []
  ) throws -> String {
    try CompiledProgram(
      "int main(void) { return 0; }\n",
      in: root,
      linking: linking,
      options: options
    ).path
  }

  @Test(arguments: [CompiledProgram.Linking.dynamic, .staticProgram])
  func `moves a program that needs nothing beside itself`(
    _ linking: CompiledProgram.Linking
  ) throws {
    #expect(Movability(ofProgram: try program(linking)) == .movable)
  }

  @Test(arguments: ["$ORIGIN/lib", "/opt:${ORIGIN}/../lib"])
  func `leaves a program that looks for libraries beside itself`(_ path: String) throws {
    let program = try program(options: ["-Wl,-rpath,\(path)"])
    #expect(
      Movability(ofProgram: program)
        == .fixed(reason: "looks for its libraries beside itself ($ORIGIN)")
    )
  }

  @Test func `leaves a program with rights of its own`() throws {
    let program = try program()
    try TestMachine.shell("chmod u+s program", in: root)
    #expect(
      Movability(ofProgram: program)
        == .fixed(reason: "has rights of its own that a copy would lose")
    )
  }

  @Test func `knows a script`() throws {
    try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: "\(root)/script"))
    #expect(Movability(ofProgram: "\(root)/script") == .script)
  }

  @Test func `leaves what it does not know`() throws {
    try Data("MZ".utf8).write(to: URL(filePath: "\(root)/other"))
    #expect(
      Movability(ofProgram: "\(root)/other")
        == .fixed(reason: "is neither an ELF program nor a script")
    )
    #expect(Movability(ofProgram: "\(root)/missing") == .fixed(reason: "cannot be read"))
  }
}
