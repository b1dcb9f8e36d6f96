import LaunchCore
import Stages
import Testing

@Suite("Where the critical path ends")
struct ReadyPathTests {
  @Test("a process that exits is ready when its thread has stopped for good")
  func exit() {
    var events = EventList.demo
    events.enter("exit_group", 0, at: 20)
    events.end(at: 22)
    events.block(at: 30)
    #expect(
      events.path(until: 37).lines(from: 12) == [
        "12-20 main: own code", "20-30 main: exit_group", "30-37 main: harness",
      ]
    )
    // It is waited for before it has stopped.
    #expect(
      events.path(until: 25).lines(from: 12) == ["12-20 main: own code", "20-25 main: exit_group"]
    )
  }

  @Test("a process that exits may wait while it takes its memory down")
  func waitAtExit() {
    var events = EventList.demo
    events.enter("exit_group", 0, at: 20)
    events.end(at: 22)
    events.block(at: 24)
    events.wake(by: 4, name: "kworker", at: 28)
    events.run(at: 28)
    events.block(at: 30)
    #expect(
      events.path(until: 31).lines(from: 20) == [
        "20-24 main: exit_group", "24-28 main: wait exit_group for kworker",
        "28-30 main: exit_group", "30-31 main: harness",
      ]
    )
  }

  @Test("a process that exits is ready when its last thread has ended")
  func lastThread() {
    var events = EventList.demo
    events.start(101, at: 15)
    events.run(at: 15, 101)
    events.enter("exit", at: 20)
    events.end(at: 21)
    events.block(at: 22)
    events.end(at: 50, 101)
    events.block(at: 51, 101)
    #expect(
      events.path(until: 60).lines(from: 12) == [
        "12-15 main: own code", "15-51 thread 1: own code", "51-60 thread 1: harness",
      ]
    )
  }

  @Test("output makes ready, not what is written elsewhere or later")
  func output() {
    var events = EventList.demo
    events.start(101, at: 15)
    events.run(at: 15, 101)
    events.enter("write", 1, at: 20, 101)
    events.leave(6, at: 22, 101)
    events.enter("write", 2, at: 30)
    events.leave(6, at: 32)
    events.enter("write", 1, at: 60)
    let stdout = Readiness.output(stream: .stdout, pattern: "ready")
    #expect(
      events.path(until: 50, stdout).lines(from: 12) == [
        "12-15 main: own code", "15-20 thread 1: own code", "20-22 thread 1: write stdout",
        "22-50 thread 1: harness",
      ]
    )
    let stderr = Readiness.output(stream: .stderr, pattern: "ready")
    #expect(events.path(until: 50, stderr).lines(from: 30).last == "32-50 main: harness")
  }

  @Test("a launch can be ready while its thread still is in the call that made it so")
  func withinCall() {
    var events = EventList.demo
    events.enter("write", 1, at: 20)
    events.leave(6, at: 40)
    let ready = Readiness.output(stream: .stdout, pattern: "ready")
    #expect(
      events.path(until: 30, ready).lines(from: 12) == [
        "12-20 main: own code", "20-30 main: write stdout",
      ]
    )
  }

  @Test("a notification is what the process sent that said so")
  func notification() {
    var events = EventList.demo
    events.start(200, process: 200, at: 14)
    events.run(at: 14, 200)
    events.enter("sendto", 5, text: "unix:/run/notify", at: 20, 200)
    events.leave(7, at: 22, 200)
    events.enter("sendto", 5, text: "unix:/dev/log", at: 30)
    events.leave(7, at: 32)
    #expect(
      events.path(until: 40, .notify, readyProcess: 200).lines.last == "22-40 demo: harness"
    )
    #expect(events.path(until: 40, .mark(name: "ready")).lines.last == "32-40 main: harness")
  }

  @Test(
    "a port or a socket is ready when a thread listens on it",
    arguments: [
      (Readiness.tcp(host: "localhost", port: 7_379), "127.0.0.1:7379"),
      (.tcp(host: "localhost", port: 40_001), "0.0.0.0:40001"),
      (.unix(path: "/run/x.sock"), "unix:/run/x.sock"),
    ]
  )
  func listening(_ readiness: Readiness, _ address: String) {
    var events = EventList.demo
    events.call("socket", 2, 1, result: 3, at: 13)
    events.call("bind", 3, text: address, at: 15)
    events.call("socket", 2, 1, result: 4, at: 17)
    events.call("bind", 4, text: "127.0.0.1:1", at: 19)
    events.call("listen", 3, at: 21)
    events.call("listen", 4, at: 30)
    #expect(events.path(until: 40, readiness).lines.last == "22-40 main: harness")
  }

  @Test("HTTP is ready when a thread has answered")
  func answer() {
    var events = EventList.demo
    events.call("socket", 2, 1, result: 3, at: 13)
    events.call("bind", 3, text: "0.0.0.0:80", at: 15)
    events.call("listen", 3, at: 21)
    events.call("accept4", 3, result: 4, at: 25)
    events.call("writev", 4, result: 99, at: 28)
    events.call("write", 1, result: 99, at: 35)
    let ready = Readiness.http(host: "localhost", port: 80, path: "/")
    #expect(
      events.path(until: 40, ready).lines(from: 28) == [
        "28-29 main: writev 0.0.0.0:80", "29-40 main: harness",
      ]
    )
  }

  @Test("a file exists when it was opened or renamed")
  func file() {
    var events = EventList.demo
    events.call("openat", -100, text: "run/ready", result: 3, at: 20)
    events.call("openat", -100, text: "/etc/passwd", result: 4, at: 25)
    let ready = Readiness.file(path: "/srv/run/ready")
    #expect(events.path(until: 40, ready).lines.last == "21-40 main: harness")
    events = .demo
    events.call("rename", text: "/srv/ready.tmp", at: 20)
    events.call("openat", -100, text: "/etc/passwd", result: 4, at: 25)
    #expect(events.path(until: 40, ready).lines.last == "21-40 main: harness")
  }

  @Test(
    "without a call that made it ready, the path is that of the main thread",
    arguments: [
      Readiness.exit, .output(stream: .stdout, pattern: "x"), .notify, .mark(name: "x"),
      .tcp(host: "localhost", port: 1), .unix(path: "/x"), .file(path: "/x"),
      .http(host: "localhost", port: 1, path: "/"),
    ]
  )
  func nobody(_ readiness: Readiness) {
    var events = EventList.demo
    events.enter("poll", at: 20)
    events.block(at: 21)
    #expect(
      events.path(until: 40, readiness).lines(from: 12) == [
        "12-20 main: own code", "20-21 main: poll", "21-40 main: wait poll",
      ]
    )
  }
}
