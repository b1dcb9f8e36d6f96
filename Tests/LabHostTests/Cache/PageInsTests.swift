import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct PageInsTests {
  private func residency(_ path: String, _ pages: Int) -> FileResidency {
    FileResidency(path: path, isOwn: path == "/own", residentPages: pages, totalPages: 100)
  }

  private func result(_ faults: [(String, UInt64)]?, counted: Int64?) -> LaunchResult {
    let events = faults?.map {
      LaunchEvent(kind: .majorFault, pid: 1, time: .zero, address: $0.1, text: $0.0)
    }
    return LaunchResult(
      outcome: .ready,
      figures: Figures(majorFaults: counted),
      faults: events.map {
        MajorFaults(events: $0, isComplete: counted ?? 0 <= Int64($0.count))
      }
    )
  }

  @Test func `splits the pages that came in`() {
    let ins = PageIns(
      before: [residency("/own", 10), residency("/lib", 0), residency("/same", 5)],
      after: [residency("/own", 30), residency("/lib", 70), residency("/same", 5)],
      result: result([("/own", 0), ("/own", 0), ("/own", 4096), ("/else", 0)], counted: 4)
    )
    #expect(
      ins.files == [
        PageIn(path: "/lib", isOwn: false, pages: 70, faulted: 0, readAhead: 70),
        PageIn(path: "/own", isOwn: true, pages: 20, faulted: 2, readAhead: 18),
      ]
    )
    #expect(ins.notes == ["1 major fault was in files whose pages are not counted, such as /else"])
    #expect(ins.majorFaults == 4)
  }

  @Test func `does not split when faults were counted that have no record`() {
    let ins = PageIns(
      before: [residency("/own", 10)],
      after: [residency("/own", 30)],
      result: result([("/own", 0)], counted: 3)
    )
    #expect(ins.files == [PageIn(path: "/own", isOwn: true, pages: 20)])
    #expect(ins.notes.contains { $0.hasPrefix("2 of 3 major faults have no record") })
  }

  @Test func `does not split when faults were not recorded`() {
    let ins = PageIns(
      before: [residency("/own", 0)],
      after: [residency("/own", 30)],
      result: result(nil, counted: 3)
    )
    #expect(ins.files == [PageIn(path: "/own", isOwn: true, pages: 30)])
    #expect(ins.notes.count == 1)
  }

  @Test func `gives no read-ahead below zero`() {
    let ins = PageIns(
      before: [residency("/own", 29)],
      after: [residency("/own", 30)],
      result: result([("/own", 0), ("/own", 4096)], counted: 2)
    )
    #expect(ins.files == [PageIn(path: "/own", isOwn: true, pages: 1, faulted: 2)])
  }

  @Test func `takes what the tracepoints saw, and tells metadata apart`() throws {
    let path = "\(TemporaryDirectory.path)/watched"
    try TestMachine.shell("touch watched", in: TemporaryDirectory.path)
    var status = stat()
    try #require(unsafe stat(path, &status) == 0)
    let watched = FileNumber(status)
    let absent = FileNumber(major: 77, minor: 1, inode: 5)
    let mapped = FileNumber(major: 77, minor: 1, inode: 6)
    // The inode of a whole disk has the number of the disk.
    let mount = try #require(MountInfo().mounts.first { !$0.number.hasPrefix("0:") })
    let numbers = mount.number.split(separator: ":").compactMap { UInt64($0) }
    let disk = FileNumber(major: 0, minor: 3, inode: numbers[0] << 20 | numbers[1])
    var launch = result([("/lib", 0), ("/lib", 4096)], counted: 2)
    launch.faults?.reads = [
      FileReads(file: watched, pages: 30, wait: Nanoseconds(5)),
      FileReads(file: mapped, path: "/lib", pages: 20),
      FileReads(file: disk, pages: 7, wait: Nanoseconds(9)),
      FileReads(file: absent, pages: 1),
    ]
    let ins = try PageCache().pageIns(
      since: [FileResidency(path: path, isOwn: true, residentPages: 0, totalPages: 0)],
      of: launch
    )
    #expect(
      ins.files == [
        PageIn(
          path: path,
          isOwn: true,
          pages: 30,
          faulted: 0,
          readAhead: 30,
          wait: Nanoseconds(5)
        ),
        PageIn(path: "/lib", isOwn: false, pages: 20, faulted: 2, readAhead: 18, wait: .zero),
        PageIn(
          path: "inode 5 of device 77:1",
          isOwn: false,
          pages: 1,
          faulted: 0,
          readAhead: 1,
          wait: .zero
        ),
      ]
    )
    #expect(ins.metadata == MetadataReads(pages: 7, wait: Nanoseconds(9)))
  }

  @Test(
    .enabled(if: PageCacheTests.isOnDisk, "the temporary directory is in memory"),
    .enabled(if: CProgram.hasCompiler, "there is no C compiler"),
    .enabled(
      if: PageTracepointsTests.isPermitted,
      "the kernel's tracepoints cannot be used"
    )
  )
  func `names every file that a launch reads, and counts as the page cache does`() throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell(
      "for n in a b c; do head -c 3000000 /dev/urandom > $n; done",
      in: directory
    )
    let program = try CProgram(testDescription: "").compile(
      """
      #include <fcntl.h>
      #include <sys/mman.h>
      #include <sys/wait.h>
      #include <unistd.h>
      static char bytes[2000000];
      int main(void) {
        volatile char *a = mmap(0, 3000000, PROT_READ, MAP_PRIVATE, open("\(directory)/a", O_RDONLY), 0);
        for (int page = 0; page < 40; page++) a[page * 70000];
        if (fork() == 0) _exit(read(open("\(directory)/b", O_RDONLY), bytes, sizeof bytes) < 0);
        wait(0);
        return read(open("\(directory)/c", O_RDONLY), bytes, 5) < 0;
      }
      """
    )
    let cache = PageCache()
    let bench = try LaunchBench()
    let request = try bench.request([program], recordsFaults: true, tracepoints: .find())
    let paths = ["a", "b", "c"].map { FilePath("\(directory)/\($0)") } + [FilePath(program)]
    for path in paths { try cache.evict(path) }
    let result = try bench.spawner.launch(request)
    #expect(result.outcome == .ready)
    // Nothing is watched, so that each file is found by its number.
    let ins = try cache.pageIns(since: [], of: result)
    for path in paths {
      let file = try #require(ins.files.first { $0.path == path.string }, "\(ins)")
      #expect(file.pages == (try cache.residency(of: path)).residentPages, "\(path)")
    }
    #expect(ins.files.contains { $0.wait ?? .zero > .zero })
    #expect(ins.metadata != nil)
  }

  @Test(
    .enabled(if: PageCacheTests.isOnDisk, "the temporary directory is in memory"),
    .enabled(if: CProgram.hasCompiler, "there is no C compiler")
  )
  func `sees a program wait for exactly the pages that it touches`() throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell("head -c 4000000 /dev/urandom > data; ln -s data link", in: directory)
    // Random access switches read-ahead off, so that each touch is a fault; a child does some.
    let path = try CProgram(testDescription: "").compile(
      """
      #include <fcntl.h>
      #include <sys/mman.h>
      #include <sys/wait.h>
      #include <unistd.h>
      int main(void) {
        int file = open("\(directory)/link", O_RDONLY);
        volatile char *data = mmap(0, 4000000, PROT_READ, MAP_PRIVATE, file, 0);
        madvise((void *)data, 4000000, MADV_RANDOM);
        for (int page = 0; page < 50; page++) data[page * 65536 + 5];
        if (fork() == 0) { for (int page = 0; page < 7; page++) data[page * 65536 + 8192]; _exit(0); }
        wait(0);
        posix_fadvise(file, 3900000, 65536, POSIX_FADV_WILLNEED);
        char byte;
        return pread(file, &byte, 1, 3900000) == 1 ? 0 : 1;
      }
      """
    )
    let cache = PageCache()
    let files = [WatchedFile(path: FilePath("\(directory)/data"), isOwn: true)]
    let bench = try LaunchBench()
    let request = try bench.request([path], recordsFaults: true)
    try cache.evict(files[0].path)
    let before = try cache.residency(of: files)
    try #require(before[0].residentPages == 0)
    let result = try bench.spawner.launch(request)
    let faults = try #require(result.faults)
    #expect(result.outcome == .ready)
    guard faults.isComplete else { return #expect(!faults.notes.isEmpty) }
    let ins = try cache.pageIns(since: before, of: result)
    #expect(ins.files.map(\.path) == [files[0].path.string])
    #expect(ins.files.first?.faulted == 57)
    #expect(ins.files.first?.readAhead ?? 0 > 0)
    let own = faults.events.filter { $0.text == files[0].path.string }
    #expect(own.map(\.address).prefix(3) == [0, 65_536, 131_072])
    #expect(Set(own.map(\.pid)).count == 2)
  }
}
