import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Directories that launchlab uses, where they are somebody else's, or are made to look so.
  @Suite struct OwnPlacesTests {
    @Test(
      .enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"),
      arguments: ["work", "builds", "artifacts", "pins", "x.sqlite", "x.sqlite-wal"]
    )
    func `refuses what another user has prepared beside the store`(name: String) async throws {
      let attack = try SharedDirectoryAttack(on: Launchlab())
      try await attack.prepare()
      _ = try attack.asNobody("cp -a kit/\(name) shared/\(name)").finish()
      try #require(attack.lab.exists("shared/\(name)"))

      let output = try await attack.run()

      #expect(output.status == 128)
      #expect(
        output.stderr.contains(
          "error: \"\(attack.lab.path("shared/\(name)"))\" belongs to the user"
        ),
        "\(output.stderr)"
      )
      #expect(output.stderr.contains("help: choose a directory of your own"))
      try attack.expectNothingLost()
    }

    /// Whoever has become root by sudo may do anything already.
    @Test(.enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"))
    func `takes a directory of who has called sudo, and of no other user`() async throws {
      var lab = Launchlab()
      let arguments = [
        "measure", "--store", "own/x.sqlite", "--launches", "3", "--", "/bin/true",
      ]
      _ = try Tool.run("sh", ["-c", "mkdir own; chown 65534 own"], in: lab.directory)

      let refused = try await lab.start(arguments).finish()
      lab.wrapper = ["env", "SUDO_UID=65534"]
      let taken = try await lab.start(arguments).finish()

      #expect(refused.status == 128)
      #expect(refused.stderr.contains("error: \"\(lab.path("own"))\" belongs to the user"))
      #expect(taken.status == 0, "\(taken.stderr)")
    }

    @Test(.enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"))
    func `reads, removes and executes nothing of a user who swaps its directories`() async throws {
      let attack = try SharedDirectoryAttack(on: Launchlab())
      try await attack.prepare()
      try attack.aim(at: SharedDirectoryAttack.names[0])
      let attackers = try (1...2).map { try attack.startSwapping(seed: $0) }

      var runs = 0
      while runs < 16 || attack.swaps < SharedDirectoryAttack.races {
        runs += 1
        try attack.aim(at: SharedDirectoryAttack.names[runs % SharedDirectoryAttack.names.count])
        let output = try await attack.run()
        // A link to the store is refused as two outputs of one file.
        #expect([0, 64, 128].contains(output.status), "\(output.stderr)")
        try attack.expectNothingLost()
        try attack.renew()
      }
      attack.stop()
      for attacker in attackers { #expect(attacker.finish().status == 0) }

      #expect(attack.swaps >= SharedDirectoryAttack.races)
      try attack.expectNothingLost()
    }
  }
}

/// A user without rights who prepares what root's launchlab uses in a directory such as `/tmp`.
private struct SharedDirectoryAttack {
  /// How often something is swapped at least while root's launchlab is at work.
  static let races = 200

  let lab: Launchlab

  init(on lab: Launchlab) throws {
    self.lab = lab
    for name in ["shared", "kit"] {
      _ = try Tool.run("mkdir", ["-m", "1777", lab.path(name)])
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: lab.directory)
  }

  /// Makes root's scenario, what must not be touched, and everything that the user puts in place.
  ///
  /// A run in a directory of root's own tells how builds and pinned programs are named.
  func prepare() async throws {
    try lab.writeProject(build: "cp main.c app.c && cc -o app app.c")
    try lab.makeRepository()
    try writeScenario()
    let learned = try await lab.start(arguments(store: "own/x.sqlite")).finish()
    // The state may be missed on a busy machine.
    try #require([0, 125].contains(learned.status), "\(learned.stderr)")
    try lab.write("precious\n", to: "precious/file")
    try lab.write("precious\n", to: "precious/tree/file")
    try lab.write("precious\n", to: "precious/launchlab-1-1/home0000/file")
    _ = try Tool.run(
      "sh",
      ["-c", "find precious -exec touch -d @978307200 {} +; ls own/pins > pin-names"],
      in: lab.directory
    )
    let made = try asNobody(Self.kit).finish()
    try #require(made.status == 0, "\(made.stderr)")
  }

  /// What tells on the program of an attacker, and on the HOME that he has prepared.
  private func writeScenario() throws {
    let text = try String(contentsOfFile: lab.path("scenario.yml"), encoding: .utf8)
    try lab.write(
      text.replacing("launches: 3", with: "launches: 1") + """

        baseline: {control: [/bin/true]}
        controls: {environment: pinned}
        """,
      to: "scenario.yml"
    )
    let source = """
      #include <stdlib.h>
      #include <stdio.h>
      #include <unistd.h>
      int main(void) {
        char path[4096];
        snprintf(path, sizeof path, "%s/.profile", getenv("HOME"));
        if (access(path, F_OK) == 0) fclose(fopen("\(lab.path("proof"))", "a"));
        return 0;
      }
      """
    try lab.write(source, to: "repository/main.c")
    try lab.commit()
  }

  /// Builds, copies of programs and homes that write a proof when root executes them.
  private static let kit = #"""
    set -eu
    umask 022
    printf '#!/bin/sh\necho "$0" >> "%s/proof"\n' "$PWD" > kit/evil
    chmod 755 kit/evil
    (cd kit && mkdir -p work/launchlab-1-1/home0000 pins artifacts builds &&
      echo 'echo evil' > work/launchlab-1-1/home0000/.profile)
    for room in own/builds/*; do
      room=kit/builds/$(basename "$room")
      mkdir -p "$room/tree"
      cp kit/evil "$room/tree/app"
      : > "$room/complete"; : > "$room/lock"
      echo '{"boot_id":"","lab":"1-1","namespaces":""}' > "$room/.launchlab-owner"
    done
    digest=$(sha256sum kit/evil | cut -d' ' -f1)
    size=$(stat -c %s kit/evil)
    mkdir "kit/artifacts/$digest"
    cp kit/evil "kit/artifacts/$digest/true"
    for pin in $(cat pin-names); do
      echo "{\"path\":\"/bin/true\",\"digest\":\"$digest\",\"bytes\":$size}" > "kit/pins/$pin"
    done
    for file in x.sqlite x.sqlite-wal x.sqlite-shm x.sqlite-journal; do echo evil > "kit/$file"; done
    """#

  // MARK: - Root's part

  private func arguments(store: String) -> [String] {
    ["run", "scenario.yml", "--no-verdict", "--store", store]
  }

  func run() async throws -> Tool.Output {
    try await lab.start(arguments(store: "shared/x.sqlite")).finish()
  }

  /// Gives the user a new directory, so that the races begin again.
  func renew() throws {
    let old = "old-\(UUID().uuidString)"
    _ = try Tool.run(
      "sh",
      ["-c", "mkdir -m 1777 new-shared; mv shared \(old); mv new-shared shared"],
      in: lab.directory
    )
  }

  func expectNothingLost(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(!lab.exists("proof"), sourceLocation: sourceLocation)
    let found = try Tool.run(
      "sh",
      [
        "-c",
        "find precious -printf '%P %y %m %U %T@\\n' | sort; cat precious/*file precious/*/file",
      ],
      in: lab.directory
    )
    let lines = found.stdout.split(separator: "\n")
    #expect(lines.count == 9, "\(found.stdout)", sourceLocation: sourceLocation)
    let old = lines.filter { $0.contains(" 978307200.0") }
    #expect(old.count == 7, "\(found.stdout)", sourceLocation: sourceLocation)
  }

  // MARK: - The user's part

  /// What is attacked in one run: the first that is refused would keep the others from being used.
  static let names = [
    "work", "builds", "artifacts pins", "x.sqlite x.sqlite-wal x.sqlite-shm x.sqlite-journal",
    "work builds artifacts pins bisect x.sqlite-wal",
  ]

  func aim(at names: String) throws { try lab.write("\(names)\n", to: "targets") }

  func asNobody(_ script: String) throws -> RunningTool {
    try Tool.start(
      "setpriv",
      ["--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", script],
      in: lab.directory
    )
  }

  /// Puts one prepared thing after the other in place, takes it away, and puts links there.
  func startSwapping(seed: Int) throws -> RunningTool {
    try lab.write("", to: "kit/swaps-\(seed)")
    _ = try Tool.run("chown", ["65534", lab.path("kit/swaps-\(seed)")])
    return try Tool.start(
      "setpriv",
      [
        "--reuid=65534", "--regid=65534", "--clear-groups", "perl", "-e", Self.swapping,
        "\(seed)", lab.directory,
      ],
      in: lab.directory
    )
  }

  private static let swapping = #"""
    my ($seed, $root) = @ARGV; srand $seed; my $n = 0;
    my @rooms = map { s{.*/}{}r } glob "kit/builds/*";
    open my $tally, '>>', "kit/swaps-$seed"; $tally->autoflush;
    sub away { rename $_[0], "kit/away-$seed-" . $n++ }
    until (-e 'stop') {
      open my $file, '<', 'targets'; my @names = split ' ', <$file>; @names or next;
      push @names, map { "builds/$_" } grep { grep /builds/, @names } @rooms;
      my $name = $names[rand @names]; my $place = "shared/$name"; my $turn = int rand 4;
      if ($turn == 0) { away($place) }
      elsif ($turn == 1) { symlink "$root/precious", "kit/link-$seed"; away($place);
        rename "kit/link-$seed", $place or unlink "kit/link-$seed" }
      elsif ($turn == 2 && -e "kit/$name") { my $copy = "kit/copy-$seed-" . $n++;
        system 'cp', '-a', "kit/$name", $copy; away($place); rename $copy, $place }
      else { my $work = 'shared/work'; for (glob "$work/launchlab-*") {
          symlink "$root/precious", "$_/home0000"; away($_); symlink "$root/precious", $_ }
        symlink "$root/precious", "$work/launchlab-1-1" }
      syswrite $tally, "swap\n";
      system "rm -rf kit/away-$seed-*" if $n % 100 == 99;
    }
    """#

  /// How often something was swapped so far.
  var swaps: Int { (1...2).map { lab.lineCount(of: "kit/swaps-\($0)") }.reduce(0, +) }

  func stop() { try? lab.write("", to: "stop") }
}
