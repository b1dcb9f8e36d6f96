import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct FewOwnFilesTests {
  private func file(_ path: String, _ mebibytes: Int64, own: Bool) -> LaunchFile {
    LaunchFile(path: path, bytes: mebibytes << 20, isOwn: own, reason: "")
  }

  private func notes(own: Int64, others: Int64, library: Int64) -> [String] {
    var learning = Learning(beside: "/nowhere")
    let library = file("/lib/libc.so.6", library, own: false)
    let learnt = LearntFiles(
      files: [
        LearntFiles.File(
          path: library.path,
          package: InstalledPackage(name: "libc6", source: "glibc")
        )
      ],
      mainProgram: "",
      notes: []
    )
    for _ in 1...2 {
      learning.compare(
        [file("/usr/bin/tool", own, own: true), file("/usr/lib/gtk", others, own: false), library],
        of: "tool",
        learnt
      )
    }
    return learning.problems.map(\.problem)
  }

  @Test func `tells once when most of what a launch opens stays warm`() {
    #expect(
      notes(own: 1, others: 50, library: 2) == [
        "\"tool\": only 1024 KiB of the files that it opens are its own, and 50 MiB of other packages "
          + "or the system stay warm in reinstall-cold"
      ]
    )
    #expect(notes(own: 6, others: 50, library: 2).isEmpty)
    // A small program that maps nothing but the C library.
    #expect(notes(own: 0, others: 1, library: 40).isEmpty)
  }
}
