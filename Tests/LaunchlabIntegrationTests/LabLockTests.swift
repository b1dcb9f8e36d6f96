import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// One run at a time has the host.
  @Suite struct LabLockTests {
    @Test(arguments: [
      ["measure", "--", "/bin/true"], ["selftest", "--", "/bin/true"], ["restore"],
    ])
    func `keeps others out while a run goes on, and says who it is`(
      arguments: [String]
    ) async throws {
      let lab = Launchlab()
      let holder = try await lab.startSleeping()

      let output = try await lab.start(arguments).finish()

      #expect(output.status == 128)
      #expect(output.stderr.contains("process \(holder.pid) of "))
      #expect(output.stderr.contains("\"launchlab measure --verbose --timeout 600s -- ./program\""))
      #expect(output.stderr.contains("help: "))
      #expect(output.stdout == "")
      #expect(holder.tool.process.isRunning)
      holder.send(SIGINT)
      #expect(try await holder.finish().status == 130)
      #expect(holder.leftovers == [])
      #expect(try await lab.runs().count == 1)
    }

    @Test(arguments: [["measure", "--", "/bin/true"], ["restore"]])
    func `waits for the end of another run`(arguments: [String]) async throws {
      let lab = Launchlab()
      let holder = try await lab.startSleeping()
      let waiting = try lab.start([arguments[0], "--wait", "10m"] + arguments.dropFirst())
      try #require(try await eventually { waiting.tool.stderrSoFar.contains("waiting up to 10m") })

      holder.send(SIGINT)
      #expect(try await holder.finish().status == 130)
      let output = try await waiting.finish()

      #expect(output.status == 0, "\(output.stderr)")
      #expect(output.stderr.contains("process \(holder.pid) of "))
      #expect(waiting.leftovers == [])
    }

    @Test func `a bisection has the machine while it launches, and not while it builds`()
      async throws
    {
      let lab = Launchlab()
      let bisection = try lab.startHeldBisection()
      try #require(try await eventually { lab.exists("building") })

      // It builds: another run has the machine.
      let holder = try await lab.startSleeping()
      try lab.write("", to: "go-on")

      // It would launch: it waits.
      try #require(
        try await eventually { bisection.tool.stderrSoFar.contains("waiting up to 24h") }
      )
      #expect(bisection.tool.stderrSoFar.contains("process \(holder.pid) of "))
      holder.send(SIGINT)
      #expect(try await holder.finish().status == 130)
      let output = try await bisection.finish()

      #expect(output.status == 0, "\(output.stderr)")
      let culprit = try lab.git("rev-parse", "HEAD~1").prefix(12)
      #expect(output.stdout.contains(culprit), "\(output.stdout)")
      #expect(bisection.leftovers == [])
    }

    @Test func `only one process goes on with a bisection`() async throws {
      let lab = Launchlab()
      let bisection = try lab.startHeldBisection()
      try #require(try await eventually { lab.exists("building") })

      let other = try await lab.start(["bisect", "--resume", "last"]).finish()

      #expect(other.status == 128)
      #expect(other.stderr.contains("another launchlab is at work on this bisection"))
      bisection.send(SIGINT)
      #expect(try await bisection.finish().status == 130)
    }

    @Test func `says on a terminal how long it has waited`() async throws {
      let lab = Launchlab()
      let holder = try await lab.startSleeping()
      let place = "LAUNCHLAB_STATE_DIR=\(lab.path(lab.stateDirectory))"
      let command = "env \(place) \(lab.executable) restore --wait 700ms"

      let output = try Tool.run("script", ["-qec", command, "/dev/null"], in: lab.directory)

      #expect(output.stdout.contains("waiting up to 700ms: "), "\(output.stdout)")
      #expect(output.stdout.contains("\r\u{1B}[Kwaited 0 s of 700ms"), "\(output.stdout)")
      #expect(!output.stdout.contains("u{1B}"), "\(output.stdout)")
      holder.send(SIGINT)
      #expect(try await holder.finish().status == 130)
    }

    @Test(.enabled(if: Machine.canBecomeNobody && Machine.canMount, "other users take root"))
    func `lets no ordinary user keep root out`() async throws {
      let lab = try Launchlab.asNobody()
      try lab.write(Self.attacks, to: "attacks.sh")
      try lab.write(
        #"{"command":["x"],"pid":1,"start":1,"started_at":"2026-01-02T03:04:05Z","user":"root"}"#,
        to: "forged.json"
      )

      let script = ["bash", lab.path("attacks.sh"), lab.executable]
      let output = try Tool.run(
        "unshare",
        ["--mount", "--propagation", "private"] + Launchlab.unblocked + script,
        in: lab.directory
      )

      #expect(
        output.stdout == """
          a link: root 0, warned 1; nobody 128
          a directory: root 0, warned 1; nobody 128
          a pipe: root 0, warned 1; nobody 128
          held by another program: root 0, warned 1; nobody 128
          a lab of nobody: root 128, warned 0
          forged: root 128, names 1, kills the holder
          a lab of root: nobody 128, names 1
          after all: root 0, warned 0; nobody 0

          """,
        "\(output.stderr)"
      )
    }

    /// What an ordinary user may do to the common lock, in a `/run` of its own.
    private static let attacks = """
      lab=$1; lock=/run/lock/launchlab.lock; here=$PWD
      mkdir -p /run/lock /run/launchlab
      mount -t tmpfs -o mode=1777 tmpfs /run/lock; mount -t tmpfs -o mode=700 tmpfs /run/launchlab
      unset LAUNCHLAB_STATE_DIR; safe=$(mktemp -d); trap 'rm -r "$safe"' EXIT
      as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env "HOME=$here")
      one() { "$lab" measure -v --launches 3 --store "$1" -- /bin/true; }
      root() { (one $safe/a.sqlite) >/dev/null 2>root.err; echo -n "root $?"; }
      warned() { echo -n ", warned $(grep -c 'warning: the lab lock that all users share' root.err)"; }
      nobody() { "${as_nobody[@]}" "$lab" measure -v --launches 3 --store b.sqlite -- /bin/true \
        >/dev/null 2>nobody.err; echo -n "nobody $?"; }
      all() { echo -n "$1: "; root; warned; echo -n "; "; nobody; echo; }
      until_held() { until grep -q ":$(stat -c %i $lock 2>/dev/null || echo none) " /proc/locks
        do :; done; }
      "${as_nobody[@]}" ln -s /etc/passwd $lock; all "a link"; rm $lock
      "${as_nobody[@]}" mkdir $lock; all "a directory"; rmdir $lock
      "${as_nobody[@]}" mkfifo $lock; all "a pipe"; rm $lock
      "${as_nobody[@]}" perl -e 'open F, "+>>", shift; flock F, 2; sleep 600' $lock & until_held
      all "held by another program"; kill $!; wait $! 2>/dev/null
      rm $lock
      "${as_nobody[@]}" "$lab" measure --timeout 600s --store c.sqlite -- sleep 600 >/dev/null 2>&1 &
      until_held; until grep -q pid $lock; do :; done
      echo -n "a lab of nobody: "; root; warned; echo
      "${as_nobody[@]}" sh -c "cat forged.json > $lock"
      echo -n "forged: "; root; echo ", names $(grep -c "process $! of nobody" root.err), kills" \
        "$(grep -q "kill $!." root.err && echo the holder)"
      kill $!; wait $! 2>/dev/null
      "$lab" measure --timeout 600s --store $safe/d.sqlite -- sleep 600 >/dev/null 2>&1 &
      until_held; until grep -q pid $lock; do :; done
      echo -n "a lab of root: "; nobody; echo ", names $(grep -c "process $! of root" nobody.err)"
      kill $!; wait $! 2>/dev/null
      all "after all"
      """

    @Test func `lets readers in while a run goes on`() async throws {
      let lab = Launchlab()
      let holder = try await lab.startSleeping()

      let history = try await lab.start(["history"]).finish()
      let doctor = try await lab.start(["doctor"]).finish()

      #expect(history.status == 0)
      #expect(doctor.status == 0)
      #expect(doctor.stdout.contains("pid \(holder.pid) of "))
      holder.send(SIGINT)
      #expect(try await holder.finish().status == 130)
    }
  }
}

extension Launchlab {
  /// Starts a bisection whose first build waits until there is a file `go-on`.
  fileprivate func startHeldBisection() throws -> Session {
    for number in 0...4 {
      let rounds = number >= 3 ? 400_000 : 200_000
      try write("$i = 0; $i++ while $i < \(rounds); # \(number)\n", to: "repository/app.pl")
      if number == 0 { try makeRepository() } else { try commit() }
    }
    let build = "touch \(path("building")); until [ -e \(path("go-on")) ]; do sleep 0.05; done"
    try write(
      """
      scenario: app
      source: {repository: repository, build: "\(build)"}
      targets:
        app: {command: [perl, app.pl]}
      states: [warm]
      """,
      to: "scenario.yml"
    )
    return try start(["bisect", "HEAD~4..HEAD", "--scenario", "scenario.yml"])
  }

  /// Starts a run whose first launch goes on until it is ended.
  fileprivate func startSleeping() async throws -> Session {
    try writeProgram("open F, '>', 'begun'; close F; sleep 600 while 1")
    let session = try start(["measure", "--timeout", "600s", "--", "./program"])
    try #require(try await eventually { exists("begun") })
    return session
  }
}
