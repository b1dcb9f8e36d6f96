import LaunchCore
import Testing

@testable import Stages

@Suite("What system calls work on")
struct CallObjectTests {
  /// A launch that reads descriptor 9 at last.
  private func readObject(_ prepare: (inout EventList) -> Void) -> String? {
    var events = EventList.demo
    prepare(&events)
    events.enter("read", 9, at: 1_000)
    for case .systemCall("read", let object) in events.path(until: 1_001).segments.map(\.activity) {
      return object
    }
    return "no call"
  }

  @Test("a descriptor is what it was opened, duplicated or connected as")
  func descriptors() {
    #expect(readObject { _ in } == nil)
    #expect(readObject { $0.call("openat", -100, text: "/etc/x", result: 9, at: 20) } == "/etc/x")
    #expect(readObject { $0.call("openat", -100, text: "/etc/x", result: -2, at: 20) } == nil)
    #expect(readObject { $0.call("creat", text: "/etc/x", result: 9, at: 20) } == "/etc/x")
    #expect(readObject { $0.call("dup2", 1, 9, result: 9, at: 20) } == "stdout")
    #expect(readObject { $0.call("dup3", 2, 9, result: 9, at: 20) } == "stderr")
    #expect(readObject { $0.call("dup", 0, result: 9, at: 20) } == "stdin")
    #expect(readObject { $0.call("fcntl", 0, 0, 9, result: 9, at: 20) } == "stdin")
    #expect(readObject { $0.call("fcntl", 0, 1_030, 9, result: 9, at: 20) } == "stdin")
    #expect(readObject { $0.call("fcntl", 0, 3, result: 9, at: 20) } == nil)
    #expect(readObject { $0.call("eventfd2", 0, 0, result: 9, at: 20) } == "eventfd")
    #expect(readObject { $0.call("epoll_create1", 0, result: 9, at: 20) } == "epoll")
    #expect(readObject { $0.call("pipe2", 0, 0, at: 20) } == "pipe")
    #expect(readObject { $0.call("pipe2", 0, 0, result: -24, at: 20) } == nil)
    #expect(readObject { $0.call("socket", 16, 3, result: 9, at: 20) } == "netlink socket")
  }

  @Test("a connected or accepted socket is called by its address")
  func sockets() {
    let connected = readObject {
      $0.call("socket", 2, 1, result: 9, at: 20)
      $0.call("connect", 9, text: "127.0.0.1:80", result: -115, at: 22)
    }
    #expect(connected == "127.0.0.1:80")
    let accepted = readObject {
      $0.call("socket", 1, 1, result: 3, at: 20)
      $0.call("bind", 3, text: "unix:/run/x.sock", at: 22)
      $0.call("accept4", 3, result: 9, at: 24)
    }
    #expect(accepted == "unix:/run/x.sock")
  }

  @Test("a closed descriptor is nothing")
  func closing() {
    func after(_ close: (inout EventList) -> Void) -> String? {
      readObject {
        $0.call("openat", -100, text: "/etc/x", result: 9, at: 20)
        close(&$0)
      }
    }
    #expect(after { _ in } == "/etc/x")
    #expect(after { $0.call("close", 9, at: 30) } == nil)
    #expect(after { $0.call("close_range", 3, 0xFFFF_FFFF, 0, at: 30) } == nil)
    #expect(after { $0.call("close_range", 3, 8, 0, at: 30) } == "/etc/x")
  }

  @Test("a path below a directory is prefixed with it")
  func directories() {
    func object(_ directory: Int64, _ path: String) -> String? {
      readObject {
        $0.call("openat", -100, text: "/srv/plugins", result: 5, at: 20)
        $0.call("openat", directory, text: path, result: 9, at: 30)
      }
    }
    #expect(object(5, "a.so") == "/srv/plugins/a.so")
    #expect(object(5, "/etc/x") == "/etc/x")
    #expect(object(6, "a.so") == "a.so")
    #expect(object(-100, "a.so") == "a.so")
    #expect(object(0xFFFF_FF9C, "a.so") == "a.so")
    #expect(object(5, "") == "/srv/plugins")
  }

  @Test("a child has a copy of the descriptors, and threads have the same")
  func inheritance() {
    var events = EventList.demo
    events.call("openat", -100, text: "/etc/x", result: 9, at: 20)
    events.start(200, process: 200, at: 22)
    events.start(101, at: 23)
    events.call("close", 9, at: 25, 101)
    events.call("read", 9, at: 30)
    events.call("read", 9, at: 30, 200)
    let path = events.path(until: 40)
    #expect(path.count("read", nil) == 1)
    #expect(path.count("read", "/etc/x") == 1)
    #expect(path.count("close", "/etc/x") == 1)
  }

