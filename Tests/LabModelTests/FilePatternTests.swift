import Testing

@testable import LaunchCore

@Suite struct FilePatternTests {
  @Test(arguments: [
    ("/a/b", "/a/b", true), ("/a/b", "/a/b/c/d", true), ("/a/b", "/a/bc", false),
    ("/a/*.jar", "/a/x.jar", true), ("/a/*.jar", "/a/b/x.jar", false),
    ("/a/*.jar", "/a/x.jar.bak", false), ("/a/**/*.jar", "/a/b/c/x.jar", true),
    ("/a/**/*.jar", "/a/x.jar", true), ("/a/**", "/a/x", true), ("/a/**", "/b", false),
    ("/a/?b", "/a/xb", true), ("/a/?b", "/a/b", false), ("/**/c", "/a/b/c/d", true),
    ("/a/*b*c*", "/a/xbycz", true), ("/a/*b*c*", "/a/xcyb", false), ("/", "/a", true),
    ("!/a/*", "/a/x", true),
  ])
  func `matches paths and what is below them`(text: String, path: String, isMatch: Bool) {
    #expect(FilePattern(text).matches(path) == isMatch)
  }

  @Test func `lets the last match decide`() {
    let patterns = ["/a", "!/a/**/*.log", "/a/keep.log"].map { FilePattern($0) }
    #expect(FilePattern.verdict(of: patterns, on: "/a/x") == true)
    #expect(FilePattern.verdict(of: patterns, on: "/a/b/x.log") == false)
    #expect(FilePattern.verdict(of: patterns, on: "/a/keep.log") == true)
    #expect(FilePattern.verdict(of: patterns, on: "/b") == nil)
  }

  @Test func `knows the fixed part of a pattern`() {
    #expect(FilePattern("/a/b/*.c/d").root == "/a/b")
    #expect(FilePattern("/*").root == "/")
    #expect(
      FilePattern.isPlain("/a/b") && !FilePattern.isPlain("!/a") && !FilePattern.isPlain("a*")
    )
    #expect(FilePattern(plain: "/a*").matches("/a*/b"))
  }
}
