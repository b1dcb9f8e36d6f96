import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct PageCacheTests {
  private var root: String { TemporaryDirectory.path }
  private let cache = PageCache()

  /// Whether the temporary directory is on a disk, so that pages can go.
  static var isOnDisk: Bool {
    let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    guard let mount = MountInfo().mount(holding: FilePath(directory)) else { return false }
    return !mount.isInMemory && !mount.isIndirect
  }

  private func makeFile(bytes: Int) throws -> FilePath {
    try TestMachine.shell("head -c \(bytes) /dev/urandom > file", in: root)
    return FilePath("\(root)/file")
  }

  @Test(.enabled(if: isOnDisk, "the temporary directory is in memory"))
  func `drops a file that was just written, and does not bring it in by looking`() throws {
    let file = try makeFile(bytes: 1_000_000)
    let pages = (1_000_000 + Int(getpagesize()) - 1) / Int(getpagesize())
    #expect(try cache.residency(of: file) == .init(residentPages: pages, totalPages: pages))
    try cache.evict(file)
    #expect(try cache.residency(of: file) == .init(residentPages: 0, totalPages: pages))
    #expect(try cache.residency(of: file).residentPages == 0)
    _ = try TestMachine.shell("cat file > /dev/null", in: root)
    #expect(try cache.residency(of: file).residentPages == pages)
  }

  @Test func `counts no pages where there are none`() throws {
    try TestMachine.shell(": > empty; mkfifo pipe; mkdir directory", in: root)
    for name in ["empty", "pipe", "directory", "vanished"] {
      #expect(try cache.residency(of: FilePath("\(root)/\(name)")) == .none)
      try cache.evict(FilePath("\(root)/\(name)"))
    }
  }

  @Test func `reads several files in their order`() throws {
    let file = try makeFile(bytes: 10)
    let evidence = try cache.residency(of: [
      WatchedFile(path: file, isOwn: true), WatchedFile(path: "/vanished", isOwn: false),
    ])
    #expect(evidence.map(\.path) == [file.string, "/vanished"])
    #expect(evidence.map(\.totalPages) == [1, 0])
    #expect(evidence.map(\.isOwn) == [true, false])
  }

  @Test func `counts the pages of a file that is larger than one mapping`() throws {
    try TestMachine.shell("truncate -s 700000001 sparse", in: root)
    let pages = (700_000_001 + Int(getpagesize()) - 1) / Int(getpagesize())
    #expect(try cache.residency(of: FilePath("\(root)/sparse")).totalPages == pages)
  }

  @Test func `leaves no descriptor open`() throws {
    let file = try makeFile(bytes: 5000)
    let before = HostTree().names(in: "proc/self/fd").count
    for _ in 0..<200 {
      _ = try cache.residency(of: file)
      try cache.evict(file)
    }
    #expect(HostTree().names(in: "proc/self/fd").count < before + 100)
  }

  @Test func `writes 3 to drop_caches`() throws {
    try TestMachine.shell("mkdir -p proc/sys/vm; echo old-text > proc/sys/vm/drop_caches", in: root)
    let cache = PageCache(root: FilePath(root))
    #expect(cache.canDropAll)
    try cache.dropAll()
    #expect(try TestMachine.shell("head -n 1 proc/sys/vm/drop_caches", in: root) == "3")
  }

  @Test func `says that the caches cannot be dropped`() {
    let cache = PageCache(root: FilePath(root))
    #expect(!cache.canDropAll)
    #expect(throws: HostError.self) { try cache.dropAll() }
  }

  @Test func `trusts what the kernel says of one's own file`() throws {
    #expect(cache.canVerify(try makeFile(bytes: 1)))
  }

  @Test(.enabled(if: TestMachine.canMount && isOnDisk, "mounting an overlay takes root and a disk"))
  func `sees the pages of a file on an overlay`() throws {
    try TestMachine.shell(
      """
      mkdir lower upper work merged; head -c 400000 /dev/urandom > lower/file
      mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged
      cat merged/file > /dev/null
      """,
      in: root
    )
    defer { _ = try? TestMachine.shell("umount merged", in: root) }
    let file = FilePath("\(root)/merged/file")
    let residency = try cache.residency(of: file)
    #expect(residency.residentPages > 0)
    #expect(residency.residentPages == residency.totalPages)
    sync()
    try cache.evict(file)
    #expect(try cache.residency(of: file).residentPages == 0)
  }
}
