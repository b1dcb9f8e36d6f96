import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct OwnFilesTests {
  private var root: String { TemporaryDirectory.path }

  private func find(
    _ executable: String,
    files: [String] = [],
    path: String = "/usr/bin:/bin"
  ) async throws -> OwnFiles {
    let target = Target(name: "t", command: [executable], directory: "/", files: files)
    return try await OwnFiles.find(
      for: target,
      executable: FilePath(executable),
      environment: ["PATH": path]
    )
  }

  private func own(_ found: OwnFiles) -> [String] {
    found.files.filter(\.isOwn).map { $0.path.string.replacing(root, with: "") }
  }

  @Test func `owns the executable, and watches the libraries of the system`() async throws {
    let found = try await find("/usr/bin/perl")
    #expect(own(found) == ["/usr/bin/perl"])
    let others = found.files.filter { !$0.isOwn }.compactMap { $0.path.lastComponent?.string }
    #expect(others.contains("libc.so.6"))
    #expect(found.notes.isEmpty)
  }

  @Test func `owns a library that lies beside the program`() async throws {
    try TestMachine.shell(
      """
      mkdir lib; cp $(ldd /usr/bin/perl | sed -n 's/.*=> \\(.*libm.so.6\\) .*/\\1/p') lib/libm.so.6
      cp /usr/bin/perl tool; ln -s tool link
      """,
      in: root
    )
    let target = Target(name: "t", command: ["x"], directory: "/")
    let found = try await OwnFiles.find(
      for: target,
      executable: FilePath("\(root)/link"),
      environment: ["LD_LIBRARY_PATH": "\(root)/lib"]
    )
    #expect(own(found) == ["/tool", "/lib/libm.so.6"])
  }

  @Test func `owns a script and its interpreters`() async throws {
    try TestMachine.shell(
      """
      cp /usr/bin/perl interpreter; echo '#!'$PWD/interpreter > middle
      echo '#!'$PWD/middle > script; chmod +x middle script
      """,
      in: root
    )
    #expect(own(try await find("\(root)/script")) == ["/script", "/middle", "/interpreter"])
  }

  @Test func `follows env to a program in the target's PATH`() async throws {
    try TestMachine.shell(
      """
      mkdir bin; cp /usr/bin/perl bin/perl-of-mine
      echo '#!/usr/bin/env -S perl-of-mine -w' > script; chmod +x script
      """,
      in: root
    )
    let found = try await find("\(root)/script", path: "\(root)/bin:/usr/bin")
    #expect(own(found) == ["/script", "/usr/bin/env", "/bin/perl-of-mine"])
  }

  @Test func `ends with a script that interprets itself`() async throws {
    try TestMachine.shell("echo '#!'$PWD/loop > loop; chmod +x loop", in: root)
    #expect(own(try await find("\(root)/loop")) == ["/loop"])
  }

  @Test func `says that the files of what a shell script starts are left alone`() async throws {
    try TestMachine.shell("echo '#!/bin/sh' > script; chmod +x script", in: root)
    #expect(try await find("\(root)/script").notes.map(\.id) == ["shell-script"])
  }

  @Test func `says that an interpreter is missing`() async throws {
    try TestMachine.shell("echo '#!/nonexistent/x' > script", in: root)
    #expect(try await find("\(root)/script").notes.map(\.id) == ["missing-interpreter"])
  }

  @Test func `owns the regular files below what the scenario names`() async throws {
    try TestMachine.shell(
      """
      cp /bin/true tool; mkdir -p data/sub; echo x > data/sub/file; echo x > data/other
      ln -s /etc/passwd data/link; mkfifo data/pipe; echo x > conf; ln -s conf conf-link
      """,
      in: root
    )
    let found = try await find("\(root)/tool", files: ["\(root)/data", "\(root)/conf-link"])
    #expect(own(found) == ["/tool", "/data/other", "/data/sub/file", "/conf"])
  }

  @Test func `refuses a file that is not there`() async throws {
    await #expect(throws: HostError.self) {
      try await find("/usr/bin/perl", files: ["\(root)/missing"])
    }
    await #expect(throws: HostError.self) { try await find("\(root)/missing") }
  }

  @Test(arguments: [
    ("perl", "perl"), ("-S perl -w", "perl"), ("-Sperl -w", "perl"), ("-i A=1 perl", "perl"),
    ("-u HOME perl", "perl"), ("A=1 B=2 /x/perl", "/x/perl"),
  ])
  func `finds the program in the arguments of env`(arguments: String, name: String) {
    #expect(OwnFiles.programName(inEnvArguments: arguments) == name)
  }

  @Test(arguments: [
    ("/lib/x86_64-linux-gnu/libc.so.6", true), ("/lib64/ld-linux-x86-64.so.2", true),
    ("/usr/lib/libx.so", true), ("/usr/lib32/libx.so", true), ("/usr/local/lib/libx.so", false),
    ("/opt/app/lib/libx.so", false), ("/home/me/libx.so", false), ("/library", false),
  ])
  func `tells the libraries of the system`(path: String, isSystem: Bool) {
    #expect(OwnFiles.isSystemLibrary(FilePath(path)) == isSystem)
  }

  @Test func `reads the listing of glibc`() {
    let libraries = SharedLibraries(
      listing: """
        \tlinux-vdso.so.1 (0x00007ffd2b5c4000)
        \tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f5f)
        \tlibmine.so => /opt/with space (1)/libmine.so (0x00007f5e)
        \t/lib64/ld-linux-x86-64.so.2 (0x00007f60)
        """
    )
    #expect(
      libraries.paths == [
        "/lib/x86_64-linux-gnu/libm.so.6", "/opt/with space (1)/libmine.so",
        "/lib64/ld-linux-x86-64.so.2",
      ]
    )
    #expect(libraries.problem == nil)
  }

  @Test func `reads the listing of musl`() {
    let libraries = SharedLibraries(
      listing: """
        \t/lib/ld-musl-x86_64.so.1 (0x7f8b)
        \tlibc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7f8b)
        """
    )
    #expect(libraries.paths == ["/lib/ld-musl-x86_64.so.1"])
  }

  @Test func `says which library is missing`() {
    #expect(
      SharedLibraries(listing: "\tlibgone.so => not found\n").problem == "libgone.so => not found"
    )
  }
}
