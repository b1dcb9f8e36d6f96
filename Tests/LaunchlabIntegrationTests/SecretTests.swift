import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What must not be stored or shown, and what must not reach a terminal.
  @Suite struct SecretTests {
    private static let secret = "hunter2/very secret&value"

    @Test func `keeps the value of a variable from a file out of everything`() async throws {
      let lab = Launchlab()
      try lab.write(Self.secret + "\n", to: "token.txt")
      try lab.writeProgram(
        """
        use MIME::Base64;
        open(my $file, '>>', '\(lab.path("seen"))'); print $file "$ENV{TOKEN}\\n"; close $file;
        print "token $ENV{TOKEN} ", encode_base64("user:$ENV{TOKEN}"), unpack('H*', $ENV{TOKEN});
        print STDERR "token $ENV{TOKEN}\\n";
        exit 3;
        """
      )
      try lab.write(
        """
        scenario: few
        targets:
          one: {command: [./program], env: {TOKEN: {from_file: token.txt}}}
        states: [warm]
        launches: 3
        """,
        to: "scenario.yml"
      )

      let output = try await lab.run("run", "scenario.yml", "--json", "result.json")
      let exported = try await lab.run("export")

      #expect(output.status == 128)
      #expect(try String(contentsOfFile: lab.path("seen"), encoding: .utf8).contains(Self.secret))
      #expect(exported.stdout.contains("token ***"))
      #expect(output.stderr.contains("token ***"))
      try lab.write(output.stdout + output.stderr + exported.stdout, to: "shown")
      let forms = [
        Self.secret, "aHVudGVyMi92ZXJ5", "h1bnRlcjIvdmVyeSBzZW", "odW50ZXIyL3ZlcnkgcW",
        Self.secret.utf8.map { String($0, radix: 16) }.joined(),
      ]
      for (name, content) in lab.contents where !["token.txt", "seen"].contains(name) {
        let found = forms.filter { content.range(of: Data($0.utf8)) != nil }
        #expect(found == [], "\(name)")
      }
    }

    @Test func `needs no value to show what was measured with one`() async throws {
      var lab = Launchlab()
      lab.wrapper = ["env", "APP_TOKEN=\(Self.secret)"]
      try lab.write(
        """
        scenario: few
        targets: {one: {command: [/bin/true], env: {TOKEN: {from_env: APP_TOKEN}}}}
        states: [warm]
        launches: 3
        """,
        to: "scenario.yml"
      )
      #expect(try await lab.start(["run", "scenario.yml"]).finish().status == 0)
      lab.wrapper = []
      let report = try await lab.start(["report", "scenario.yml"]).finish()
      #expect(report.status == 0, "\(report.stderr)")
    }

    @Test func `measures with a variable that is only named`() async throws {
      var lab = Launchlab()
      lab.wrapper = ["env", "APP_TOKEN=\(Self.secret)"]
      try lab.writeProgram("print \"got $ENV{APP_TOKEN}\"; exit 1")
      let arguments = ["measure", "--env", "APP_TOKEN", "--launches", "3"]
      _ = try await lab.start(arguments + ["--state", "warm", "--", "./program"]).finish()
      #expect(try await lab.launches().first?.stdout?.head == "got ***")
    }

    struct Mistake: CustomTestStringConvertible {
      var value: String
      var problem: String
      var testDescription: String { value }
    }

    @Test(arguments: [
      Mistake(value: "{from_file: none.txt}", problem: "the file \"none.txt\" does not exist"),
      Mistake(value: "{from_file: empty}", problem: "no value: the file is empty"),
      Mistake(value: "{from_file: /dev/zero}", problem: "no value: it is not a file"),
      Mistake(value: "{from_env: NOT_SET_AT_ALL}", problem: "variable NOT_SET_AT_ALL is not set"),
      Mistake(value: "{from_fiel: x}", problem: "unknown key \"from_fiel\""),
    ])
    func `says before anything is launched that a value is missing`(mistake: Mistake) async throws {
      let lab = Launchlab()
      try lab.write("\n", to: "empty")
      try lab.write(
        "scenario: few\ntargets: {one: {command: [/bin/true], env: {TOKEN: \(mistake.value)}}}\n",
        to: "scenario.yml"
      )
      for option in [[], ["--dry-run"]] {
        let output = try await lab.start(["run", "scenario.yml"] + option).finish()
        #expect(output.status == 64)
        #expect(output.stderr.contains(mistake.problem), "\(output.stderr)")
        #expect(output.stderr.contains("at: scenario.yml:2:"))
        #expect(output.stderr.contains("help: "))
      }
      #expect(!lab.exists(".launchlab"))
    }

    @Test func `shows escape sequences of a mistyped option`() async throws {
      let output = try await Launchlab().run("history", "--\u{1B}[31mred")
      #expect(output.status == 64)
      #expect(!output.stderr.contains("\u{1B}"))
      #expect(output.stderr.contains(#"\u{1B}[31mred"#))
    }
  }
}
