import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct PrivateDirectoryTests {
  private var root: String { TemporaryDirectory.path }

  private func directory(template: String? = nil) -> PrivateDirectory {
    PrivateDirectory(
      DeclaredDirectory(FilePath("\(root)/state"), role: .state),
      template: template.map { FilePath("\(root)/\($0)") }
    )
  }

  private var surroundings: Surroundings {
    Surroundings(home: nil, workingDirectory: "/nonexistent", kept: [:])
  }

  @discardableResult
  private func shell(_ script: String) throws -> String {
    try TestMachine.shell(script, in: root)
  }

  @Test func `empties a directory of everything`() throws {
    try shell(
      """
      mkdir -p state/a/b/c state/locked; echo x > state/a/b/c/file; chmod 444 state/a/b/c/file
      echo x > state/locked/file; chmod 500 state/locked; ln -s /etc state/link; mkfifo state/pipe
      echo x > state/$'new\\nline'; echo x > state/$'\\377\\376'; : > state/-rf
      """
    )
    #expect(directory().check(amid: surroundings).isEmpty)
    try directory().reset()
    #expect(try shell("find state -mindepth 1") == "")
  }

  @Test func `fills a directory from its template, twice alike`() throws {
    try shell(
      """
      mkdir -p template/.config/app state; echo one > template/.config/app/settings
      chmod 640 template/.config/app/settings; ln -s .config/app template/short
      ln -s /etc/passwd template/absolute; chmod 711 template/.config
      echo odd > template/$'\\377'; find template -exec touch -hd 2003-03-03 {} +
      echo old > state/old
      """
    )
    let wanted = try TestMachine.digest(of: "\(root)/template")
    #expect(directory(template: "template").check(amid: surroundings).isEmpty)
    try directory(template: "template").reset()
    #expect(try TestMachine.digest(of: "\(root)/state") == wanted)
    try shell("echo changed > state/.config/app/settings; rm state/short")
    try directory(template: "template").reset()
    #expect(try TestMachine.digest(of: "\(root)/state") == wanted)
    #expect(try TestMachine.digest(of: "\(root)/template") == wanted)
  }

  @Test func `makes a directory that the target removed, but not its parents`() throws {
    #expect(directory().check(amid: surroundings).isEmpty)
    try directory().reset()
    #expect(try shell("ls -A state; stat -c %a state") == "700")
    let orphan = PrivateDirectory(
      DeclaredDirectory(FilePath("\(root)/missing/state"), role: .state),
      template: nil
    )
    #expect(throws: HostError.self) { try orphan.reset() }
  }

  @Test(arguments: ["state", "state/inner", "."])
  func `refuses a template that overlaps`(template: String) throws {
    try shell("mkdir -p state/inner")
    let problems = directory(template: template).check(amid: surroundings).flatMap(\.diagnostics)
    #expect(problems.first?.problem.contains("overlaps with its template") == true)
  }

  @Test func `refuses a template that cannot be copied`() throws {
    try shell("mkdir -p state template/sub; mkfifo template/sub/pipe")
    let problems = directory(template: "template").check(amid: surroundings).flatMap(\.diagnostics)
    #expect(problems.first?.problem.hasSuffix("of its template is a special file") == true)
  }

  @Test func `refuses a missing template before the first launch`() throws {
    try shell("mkdir state")
    #expect(directory(template: "nowhere").check(amid: surroundings).count == 1)
  }

  @Test func `refuses directories that are nested too deep`() throws {
    try shell("p=state; for i in $(seq 140); do p=$p/d; done; mkdir -p $p")
    let problems = directory().check(amid: surroundings).flatMap(\.diagnostics)
    #expect(problems.first?.problem.contains("lies deeper than 128 directories") == true)
  }
}
