import Foundation
import LabTestSupport
import Testing

/// `scripts/ci`, against an API on this machine that does what GitHub or GitLab would do.
@Suite(
  .temporaryDirectory,
  .enabled(if: Machine.has("python3"), "python3 is not installed"),
  .enabled(if: Machine.has("git"), "git is not installed")
)
struct ContinuousIntegrationTests {
  private let lab = Launchlab()

  private static let scripts = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../scripts/ci").standardizedFileURL.path

  private static let token = "token-that-nobody-may-see"

  /// Serves comments, answers as the list says first, runs a command so many times, and writes down
  /// what was asked for: `api.py TIMES STATUS,STATUS COMMAND…`.
  private static let api = """
    import http.server, json, os, subprocess, sys, threading
    comments, asked, answers = [], [], [int(part) for part in sys.argv[2].split(",") if part]

    class API(http.server.BaseHTTPRequestHandler):
        def answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or "null")
            token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""
            asked.append({"method": self.command, "path": self.path, "token": token})
            status = answers.pop(0) if answers else 200
            result = {"message": "no, " + token}
            if status == 302:
                self.send_response(302)
                self.send_header("Location", f"http://localhost:{other.server_port}/elsewhere")
                self.end_headers()
                return
            if status == 200:
                if self.path == "/user":
                    result = {"id": 7}
                elif self.command == "GET":
                    first = "&page=1" in self.path
                    strangers = [{"id": n, "body": "hello", "user": {"id": 1}} for n in range(100)]
                    result = strangers if first else comments
                elif self.command == "POST":
                    result = {"id": 900 + len(comments), "body": body["body"], "user": {"id": 7}}
                    comments.append(result)
                else:
                    result = next(c for c in comments if self.path.endswith(f"/{c['id']}"))
                    result["body"] = body["body"]
            data = json.dumps(result).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            if status in (429, 500):
                self.send_header("Retry-After", "0")
            if self.command == "GET" and "&page=1" in self.path:
                self.send_header("Link", '<x>; rel="next"')
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_PUT = answer

        def log_message(self, *arguments):
            pass

    server, other = (http.server.ThreadingHTTPServer(("127.0.0.1", 0), API) for _ in range(2))
    for one in (server, other):
        threading.Thread(target=one.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    environment = dict(os.environ, GITHUB_API_URL=address)
    if "GITLAB_TOKEN" in environment:
        environment["CI_API_V4_URL"] = address
    for _ in range(int(sys.argv[1])):
        status = subprocess.run(sys.argv[3:], env=environment).returncode
    with open("api.json", "w") as file:
        json.dump({"comments": comments, "asked": asked}, file)
    sys.exit(status)
    """

  /// What the API was asked for.
  private struct Log: Decodable {
    let comments: [Comment]
    let asked: [Request]

    struct Comment: Decodable { let body: String }

    struct Request: Decodable {
      let method: String
      let path: String
      let token: String
    }

    init(_ lab: Launchlab) throws {
      let data = try Data(contentsOf: URL(filePath: lab.path("api.json")))
      self = try JSONDecoder().decode(Self.self, from: data)
    }
  }

  private static let pull = [
    "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "ann/app", "GITHUB_REF": "refs/pull/5/merge",
    "GITHUB_TOKEN": token, "GITHUB_EVENT_PATH": "", "GITHUB_BASE_REF": "",
  ]

  private func comment(
    _ times: Int = 1,
    answers: [Int] = [],
    environment: [String: String] = pull
  ) throws -> Tool.Output {
    try lab.write(Self.api, to: "api.py")
    try lab.write("### Launch gate: passed\n", to: "gate.md")
    let output = try Tool.run(
      "python3",
      ["api.py", "\(times)", answers.map(String.init).joined(separator: ",")]
        + ["\(Self.scripts)/comment", "gate.md"],
      in: lab.directory,
      environment: environment
    )
    #expect(!"\(output.stdout)\(output.stderr)".contains(Self.token))
    return output
  }

  @Test func `a pull request gets one comment, which is updated`() throws {
    let output = try comment(2)
    #expect(output.status == 0, "\(output.stderr)")
    let log = try Log(lab)
    #expect(log.comments.map(\.body) == ["<!-- launchlab gate gate -->\n### Launch gate: passed\n"])
    let writes = log.asked.filter { $0.method != "GET" }
    #expect(writes.map(\.method) == ["POST", "PATCH"])
    #expect(writes[0].path == "/repos/ann/app/issues/5/comments")
    #expect(writes[1].path == "/repos/ann/app/issues/comments/900")
    #expect(log.asked.allSatisfy { $0.token == "Bearer \(Self.token)" })
  }

  @Test func `a merge request gets one comment, which is updated`() throws {
    let output = try comment(
      2,
      environment: [
        "GITHUB_ACTIONS": "", "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "8",
        "GITLAB_TOKEN": Self.token,
      ]
    )
    #expect(output.status == 0, "\(output.stderr)")
    let writes = try Log(lab).asked.filter { $0.method != "GET" }
    #expect(writes.map(\.method) == ["POST", "PUT"])
    #expect(writes[1].path == "/projects/3/merge_requests/8/notes/900")
    #expect(writes.allSatisfy { $0.token == Self.token })
  }

