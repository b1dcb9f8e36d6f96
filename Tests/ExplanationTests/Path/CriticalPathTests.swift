import LaunchCore
import Stages
import Testing

@Suite("The critical path")
struct CriticalPathTests {
  @Test("time in own code and in system calls is that of the thread that runs")
  func running() {
    var events = EventList.demo
    events.enter("openat", -100, text: "/etc/passwd", at: 20)
    events.leave(3, at: 25)
    events.enter("getpid", at: 30)
    events.leave(7, at: 31)
    events.end(at: 40)
    #expect(
      events.path(until: 40).lines == [
        "0-12 main: execve /bin/demo", "12-20 main: own code", "20-25 main: openat /etc/passwd",
        "25-30 main: own code", "30-31 main: getpid", "31-40 main: own code",
      ]
    )
  }

  @Test("time before the program is executed is that of its execution, whatever the child does")
  func beforeExecution() {
    var events = EventList()
    events.start(EventList.main, process: EventList.main, at: -50, 7)
    events.run(at: -40)
    events.call("setsid", at: -30)
    events.enter("execve", text: "/bin/demo", at: 1)
    events.block(forDisk: true, at: 4)
    events.wake(by: 0, interrupt: true, at: 6)
    events.run(at: 7)
    events.execute("/bin/demo", at: 10)
    events.leave(at: 12)
    events.end(at: 20)
    #expect(
      events.path(until: 20).lines == [
        "0-4 main: execve /bin/demo", "4-6 main: disk execve /bin/demo", "6-7 main: queue",
        "7-12 main: execve /bin/demo", "12-20 main: own code",
      ]
    )
    #expect(events.path(until: 20).count("setsid", nil) == 0)
  }

  @Test("events that start in the middle of the execution leave no gap")
  func lateEvents() {
    var events = EventList()
    events.execute("/bin/demo", at: 10)
    events.leave(at: 12)
    events.end(at: 20)
    #expect(
      events.path(until: 20).lines == ["0-12 main: execve /bin/demo", "12-20 main: own code"]
    )
  }

  @Test("a thread that could run is in the queue")
  func queue() {
    var events = EventList.demo
    events.preempt(at: 20)
    events.run(at: 50)
    events.enter("write", 1, at: 60)
    events.preempt(at: 62)
    events.run(at: 64)
    events.leave(at: 70)
    events.end(at: 70)
    #expect(
      events.path(until: 70).lines(from: 12) == [
        "12-20 main: own code", "20-50 main: queue", "50-60 main: own code",
        "60-62 main: write stdout", "62-64 main: queue", "64-70 main: write stdout",
      ]
    )
  }

  @Test("a wait that an interrupt ends is one for nobody")
  func interrupt() {
    var events = EventList.demo
    events.enter("clock_nanosleep", at: 20)
    events.block(at: 22)
    // The thread that was interrupted is one of the launch, by chance.
    events.wake(by: EventList.main, interrupt: true, at: 80)
    events.run(at: 82)
    events.leave(at: 85)
    events.end(at: 90)
    #expect(
      events.path(until: 90).lines(from: 20) == [
        "20-22 main: clock_nanosleep", "22-80 main: wait clock_nanosleep", "80-82 main: queue",
        "82-85 main: clock_nanosleep", "85-90 main: own code",
      ]
    )
  }

  @Test("a wait that a stranger ends is one for it, with the object")
  func stranger() {
    var events = EventList.demo
    events.call("socket", 1, 1, result: 3, at: 13)
    events.call("connect", 3, text: "unix:/run/x.sock", at: 15)
    events.enter("read", 3, at: 20)
    events.block(at: 22)
    events.wake(by: 4, name: "daemon", at: 80)
    events.run(at: 80)
    events.leave(at: 81)
    events.end(at: 81)
    #expect(
      events.path(until: 81).lines(from: 20) == [
        "20-22 main: read unix:/run/x.sock",
        "22-80 main: wait read unix:/run/x.sock for daemon", "80-81 main: read unix:/run/x.sock",
      ]
    )
  }

  @Test("a wait for a thread of the launch is what that thread did meanwhile")
  func thread() {
    var events = EventList.demo
    events.enter("clone3", at: 20)
    events.start(101, at: 22)
    events.leave(101, at: 24)
    events.run(at: 26, 101)
    events.leave(0, at: 27, 101)
    events.enter("futex", at: 30)
    events.block(at: 31)
    events.enter("futex", at: 60, 101)
    events.wake(by: 101, at: 62)
    events.run(at: 65)
    events.leave(at: 66)
    events.end(at: 70)
    #expect(
      events.path(until: 70).lines(from: 20) == [
        "20-24 main: clone3", "24-30 main: own code", "30-31 main: futex",
        "31-60 thread 1: own code", "60-62 thread 1: futex", "62-65 main: queue",
        "65-66 main: futex", "66-70 main: own code",
      ]
    )
  }

  @Test("before its first instant, a thread's time is that of the thread that started it")
  func birth() {
    var events = EventList.demo
    events.start(101, at: 20)
    events.run(at: 22, 101)
    events.start(102, at: 30, 101)
    events.run(at: 33, 102)
    events.enter("futex", at: 21)
    events.block(at: 22)
    events.wake(by: 102, at: 50)
    events.run(at: 50)
    events.end(at: 60)
    #expect(
      events.path(until: 60).lines(from: 12) == [
        "12-21 main: own code", "21-22 main: futex", "22-30 thread 1: own code",
        "30-33 thread 2: queue", "33-50 thread 2: own code", "50-60 main: futex",
      ]
    )
  }

  @Test("the first moments of a new thread are in the call that started it")
  func returningFromClone() {
    var events = EventList.demo
    events.enter("clone3", at: 20)
    events.start(101, at: 21)
    events.leave(101, at: 22)
    events.enter("futex", at: 22)
    events.block(at: 22)
    events.run(at: 25, 101)
    events.leave(at: 30, 101)
    events.wake(by: 101, at: 40)
    events.run(at: 40)
    events.end(at: 50)
    #expect(
      events.path(until: 50).lines(from: 20) == [
        "20-22 main: clone3", "22-25 thread 1: queue", "25-30 thread 1: clone3",
        "30-40 thread 1: own code", "40-50 main: futex",
      ]
    )
  }

  @Test("waits within waits return to those who wait, each at its own beginning")
  func nested() {
    var events = EventList.demo
    events.start(101, at: 13)
    events.run(at: 13, 101)
    events.start(102, at: 14)
    events.run(at: 14, 102)
    events.enter("poll", at: 20)
    events.block(at: 20)
    events.enter("read", 9, at: 30, 101)
    events.block(at: 30, 101)
    events.enter("write", 8, at: 50, 102)
    events.wake(by: 102, at: 55, 101)
    events.run(at: 55, 101)
    events.leave(at: 60, 101)
    events.enter("write", 9, at: 70, 101)
    events.wake(by: 101, at: 75)
    events.run(at: 75)
    events.leave(at: 80)
    events.end(at: 80)
    #expect(
      events.path(until: 80).lines(from: 12) == [
        "12-20 main: own code", "20-30 thread 1: own code", "30-50 thread 2: own code",
        "50-55 thread 2: write", "55-60 thread 1: read", "60-70 thread 1: own code",
        "70-75 thread 1: write", "75-80 main: poll",
      ]
    )
  }

  @Test("processes are called by what they run, and before that by what they execute first")
  func processes() {
    var events = EventList(executing: "/bin/sh")
    events.enter("vfork", at: 20)
    events.start(200, process: 200, at: 21)
    events.block(at: 22)
    events.run(at: 23, 200)
    events.leave(at: 24, 200)
    events.enter("execve", text: "/usr/bin/env", at: 30, 200)
    events.execute("/usr/bin/env", at: 35, 200)
    events.wake(by: 200, at: 36)
    events.leave(at: 37, 200)
    events.run(at: 38)
    events.leave(200, at: 39)
    events.enter("wait4", at: 40)
    events.block(at: 41)
    events.enter("execve", text: "/usr/bin/python3.11", at: 50, 200)
    events.execute("/usr/bin/python3.11", at: 55, 200)
    events.leave(at: 56, 200)
    events.start(201, process: 200, at: 60, 200)
    events.run(at: 60, 201)
    events.enter("futex", at: 61, 200)
    events.block(at: 62, 200)
    events.wake(by: 201, at: 80, 200)
    events.run(at: 80, 200)
    events.enter("exit_group", at: 81, 200)
    events.wake(by: 200, at: 85)
    events.run(at: 86)
    events.leave(200, at: 87)
    events.end(at: 90)
    #expect(
      events.path(until: 90).lines(from: 20) == [
        "20-22 main: vfork", "22-23 env: queue", "23-24 env: vfork", "24-30 env: own code",
        "30-36 env: execve /usr/bin/env", "36-38 main: queue", "38-39 main: vfork",
        "39-40 main: own code", "40-41 main: wait4", "41-50 env: own code",
        "50-55 env: execve /usr/bin/python3.11", "55-56 python3.11: execve /usr/bin/python3.11",
        "56-61 python3.11: own code", "61-62 python3.11: futex", "62-80 python3.11#1: own code",
        "80-81 python3.11: futex", "81-85 python3.11: exit_group", "85-86 main: queue",
        "86-87 main: wait4", "87-90 main: own code",
      ]
    )
    #expect(events.path(until: 90).counts[.processes(program: "python3.11")] == 1)
    #expect(events.path(until: 90).counts[.processes(program: "env")] == nil)
  }

  @Test("waits in page faults are for the disk or for another reason")
  func faults() {
    var events = EventList.demo
    events.call("openat", -100, text: "/var/x", result: 3, at: 13)
    events.call("mmap", 0, 8_192, 1, 2, 3, result: 0x7000_0000, at: 15)
    events.fault(0x7000_1234, at: 20)
    events.block(forDisk: true, at: 22)
    events.wake(by: 0, interrupt: true, at: 30)
    events.run(at: 30)
    events.fault(0x9000_0000, at: 40)
    events.block(at: 42)
    events.wake(by: 0, interrupt: true, at: 44)
    events.run(at: 44)
    events.enter("read", 3, at: 50)
    events.block(forDisk: true, at: 51)
    events.wake(by: 9, name: "kworker", at: 60)
    events.run(at: 60)
    events.leave(at: 61)
    events.end(at: 61)
    #expect(
      events.path(until: 61).lines(from: 16) == [
        "16-22 main: own code", "22-30 main: disk /var/x", "30-42 main: own code",
        "42-44 main: page fault", "44-50 main: own code", "50-51 main: read /var/x",
        "51-60 main: disk read /var/x", "60-61 main: read /var/x",
      ]
    )
  }

  @Test("a thread that is woken while it is about to wait only waits for a processor")
  func wokenEarly() {
    var events = EventList.demo
    events.enter("futex", at: 20)
    events.wake(by: 4, at: 22)
    events.block(at: 23)
    events.run(at: 30)
    events.leave(at: 31)
    events.end(at: 31)
    #expect(
      events.path(until: 31).lines(from: 20) == [
        "20-23 main: futex", "23-30 main: queue", "30-31 main: futex",
      ]
    )
  }

  @Test("another thread than the first executes a program, and goes on as the first")
  func executionByAnotherThread() {
    var events = EventList.demo
    events.start(101, at: 15)
    events.run(at: 16, 101)
    events.enter("futex", at: 17)
    events.block(at: 18)
    events.enter("execve", text: "/bin/next", at: 30, 101)
    events.wake(by: 101, at: 32)
    events.run(at: 33)
    events.end(at: 34)
    events.block(at: 35)
    events.execute("/bin/next", at: 40)
    events.leave(at: 42)
    events.end(at: 50)
    #expect(
      events.path(until: 50).lines(from: 12) == [
        "12-15 main: own code", "15-16 thread 1: queue", "16-30 thread 1: own code",
        "30-40 thread 1: execve /bin/next", "40-42 main: execve /bin/next", "42-50 main: own code",
      ]
    )
  }

  @Test("an execution that failed in another thread does not matter later")
  func failedExecution() {
    var events = EventList.demo
    events.start(101, at: 15)
    events.run(at: 16, 101)
    events.call("execve", text: "/bin/none", result: -2, at: 18, 101)
    events.enter("futex", at: 20, 101)
    events.enter("execve", text: "/bin/next", at: 30)
    events.execute("/bin/next", at: 40)
    events.leave(at: 42)
    events.end(at: 50)
    #expect(
      events.path(until: 50).lines(from: 12) == [
        "12-30 main: own code", "30-42 main: execve /bin/next", "42-50 main: own code",
      ]
    )
  }

  @Test("counts the events of the actor in each segment")
  func eventCounts() {
    var events = EventList.demo
    events.fault(0, at: 15)
    events.fault(0, at: 16)
    events.call("getpid", at: 20)
    events.start(101, at: 25)
    events.run(at: 25, 101)
    events.fault(0, at: 26, 101)
    events.end(at: 30)
    let path = events.path(until: 30)
    #expect(path.lines.count == path.eventCounts.count)
    #expect(path.eventCounts == [2, 3, 1, 2])
  }

  @Test("only what happened until the launch was ready is counted")
  func counts() {
    var events = EventList.demo
    events.call("getpid", at: 20)
    events.call("getpid", at: 22)
    events.start(101, at: 25)
    events.call("getpid", at: 41)
    events.start(102, at: 45)
    let path = events.path(until: 40)
    #expect(path.count("getpid", nil) == 2)
    #expect(path.count("execve", "/bin/demo") == 1)
    #expect(path.counts[.threads] == 1)
  }
}