  @Test("execution closes the descriptors that ask for it")
  func execution() {
    var events = EventList.demo
    events.call("openat", -100, 0, 0x80000, text: "/etc/x", result: 8, at: 20)
    events.call("openat", -100, 0, 0, text: "/etc/y", result: 9, at: 22)
    events.call("openat", -100, 0, 0, text: "/etc/z", result: 10, at: 24)
    events.call("fcntl", 10, 2, 1, at: 26)
    events.execute("/bin/next", at: 30)
    events.leave(at: 31)
    for descriptor in 8...10 { events.call("read", Int64(descriptor), at: 40) }
    let path = events.path(until: 50)
    #expect(path.count("read", nil) == 2)
    #expect(path.count("read", "/etc/y") == 1)
  }

  @Test("page faults are counted by the file that is mapped there")
  func faults() {
    var events = EventList.demo
    events.fault(0x5000_0000, at: 13)
    events.call("openat", -100, text: "/lib/x.so", result: 3, at: 14)
    events.call("mmap", 0, 0x9000, 1, 2, result: 0x7000_0000, at: 16)
    // The file is known though its descriptor is not recorded; other memory is put over its end.
    events.call("mmap", 0x7000_4000, 0x2000, 1, 0x32, result: 0x7000_4000, at: 18)
    events.call("close", 3, at: 20)
    events.call("munmap", 0x7000_8000, 0x1000, at: 22)
    events.call("brk", 0, result: 0x6000_0000, at: 24)
    events.call("brk", 0x6000_3000, result: 0x6000_3000, at: 26)
    for address: UInt64 in [0x7000_0000, 0x7000_3FFF, 0x7000_6000] { events.fault(address, at: 30) }
    for address: UInt64 in [0x7000_4000, 0x7000_5FFF, 0x6000_2FFF] { events.fault(address, at: 30) }
    for address: UInt64 in [0x7000_8000, 0x6000_3000, 0x6FFF_FFFF] { events.fault(address, at: 30) }
    let counts = events.path(until: 40).counts
    #expect(counts[.faults(file: "/lib/x.so")] == 3)
    #expect(counts[.faults(file: nil)] == 3)
    #expect(counts[.faults(file: "[mapped by execve]")] == 4)
  }

  @Test(
    "pages that come in are counted by the file that the launch asked for, those read ahead apart"
  )
  func pageIns() {
    var events = EventList.demo
    events.call("openat", -100, text: "/lib/x.so", result: 3, at: 14)
    events.call("mmap", 0, 0x9000, 1, 2, 3, result: 0x7000_0000, at: 16)
    events.fault(0x7000_0000, at: 20)
    for time: Int64 in [21, 22] { events.add(.pagedIn(pages: 16), at: time) }
    events.enter("read", 3, 0, 5_000, at: 30)
    for time: Int64 in [31, 32, 33] { events.add(.pagedIn(pages: 1), at: time) }
    events.leave(5_000, at: 34)
    events.enter("newfstatat", -100, text: "/etc/y", at: 36)
    events.add(.pagedIn(pages: 4), at: 37)
    events.leave(at: 38)
    events.call("openat", -100, 1, text: "/var/z", result: 4, at: 40)
    events.enter("readahead", 4, 0, 8_192, at: 42)
    events.add(.pagedIn(pages: 2), at: 43)
    events.leave(at: 44)
    events.enter("write", 4, 0, 4_096, at: 46)
    events.add(.pagedIn(pages: 1), at: 47)
    events.leave(4_096, at: 48)
    events.fault(0x6000_0000, at: 52)
    events.add(.pagedIn(pages: 8), at: 60)
    let counts = events.path(until: 55).counts
    #expect(counts[.pageIns(file: "/lib/x.so")] == 35)
    #expect(counts[.readAhead(file: "/lib/x.so")] == 32)
    #expect(counts[.pageIns(file: "/etc/y")] == 4)
    #expect(counts[.readAhead(file: "/etc/y")] == nil)
    #expect(counts[.pageIns(file: "/var/z")] == 2)
    #expect(counts[.readAhead(file: "/var/z")] == 2)
    #expect(counts[.pageIns(file: "[mapped by execve]")] == nil)
  }

  @Test("a call that finds no file of its path is counted twice")
  func lookups() {
    var events = EventList.demo
    for (result, time) in [(Int64(-2), Int64(14)), (-20, 16), (-13, 18), (3, 20)] {
      events.call("openat", -100, text: "/lib/x.so", result: result, at: time)
    }
    events.call("read", 3, result: -2, at: 22)
    events.call("stat", text: "/etc/late", result: -2, at: 60)
    let counts = events.path(until: 55).counts
    #expect(counts[.call(name: "openat", object: "/lib/x.so")] == 4)
    #expect(counts[.missing(name: "openat", object: "/lib/x.so")] == 2)
    #expect(counts.keys.count(where: \.isMissing) == 1)
  }

