import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct PageTracepointsTests {
  /// Those of Linux 6.18, as its tracing files describe them.
  static let tree = HostTree(
    root: FilePath("\(Bundle.module.resourceURL?.path ?? "")/Fixtures/tracing")
  )

  static let isPermitted = PageTracepoints.find() != nil

  @Test func `reads the numbers and fields of the running kernel`() throws {
    let tracepoints = try #require(PageTracepoints(in: Self.tree))
    #expect(tracepoints.numbers == [600, 597, 599, 372])
    #expect(tracepoints.added.offset(of: "i_ino") == 16)
    #expect(tracepoints.added.offset(of: "order") == 36)
    #expect(tracepoints.read?.offset(of: "s_dev") == 16)
    #expect(tracepoints.switched.offset(of: "absent") == nil)
  }

  @Test func `needs no more than the pages that are added`() throws {
    let directory = TemporaryDirectory.path
    try TestMachine.shell("cp -r \(Self.tree.root) tracing", in: directory)
    try TestMachine.shell("rm -r tracing/events/filemap/mm_filemap_[fg]*", in: directory)
    let tree = HostTree(root: FilePath("\(directory)/tracing"))
    #expect(PageTracepoints(in: tree)?.numbers == [600, 0, 0, 372])
    try TestMachine.shell("rm -r tracing/events/sched", in: directory)
    #expect(PageTracepoints(in: tree) == nil)
  }

  @Test(.enabled(if: isPermitted, "the kernel's tracepoints cannot be used"))
  func `finds those of this kernel, and leaves nothing mounted`() throws {
    let before = HostTree().text(at: "proc/self/mountinfo")
    let tracepoints = try #require(PageTracepoints.find())
    #expect(tracepoints.added.number != tracepoints.switched.number)
    #expect(tracepoints.added.offset(of: "s_dev") != nil)
    #expect(HostTree().text(at: "proc/self/mountinfo") == before)
  }
}
