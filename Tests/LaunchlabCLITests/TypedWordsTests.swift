import ArgumentParser
import Testing

@testable import launchlab

@Suite struct TypedWordsTests {
  struct Case: CustomTestStringConvertible {
    let typed: String
    let meant: String
    var testDescription: String { typed }
  }

  @Test(arguments: [
    Case(typed: "measure git --version", meant: "measure -- git --version"),
    Case(typed: "measure git log -- path", meant: "measure -- git log -- path"),
    Case(typed: "measure -l 5 ls -l", meant: "measure -l 5 -- ls -l"),
    Case(typed: "measure -qv --launches=5 ls -h", meant: "measure -qv --launches=5 -- ls -h"),
    Case(typed: "measure -ql 5 ls", meant: "measure -ql 5 -- ls"),
    Case(
      typed: "measure --tty --env A=b sh -c true",
      meant: "measure --tty --env A=b -- sh -c true"
    ),
    Case(typed: "measure -- git --help", meant: "measure -- git --help"),
    Case(typed: "measure --foo ls", meant: "measure --foo -- ls"),
    Case(typed: "stages --all node -e 0", meant: "stages --all -- node -e 0"),
    Case(typed: "selftest --state warm node -e 0", meant: "selftest --state warm -- node -e 0"),
    Case(typed: "selftest --probe /a /b --json -", meant: "selftest --probe /a /b --json -"),
    Case(typed: "init node -e 0", meant: "init -- node -e 0"),
    Case(typed: "files git status", meant: "files -- git status"),
    Case(typed: "files s.yml --target a", meant: "files s.yml --target a"),
    Case(typed: "explain sh -c true", meant: "explain -- sh -c true"),
    Case(typed: "explain git --version", meant: "explain -- git --version"),
    Case(typed: "explain ls /usr", meant: "explain -- ls /usr"),
    Case(typed: "explain cat /etc/passwd", meant: "explain -- cat /etc/passwd"),
    Case(typed: "explain ls sh --launches 5", meant: "explain ls sh --launches 5"),
    Case(typed: "explain ls no-such-program", meant: "explain ls no-such-program"),
    Case(typed: "explain last~1 last", meant: "explain last~1 last"),
    Case(typed: "explain s.yml --revisions a..b", meant: "explain s.yml --revisions a..b"),
    Case(
      typed: "bisect a..b --build make ./app --version",
      meant: "bisect a..b --build make -- ./app --version"
    ),
    Case(typed: "bisect --artifacts d app -x", meant: "bisect --artifacts d -- app -x"),
    Case(typed: "bisect --artifacts d a..b ../app", meant: "bisect --artifacts d a..b -- ../app"),
    Case(typed: "bisect a..b s.yml --state warm", meant: "bisect a..b s.yml --state warm"),
    Case(typed: "compare ls sh --metric launch", meant: "compare ls sh --metric launch"),
    Case(typed: "run s.yml --dry-run", meant: "run s.yml --dry-run"),
  ])
  func `puts what ends the options before the program`(_ test: Case) {
    let words = test.typed.split(separator: " ").map(String.init)
    #expect(TypedWords(words).words.joined(separator: " ") == test.meant)
  }

