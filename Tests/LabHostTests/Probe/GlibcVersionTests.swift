import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct GlibcVersionTests {
  @Test(arguments: [
    ("ld.so (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36.\n", "2.36"),
    ("GNU C Library (GNU libc) stable release version 2.31.", "2.31"),
    ("GNU C Library (GNU libc) development release version 2.42.9000.", "2.42"),
    ("\0\0GNU C Library stable release version 2.4, by Roland McGrath et al.\0", "2.4"),
    ("musl libc (x86_64)\nVersion 1.2.3\n", nil),
    (" release version ", nil),
    (" release version 2", nil),
    (" release version x.y", nil),
    ("", nil),
  ])
  func `reads a banner`(_ text: String, _ version: String?) {
    #expect(GlibcVersion(banner: Array(text.utf8))?.description == version)
  }

  @Test(arguments: [
    ("ld-2.31.so", "2.31"), ("ld-linux-x86-64.so.2", nil), ("ld-musl-x86_64.so.1", nil),
    ("ld-.so", nil), ("ld-2.so", nil),
  ])
  func `reads the name of a loader`(_ name: String, _ version: String?) {
    #expect(GlibcVersion(fileName: name)?.description == version)
  }

  @Test func `looks at the loader, then at its name, then at the library beside it`() throws {
    try withTemporaryDirectory { root in
      func write(_ text: String, _ name: String) throws {
        try text.write(toFile: "\(root)/\(name)", atomically: false, encoding: .utf8)
      }
      func version(_ name: String) -> String? {
        GlibcVersion(loader: FilePath("\(root)/\(name)"))?.description
      }
      try write("no banner", "ld-linux.so.2")
      #expect(version("ld-linux.so.2") == nil)
      try write("stable release version 2.29.", "libc.so.6")
      #expect(version("ld-linux.so.2") == "2.29")
      try write("no banner", "ld-2.30.so")
      try TestMachine.shell("ln -s ld-2.30.so ld.so", in: root)
      #expect(version("ld.so") == "2.30")
      try write("stable release version 2.35.", "ld-2.30.so")
      #expect(version("ld.so") == "2.35")
      try write("no banner", "ld-musl-x86_64.so.1")
      #expect(version("ld-musl-x86_64.so.1") == nil)
      #expect(version("absent") == nil)
    }
  }

  @Test func `compares versions as numbers`() {
    #expect(GlibcVersion(2, 4) < GlibcVersion(2, 31))
  }

  @Test func `agrees with the C library of this machine`() throws {
    guard case .dynamic(let loader) = ProgramFile(at: "/usr/bin/perl") else { return }
    let told = try TestMachine.shell("getconf GNU_LIBC_VERSION", in: "/")
    let version = try #require(GlibcVersion(loader: FilePath(loader)))
    #expect(told == "glibc \(version)")
  }
}
