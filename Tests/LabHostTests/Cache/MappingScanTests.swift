import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct MappingScanTests {
  private var root: String { TemporaryDirectory.path }

  /// Makes a tree in which the processes map `file`.
  private func scan(_ processes: [Int], selfID: Int = 99) throws -> String {
    try TestMachine.shell(
      """
      echo x > file; echo x > unmapped; mkdir proc
      device=$(printf '%02x:%02x' $(stat -c '0x%Hd 0x%Ld' file)); inode=$(stat -c %i file)
      for p in 7 \(processes.map(String.init).joined(separator: " ")); do
        mkdir proc/$p; echo init > proc/$p/comm; echo "00-01 rw-p 00000000 00:00 0 [heap]" > proc/$p/maps
        test $p = 7 || echo "01-02 r-xp 00001000 $device $inode          $PWD/file" >> proc/$p/maps
      done
      """,
      in: root
    )
    let file = FilePath("\(root)/file")
    let unmapped = FilePath("\(root)/unmapped")
    let scan = MappingScan(of: [file, unmapped], root: FilePath(root), selfID: selfID)
    #expect(scan.describe(unmapped) == "mapped by no process that can be read")
    return scan.describe(file)
  }

  @Test func `names the only process`() throws {
    #expect(try scan([1]) == "mapped by pid 1 (init)")
  }

  @Test func `counts the others`() throws {
    #expect(try scan([1, 20, 3]) == "mapped by pid 1 (init) and 2 others")
  }

  @Test func `counts one other`() throws {
    #expect(try scan([30, 4]) == "mapped by pid 4 (init) and 1 other")
  }

  @Test func `says when launchlab itself is among them`() throws {
    #expect(try scan([1, 20, 3], selfID: 20) == "mapped by launchlab itself and 2 others")
  }

  @Test func `finds what this process maps`() throws {
    let loader = try #require(DeclaredDirectory.realPath(of: "/proc/self/exe"))
    let scan = MappingScan(of: [loader])
    #expect(scan.describe(loader).hasPrefix("mapped by launchlab itself"))
  }
}