  @Test func `what may work later is tried again, and a refusal says what is missing`() throws {
    #expect(try comment(answers: [500, 429]).status == 0)
    #expect(try Log(lab).comments.count == 1)
    let refused = try comment(answers: [403, 403])
    #expect(refused.status == 128)
    #expect(refused.stderr.contains("pull-requests: write"))
  }

  @Test func `the token goes to no other host`() throws {
    let output = try comment(answers: [302])
    #expect(output.status == 128 && output.stderr.contains("does not get the token"))
    #expect(try Log(lab).asked.allSatisfy { !$0.path.contains("elsewhere") })
  }

  @Test func `a job without a pull request has nothing to comment on`() throws {
    var environment = Self.pull
    environment["GITHUB_REF"] = "refs/heads/main"
    let output = try comment(environment: environment)
    #expect(output.status == 0 && output.stderr.contains("not a pull request"))
    #expect(try Log(lab).asked.isEmpty)
  }

  // MARK: - The gate in a job

  /// A shallow clone of a branch, and the commit that it has parted from.
  private func shallowClone() throws -> String {
    try lab.writeProject(build: "true")
    try lab.makeRepository()
    let base = try lab.git("rev-parse", "HEAD").trimmingCharacters(in: .newlines)
    for number in 1...3 {
      try lab.write("int main(void) { return \(number); }\n", to: "repository/main.c")
      try lab.commit()
    }
    let output = try Tool.run(
      "git",
      ["clone", "-q", "--depth=1", "file://\(lab.path("repository"))", "clone"],
      in: lab.directory
    )
    #expect(output.status == 0, "\(output.stderr)")
    try lab.write("scenario: project\n", to: "clone/scenario.yml")
    return base
  }

  /// Runs `scripts/ci/gate` with a launchlab that writes its arguments down, and a comment that fails.
  private func gate(
    base: String,
    status: Int,
    _ more: [String: String] = [:]
  ) throws -> Tool.Output {
    try lab.write(
      """
      #!/bin/sh
      echo "$@" > arguments
      env > variables
      \(status == 128 ? "" : "echo verdict > launchlab-reports/gate.md")
      exit \(status)
      """,
      to: "bin/launchlab"
    )
    _ = try Tool.run("chmod", ["+x", "bin/launchlab"], in: lab.directory)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let variables = [
      "PATH": "\(lab.path("bin")):\(path)", "LAUNCHLAB_BASE": base,
      "GITHUB_API_URL": "http://localhost:1",
      "GITHUB_OUTPUT": lab.path("outputs"), "LAUNCHLAB_COMMENT": "false",
    ]
    return try Tool.run(
      "\(Self.scripts)/gate",
      ["--target", "app"],
      in: lab.path("clone"),
      environment: Self.pull.merging(variables) { $1 }.merging(more) { $1 }
    )
  }

  @Test func `a shallow clone is deepened, and the verdict is that of the gate`() throws {
    let base = try shallowClone()
    let failed = try gate(base: base, status: 1)
    #expect(failed.status == 1, "\(failed.stderr)")
    let arguments = try String(contentsOfFile: lab.path("clone/arguments"), encoding: .utf8)
    #expect(arguments.hasPrefix("gate \(base)...HEAD scenario.yml --target app --markdown "))
    let variables = try String(contentsOfFile: lab.path("clone/variables"), encoding: .utf8)
    #expect(!variables.contains(Self.token))
    let outputs = try String(contentsOfFile: lab.path("outputs"), encoding: .utf8)
    #expect(outputs.contains("verdict=failed\n"))

    let undecided = try gate(base: base, status: 125)
    #expect(undecided.status == 0 && undecided.stderr.contains("undecided"))
    #expect(try gate(base: base, status: 125, ["LAUNCHLAB_FAIL_UNDECIDED": "true"]).status == 125)
  }

  @Test func `a gate without a result says so in the comment`() throws {
    let base = try shallowClone()
    #expect(try gate(base: base, status: 128).status == 128)
    let text = try String(
      contentsOfFile: lab.path("clone/launchlab-reports/gate.md"),
      encoding: .utf8
    )
    #expect(text.hasPrefix("### ⚪ Launch gate: no result\n"))
  }

  @Test func `what cannot be compared is an error with a remedy`() throws {
    let base = try shallowClone()
    let unknown = try gate(base: "no-such-branch", status: 0)
    #expect(unknown.status == 128 && unknown.stderr.contains("fetch-depth: 0"))
    #expect(
      FileManager.default.fileExists(atPath: lab.path("clone/launchlab-reports/gate.md"))
    )
    let option = try gate(base: "--upload-pack=x", status: 0)
    #expect(option.status == 64)
    let missing = try gate(base: base, status: 0, ["LAUNCHLAB_SCENARIO": "no.yml"])
    #expect(missing.status == 64 && missing.stderr.contains("LAUNCHLAB_SCENARIO"))
  }
}