  @Test(arguments: [
    Case(typed: "measure --runs 3 ls", meant: "measure --launches 3 -- ls"),
    Case(typed: "measure -r3 -N ls -N", meant: "measure --launches 3 -- ls -N"),
    Case(typed: "measure --runs=3 --shell=none ls", meant: "measure --launches 3 -- ls"),
    Case(typed: "measure -Nq --warmup 3 ls", meant: "measure -q -- ls"),
    Case(
      typed: "measure -p a -c b -s c -C d ls",
      meant: "measure --prepare a --cleanup b --setup c --conclude d -- ls"
    ),
    Case(
      typed: "measure --export-json f --export-markdown g --input h ls",
      meant: "measure --export-hyperfine f --markdown g --stdin h -- ls"
    ),
    Case(typed: "compare -N -m 20 -M 200 ls sh", meant: "compare ls sh --launches 20..200"),
    Case(typed: "compare -m 20 ls sh", meant: "compare ls sh --launches 20..1280"),
    Case(typed: "compare -r 50 ls sh", meant: "compare --launches 50 ls sh"),
    Case(typed: "measure -n foo ls", meant: "measure -n foo -- ls"),
    Case(typed: "compare -n a -n b ls sh", meant: "compare -n a -n b ls sh"),
    Case(typed: "run -r 50 s.yml", meant: "run --launches 50 s.yml"),
  ])
  func `has other names for options of hyperfine`(_ test: Case) throws {
    let words = test.typed.split(separator: " ").map(String.init)
    #expect(TypedWords(words).words.joined(separator: " ") == test.meant)
    _ = try TypedWords.parsed(words)
  }

  @Test(arguments: [
    Case(
      typed: "explain --speedscope a --firefox=b --perfetto c ls",
      meant: "explain --trace a --trace=b --trace c -- ls"
    ),
    Case(
      typed: "explain /old /new --perfetto a --trace b",
      meant: "explain /old /new --trace a --trace b"
    ),
    Case(typed: "stages --speedscope a ls", meant: "stages --trace a -- ls"),
    Case(typed: "measure --speedscope a", meant: "measure --speedscope -- a"),
  ])
  func `has other names for former options`(_ test: Case) {
    let typed = TypedWords(test.typed.split(separator: " ").map(String.init))
    #expect(typed.words.joined(separator: " ") == test.meant)
    #expect(typed.notes.isEmpty == test.typed.hasPrefix("measure"))
    #expect(typed.notes.allSatisfy { $0.contains(" is now --trace, ") })
  }

  @Test func `takes a command in quotes`() throws {
    for words in [["measure", "perl -e '0 1'"], ["measure", "--", "perl -e '0 1'"]] {
      let command = try #require(try TypedWords.parsed(words) as? Launchlab.Measure)
      #expect(command.target.command == ["perl", "-e", "0 1"])
    }
    let command = try #require(try TypedWords.parsed(["explain", "ls -l"]) as? Launchlab.Explain)
    #expect(command.launch.command == ["ls", "-l"])
  }

  @Test(arguments: [
    "run s.yml", "run --scenario s.yml", "gate a..b s.yml", "gate a..b --scenario s.yml",
    "gate s.yml a..b", "gate a..b", "gate --artifacts a b --scenario s.yml", "bisect a..b s.yml",
    "bisect s.yml a..b", "bisect a..b --scenario s.yml", "bisect --alert R-1 s.yml",
    "compare --revisions a..b s.yml", "compare --revisions a..b --scenario s.yml",
    "explain --revisions a..b s.yml", "explain --revisions a..b --scenario s.yml",
    "report s.yml", "report --scenario s.yml", "report shop", "report --scenario shop",
    "report s.yml --scenario shop", "files s.yml", "files --scenario s.yml --target a",
    "gate approve library:a s.yml --reason b", "gate approve library:a --scenario s --reason b",
  ])
  func `takes a scenario as an argument and as an option`(words: String) throws {
    _ = try TypedWords.parsed(words.split(separator: " ").map(String.init))
  }

  @Test(arguments: [
    "run", "run s.yml --scenario t.yml", "gate a..b s.yml --scenario t.yml",
    "bisect a..b s.yml --scenario t.yml", "compare ls sh --scenario s.yml",
    "report s.yml --scenario t.yml", "files s.yml --scenario t.yml", "bisect a..b s.yml t.yml",
  ])
  func `refuses two scenarios, and none`(words: String) {
    #expect(throws: (any Error).self) {
      try TypedWords.parsed(words.split(separator: " ").map(String.init))
    }
  }
}
