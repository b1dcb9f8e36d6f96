import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct PackageDatabaseTests {
  private let fixture = FixtureTree()

  private func writeDebian() throws {
    try fixture.write(
      """
      Package: git
      Status: install ok installed
      Version: 1:2.39

      Package: libgit2-data
      Source: libgit2 (1.5.1)

      Package: tool-common
      Source: tool
      Description: Source: nonsense
       Package: nonsense
      """,
      to: "var/lib/dpkg/status"
    )
    let lists = [
      "git": "/.\n/usr\n/usr/bin\n/usr/bin/git\n/usr/share\n/usr/share/git",
      "libgit2-data:amd64": "/.\n/usr\n/lib\n/lib/libgit2.so\n/usr/share\n/usr/share/both",
      "tool-common": "/.\n/usr\n/usr/bin\n/usr/bin/tool\n/usr/bin/git.old\n/usr/share/both",
      "wrapper": "/.\n/usr/bin/tool",
      "base": "/srv\n/opt\n/usr/local\n/usr/local/share",
    ]
    for (name, text) in lists {
      try fixture.write(text + "\n", to: "var/lib/dpkg/info/\(name).list")
    }
    try fixture.write(
      "/usr/bin/tool\n/usr/bin/tool.distrib\nwrapper\n",
      to: "var/lib/dpkg/diversions"
    )
  }

  @Test(arguments: [
    ("/usr/bin/git", "git from git"),
    ("/usr/lib/libgit2.so", "libgit2-data from libgit2"),
    // dpkg-divert: the wrapper stands where the tool is listed.
    ("/usr/bin/tool", "wrapper from wrapper"),
    ("/usr/bin/tool.distrib", "tool-common from tool"),
    // Of no list, but below a directory of one package alone.
    ("/usr/share/git/made", "git from git"),
    ("/usr/share/both/made", nil),
    ("/usr/bin/other", nil),
    ("/usr/local/made", nil),
    ("/srv/made", nil),
    ("/opt/app", nil),
  ])
  func `finds the package and the source of a file`(path: String, owner: String?) throws {
    try writeDebian()
    let found = PackageDatabase(tree: fixture.tree).owners(of: [FilePath(path)])[FilePath(path)]
    #expect(found.map { "\($0.name) from \($0.source)" } == owner)
  }

  @Test func `knows no package where there is no database`() {
    #expect(PackageDatabase(tree: fixture.tree).owners(of: ["/usr/bin/git"]).isEmpty)
  }

  @Test func `asks rpm, for fewer files where one is of several packages`() throws {
    try fixture.write("", to: "var/lib/rpm/rpmdb.sqlite")
    let answers = [
      "/usr/bin/git": "git-core\tgit-2.44.0-1.fc40.src.rpm\n",
      "/etc": "filesystem\tfilesystem-3.18-8.fc40.src.rpm\nsetup\tsetup-2.14-1.fc40.src.rpm\n",
      "/opt/app": "file /opt/app is not owned by any package\n",
    ]
    let database = RPMDatabase(tree: fixture.tree) { arguments in
      arguments.dropFirst(3).compactMap { answers[$0] }.joined()
    }
    let owners = database.owners(of: ["/usr/bin/git", "/etc", "/opt/app"])
    #expect(owners["/usr/bin/git"] == InstalledPackage(name: "git-core", source: "git"))
    #expect(owners["/etc"]?.source == "filesystem")
    #expect(owners["/opt/app"] == nil)
  }
}
