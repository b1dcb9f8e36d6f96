import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite("Where the probe applies", .temporaryDirectory) struct ProbeApplicabilityTests {
  private func judge(_ program: String, path: String = "/usr/bin:/bin") -> ProbeApplicability {
    ProbeApplicability(program: program, environment: ["PATH": path], directory: "/")
  }

  private func reason(_ program: String, path: String = "/usr/bin:/bin") -> String {
    if case .refused(let reason) = judge(program, path: path) { return reason }
    return "it applies"
  }

  private func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o755) throws -> String {
    let path = "\(TemporaryDirectory.path)/\(name)"
    try Data(bytes).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func change(_ path: String, _ attributes: [FileAttributeKey: Int]) throws {
    try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
  }

  private func script(_ name: String, _ line: String) throws -> String {
    try write(name, Array("#!\(line)\n".utf8))
  }

  @Test func `applies to programs of this system`() {
    for program in ["/usr/bin/perl", "/bin/sh", "/usr/bin/env"] {
      #expect(judge(program) == .applies)
    }
  }

  @Test func `follows scripts`() throws {
    #expect(judge(try script("a", "/usr/bin/perl -w")) == .applies)
    #expect(judge(try script("b", "/usr/bin/env perl")) == .applies)
    #expect(judge(try script("c", "/usr/bin/env -S A=1 perl -w")) == .applies)
    let a = "\(TemporaryDirectory.path)/a"
    #expect(judge(try script("d", a)) == .applies)
    #expect(reason(try script("e", "/usr/bin/env -i perl")).contains("empties the environment"))
    #expect(reason(try script("f", "/usr/bin/env nonesuch")).contains("nonesuch"))
    let loop = "\(TemporaryDirectory.path)/g"
    #expect(reason(try script("g", loop)).contains("too many interpreters"))
  }

  @Test func `does not apply to what is no program here`() throws {
    #expect(reason(try write("text", Array("text".utf8))).contains("neither a program"))
    #expect(reason("/nonexistent").contains("neither a program"))
    var foreign = Array(try #require(FileManager.default.contents(atPath: "/bin/true")))
    foreign[18] = 8
    #expect(reason(try write("mips", foreign)).contains("another processor"))
  }

  @Test func `does not apply to a program with other rights`() throws {
    let program = Array(try #require(FileManager.default.contents(atPath: "/bin/true")))
    let path = try write("setuid", program, mode: 0o755)
    #expect(judge(path) == .applies)
    // Set-user-ID to the same user gains nothing.
    try change(path, [.posixPermissions: 0o4755])
    #expect(judge(path) == .applies)
    guard getuid() == 0 else { return }
    try change(path, [.ownerAccountID: 65_534, .groupOwnerAccountID: 65_534])
    try change(path, [.posixPermissions: 0o4755])
    #expect(reason(path).contains("set-user-ID"))
    try change(path, [.posixPermissions: 0o2755])
    #expect(reason(path).contains("set-group-ID"))
    try change(path, [.posixPermissions: 0o2745])
    #expect(judge(path) == .applies)
  }

  @Test(.enabled(if: ProbeBench.compiler != nil, "needs a C compiler"))
  func `does not apply to a program without a loader`() throws {
    let bench = try ProbeBench()
    let source = "int main(void) { return 0; }"
    let plain = try bench.compile("static", source, ["-static"])
    #expect(reason(plain).contains("is a static program"))
    let pie = try bench.compile("static-pie", source, ["-static-pie", "-fPIE"])
    #expect(reason(pie).contains("is a static-PIE program"))
    #expect(judge(try bench.compile("dynamic", source)) == .applies)
    // What is said of them is true.
    for program in [plain, pie] {
      #expect(try bench.launch([program]).observation.events == [])
    }
  }

  @Test(.enabled(if: ProbeBench.compiler != nil, "needs a C compiler"))
  func `looks at the loader that a program asks for`() throws {
    let bench = try ProbeBench()
    let source = "int main(void) { return 0; }"
    let directory = TemporaryDirectory.path
    func program(_ name: String, loader: String, _ content: String) throws -> String {
      _ = try write(loader, Array(content.utf8))
      return try bench.compile(name, source, ["-Wl,--dynamic-linker,\(directory)/\(loader)"])
    }
    let old = try program("old", loader: "ld-linux.so", "\0GLIBC_2.31\0GLIBC_PRIVATE\0")
    #expect(reason(old).contains("before 2.35"))
    let new = try program("new", loader: "ld-linux-2.so", "\0GLIBC_2.35\0GLIBC_PRIVATE\0")
    #expect(judge(new) == .applies)
    let musl = try program("musl", loader: "ld-musl-x86_64.so.1", "")
    #expect(reason(musl).contains("musl"))
    let other = try program("other", loader: "ld.so", "")
    #expect(reason(other).contains("not glibc's"))
  }
}
