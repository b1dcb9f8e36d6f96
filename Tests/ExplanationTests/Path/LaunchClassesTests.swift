import LaunchCore
import Stages
import Testing

@Suite("Time by class and resource")
struct LaunchClassesTests {
  private func path(_ activities: [(LaunchActor, Activity)]) -> LaunchPath {
    let segments = activities.enumerated().map { place, pair in
      PathSegment(
        start: Nanoseconds(Int64(place) * 10),
        end: Nanoseconds(Int64(place) * 10 + 10),
        actor: pair.0,
        activity: pair.1
      )
    }
    return LaunchPath(segments: segments, counts: [:], eventCounts: segments.map { _ in 2 })
  }

  @Test("adds up what an actor did, and keeps apart what was lost")
  func classes() {
    let child = LaunchActor.process(program: "true", thread: 0)
    let classes = LaunchClasses(
      path([
        (.main, .ownCode), (.main, .systemCall(name: "read", object: "/etc/a")), (.main, .ownCode),
        (.main, .systemCall(name: "read", object: "/etc/b")), (child, .ownCode), (.main, .queue),
        (.main, .wait(name: "read", object: "pipe", waker: "x")), (.main, .harness),
        (.main, .diskWait(name: nil, object: "/var/x")), (.main, .faultWait), (.main, .unknown),
      ])
    )
    #expect(
      classes.classes == [
        ClassKey(actor: .main, activity: .ownCode): Nanoseconds(20),
        ClassKey(actor: child, activity: .ownCode): Nanoseconds(10),
        ClassKey(actor: .main, activity: .call("read")): Nanoseconds(20),
        ClassKey(actor: .main, activity: .wait("read")): Nanoseconds(10),
        ClassKey(actor: .main, activity: .diskWait): Nanoseconds(10),
        ClassKey(actor: .main, activity: .faultWait): Nanoseconds(10),
      ]
    )
    #expect(classes.queue == Nanoseconds(10))
    #expect(classes.harness == Nanoseconds(10))
    #expect(classes.unknown == Nanoseconds(10))
    #expect(classes.attributable == Nanoseconds(80))
    #expect(classes.resources.values.reduce(.zero, +) == Nanoseconds(80))
    #expect(classes.resources[["own code"]] == Nanoseconds(30))
    #expect(classes.classEvents[ClassKey(actor: .main, activity: .call("read"))] == 4)
    #expect(classes.resourceEvents[["own code"]] == 6)
  }

  @Test(
    "a resource is a path in a tree",
    arguments: [
      (Activity.ownCode, ["own code"]), (.faultWait, ["page faults"]),
      (
        .systemCall(name: "openat", object: "/etc/passwd"),
        ["files", "/etc", "/etc/passwd", "openat"]
      ),
      (.systemCall(name: "openat", object: "/x"), ["files", "/", "/x", "openat"]),
      (.systemCall(name: "openat", object: "state.tmp"), ["files", ".", "state.tmp", "openat"]),
      (.systemCall(name: "mmap", object: nil), ["kernel", "mmap"]),
      (.systemCall(name: "write", object: "stdout"), ["kernel", "write", "stdout"]),
      (
        .systemCall(name: "read", object: "unix:/run/x.sock"),
        ["sockets", "unix:/run/x.sock", "read"]
      ),
      (.systemCall(name: "read", object: "[::1]:#"), ["sockets", "[::1]:#", "read"]),
      (.systemCall(name: "execve", object: "/bin/x"), ["processes", "execve", "/bin/x"]),
      (.systemCall(name: "clone3", object: nil), ["processes", "clone3"]),
      (.wait(name: "clock_nanosleep", object: nil, waker: nil), ["waits", "clock_nanosleep"]),
      (.wait(name: "read", object: "pipe", waker: "x"), ["waits", "read", "pipe"]),
      (.diskWait(name: "fsync", object: "/var/x"), ["disk", "/var/x"]),
      (.diskWait(name: "sync", object: nil), ["disk", "sync"]),
      (.diskWait(name: nil, object: nil), ["disk", "page fault"]),
    ]
  )
  func resources(_ activity: Activity, _ expected: [String]) {
    #expect(ResourceKey(activity).path == expected)
  }
}