  @Test("a mapping that moves takes its file along")
  func moving() {
    var events = EventList.demo
    events.call("openat", -100, text: "/var/x", result: 3, at: 14)
    events.call("mmap", 0, 0x1000, 1, 2, 3, result: 0x7000_0000, at: 16)
    events.call("mremap", 0x7000_0000, 0x1000, 0x3000, 1, result: 0x8000_0000, at: 18)
    events.fault(0x8000_2000, at: 20)
    events.fault(0x7000_0000, at: 21)
    let counts = events.path(until: 40).counts
    #expect(counts[.faults(file: "/var/x")] == 1)
    #expect(counts[.faults(file: "[mapped by execve]")] == 1)
  }

  @Test(
    "paths are the same in every launch",
    arguments: [
      ("/proc/4711/maps", "/proc/#/maps"), ("/proc/12/task/13/stat", "/proc/#/task/#/stat"),
      ("/proc/self/maps", "/proc/self/maps"), ("/run/user/1000/bus", "/run/user/#/bus"),
      ("/var/x.48151", "/var/x.#"), ("/var/2024/x", "/var/#/x"), ("/a/20240131", "/a/20240131"),
      ("/usr/lib/x.so.20230802", "/usr/lib/x.so.20230802"),
      ("/usr/lib/x-1024.so", "/usr/lib/x-1024.so"),
      ("/srv/0123456789abcdef0123/x", "/srv/#/x"), ("/nix/9f8e7d6c5b4a3-x", "/nix/#-x"),
      ("/tmp/ccX3bq.o", "/tmp/#.o"), ("/tmp/demo12.o", "/tmp/demo12.o"),
      ("/tmp/tmp.aB3xYz0Qw1", "/tmp/tmp.#"),
      ("/tmp/x-k3J9sQ/y", "/tmp/x-#/y"), ("/tmp/tmpab12_xyz", "/tmp/tmp#"),
      ("/tmp/plugins/plugin12.conf", "/tmp/plugins/plugin12.conf"), ("", ""), ("/", "/"),
      ("a//b/", "a//b/"), ("plugins/x", "plugins/x"),
    ]
  )
  func masking(_ path: String, _ expected: String) {
    #expect(ObjectName.masked(path) == expected)
  }

  @Test(
    "the directories in which two commands look for the same have the same name",
    arguments: [
      (["x", "/srv/old/src/a.py"], ["x", "/srv/new/src/b.py"], "/srv/old/lib/c", "…/lib/c"),
      (["x", "/srv/old/src/a.py"], ["x", "/srv/new/src/b.py"], "/srv/new", "…"),
      (["x", "P=/opt/x:/a/b-1/c"], ["x", "P=/opt/x:/a/b-2/c"], "/a/b-2/c/d", "…/c/d"),
      (["x", "old/a.js"], ["x", "new/a.js"], "/home/ada/old/b.js", "…/b.js"),
      (["x", "old/a.js"], ["x", "new/a.js"], "new/b.js", "…/b.js"),
      (["x", "./old/a.js"], ["x", "./new/a.js"], "/home/ada/old/b.js", "…/b.js"),
      (["x", "../old/a.js"], ["x", "../new/a.js"], "/home/new/b.js", "/home/new/b.js"),
      (["x", "/srv/a.py"], ["x", "/srv/b.py"], "/srv/a.py", "/srv/a.py"),
      (["x", "/srv/old/a"], ["x", "/srv/new/b"], "/srv/old/c", "/srv/old/c"),
      (["x", "/var/lib/a"], ["x", "/var/cache/a"], "/var/lib/c", "/var/lib/c"),
      (["/bin/x"], ["/usr/bin/x"], "/usr/lib/c", "/usr/lib/c"),
      (["/usr/bin/x"], ["/usr/local/bin/x"], "/usr/bin/c", "/usr/bin/c"),
      (["x", "/srv/old/a"], ["x", "-v", "/srv/new/a"], "/srv/old/a", "/srv/old/a"),
    ]
  )
  func directories(_ own: [String], _ other: [String], _ path: String, _ expected: String) {
    for (own, other) in [(own, other), (other, own)] {
      var naming = ProgramNaming()
      naming.unify(own, other, below: "/home/ada")
      #expect(naming.name(of: path) == expected)
    }
  }

  @Test("temporary ports are the same in every launch")
  func ports() {
    #expect(ObjectName(address: "127.0.0.1:80").text == "127.0.0.1:80")
    #expect(ObjectName(address: "127.0.0.1:43210").text == "127.0.0.1:#")
    #expect(ObjectName(address: "[::1]:43210").text == "[::1]:#")
    #expect(ObjectName(address: "unix:/run/user/1000/bus").text == "unix:/run/user/#/bus")
  }
}
