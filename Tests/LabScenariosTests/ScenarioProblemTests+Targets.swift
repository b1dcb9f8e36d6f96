import Foundation

/// Mistakes in a target, as the fifth line of a scenario.
extension ScenarioProblemTests {
  static let targetKeys = [
    Case(
      "timeout: 10",
      "5:14",
      "\"10\" is a duration without a unit",
      "write the unit, such as 10s or 10ms"
    ),
    Case(
      "timeout: 0s",
      "5:14",
      "the timeout \"0s\" leaves no time to start",
      "allow more time, such as 10s"
    ),
    Case("timeout: 25h", "5:14", "the duration \"25h\" is longer than a day", "use at most 24h"),
    Case(
      "timeout: soon",
      "5:14",
      "\"soon\" is not a duration",
      "write a number and one of the units us, ms, s, m, h, such as 500ms"
    ),
    Case(
      "ready: {tcp: 7379}",
      "5:18",
      "\"7379\" is not a host and a port",
      "write 127.0.0.1:7379"
    ),
    Case(
      "ready: {tcp: 'localhost:0'}",
      "5:18",
      "\"localhost:0\" has no port from 1 to 65535",
      "write the port after the colon, such as 127.0.0.1:7379"
    ),
    Case(
      "ready: {tcp: '::1:80'}",
      "5:18",
      "\"::1:80\" has several colons",
      "put an IPv6 address in brackets, such as \"[::1]:80\""
    ),
    Case(
      "ready: {http: https://localhost}",
      "5:19",
      "\"https://localhost\" is not an http:// URL",
      "use an http:// address of the target, because TLS is not spoken here"
    ),
    Case(
      "ready: {stdout: a, stderr: b}",
      "5:24",
      "\"ready\" has 2 keys instead of one",
      "keep one of: stdout, stderr, tcp, unix, http, file, mark, window, frame, settled"
    ),
    Case(
      "ready: {mark: ''}",
      "5:19",
      "the name of the mark is empty",
      "write the name that the program gives to `launch_mark`"
    ),
    Case(
      "ready: {mark: \(String(repeating: "m", count: 64))}",
      "5:19",
      "the name of the mark is longer than 63 bytes",
      "give the mark a shorter name, in the program too"
    ),
    Case("ready: {stdout: ''}", "5:21", "the pattern is empty", "write what the line contains"),
    Case(
      "stop: {signal: TREM}",
      "5:20",
      "\"TREM\" is not a signal that ends a program",
      "write `TERM`"
    ),
    Case(
      "stop: {signal: 19}",
      "5:20",
      "\"19\" is not a signal that ends a program",
      "use one of: HUP, INT, QUIT, ABRT, KILL, USR1, USR2, PIPE, ALRM, TERM, WINCH, PWR"
    ),
    Case(
      "program: bin/",
      "5:14",
      "the program \"bin/\" has no file name",
      "write the name of the executable, such as node, or its path"
    ),
    Case("env: {A: }", "5:14", "\"A\" has no value", "give a text, or remove the key"),
    Case(
      "env: {A=B: x}",
      "5:11",
      "\"A=B\" cannot be the name of a variable",
      "use letters, digits and `_`"
    ),
    Case("tty: on", "5:10", "\"on\" is not true or false", "write true"),
    Case(
      "exit: [0, 256]",
      "5:15",
      "\"256\" is not a whole number from 0 to 255",
      "choose a number in that range"
    ),
    Case(
      "exit: some",
      "5:11",
      "\"some\" is not a whole number from 0 to 255",
      "write decimal digits only, such as 20"
    ),
    Case(
      "exit: any\n    ready: notify",
      "5:11",
      "launches wait for another condition than the end of the program, whose status is not looked at",
      "remove the statuses, or write `ready: exit`"
    ),
    Case(
      "stdin: missing",
      "5:12",
      "the file \"missing\" does not exist",
      "check the path: \(workingDirectory)/missing"
    ),
    Case(
      "home: ~/x",
      "5:11",
      "the path \"~/x\" begins with a tilde, which is not expanded",
      "write the directory out, such as /home/me/data"
    ),
    Case(
      "install: [missing]",
      "5:15",
      "the directory \"missing\" does not exist",
      "check the path: \(workingDirectory)/missing"
    ),
    Case(
      "state: [cache]",
      "5:12",
      "\"state\" has no effect without the state first-run",
      "add first-run to `states:`, or remove the key"
    ),
    Case(
      "counters: [page_faults]",
      "5:16",
      "invalid value \"page_faults\"",
      "write `page-faults`"
    ),
    Case(
      "counters: [cycles, cycles]",
      "5:24",
      "the counter \"cycles\" is given twice",
      "keep one of them"
    ),
    Case(
      "<<: {tty: true}",
      "5:5",
      "unknown key \"<<\"",
      "write the keys out; merge keys (`<<`) are not supported"
    ),
    Case(
      "env: {NOTIFY_SOCKET: x}\n    ready: notify",
      "5:11",
      "\"NOTIFY_SOCKET\" is set by `ready: notify`",
      "remove the variable"
    ),
    Case(
      "env: {LAUNCHLAB_EVENTS: x}",
      "5:11",
      "\"LAUNCHLAB_EVENTS\" is set by launchlab",
      "remove the variable"
    ),
    Case(
      "env: {HOME: /x}\n    home: /tmp",
      "5:11",
      "\"HOME\" contradicts the private home directory",
      "remove the variable, or `home:`"
    ),
    Case(
      "install: [/usr/share]",
      "5:15",
      "\"install\" would replace files in \"/usr/share\": it belongs to the system (/usr)",
      "name a directory that only this scenario uses"
    ),
  ]

  /// With the state first-run, in which directories are reset.
  static let stateKeys = [
    Case(
      "state: [/home/anybody]",
      "5:13",
      "\"state\" would replace files in \"/home/anybody\": it is a top directory of \"/home\"",
      "name a directory that only this scenario uses"
    ),
    Case(
      "state: [cache, {path: cache/../cache/x}]",
      "5:12",
      "the directories \"\(workingDirectory)/cache\" and \"\(workingDirectory)/cache/x\" overlap",
      "name each directory once, under `install:` or under `state:`"
    ),
    Case(
      "state: [{path: /tmp/x, template: /tmp}]",
      "5:20",
      "a state directory and its template \"/tmp\" overlap",
      "put the template elsewhere"
    ),
    Case(
      "state: [{template: /tmp}]",
      "5:13",
      "an element of \"state\" lacks the key \"path\"",
      "add `path:` with a path"
    ),
    Case(
      "env: {HOME: /x}",
      "5:11",
      "\"HOME\" contradicts the private home directory",
      "remove the variable, or the state first-run"
    ),
  ]

  private static let workingDirectory = FileManager.default.currentDirectoryPath
}
