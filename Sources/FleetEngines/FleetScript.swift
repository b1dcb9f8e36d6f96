// What both engines run: the work as a script of a shell, and names as names of files.

extension FleetWork {
  /// The work as a script, whose last line becomes the program.
  ///
  /// Thus signals reach the program and not a shell, and values may have anything in them but NUL.
  ///
  /// - Parameter log: Where it writes what it prints, relative to the working directory and in a
  ///   directory that it makes; nil for where the script does.
  /// - Returns: The script, for `/bin/sh`.
  /// - Throws: ``FleetEngineError/refused(reason:)`` for what no script can say.
  func script(log: (directory: String, name: String)? = nil) throws(FleetEngineError) -> String {
    var lines = ["#!/bin/sh", "cd \(directory.shellWord) || exit"]
    if let log {
      let path = "\(log.directory)/\(log.name)".shellWord
      lines.append("mkdir -p \(log.directory.shellWord) && exec >>\(path) 2>&1 || exit")
    }
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
      guard name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil else {
        throw .refused(reason: "\(name.debugDescription) is no name of a variable")
      }
      lines.append("export \(name)=\(value.shellWord)")
    }
    lines.append("exec " + command.map(\.shellWord).joined(separator: " "))
    let script = lines.joined(separator: "\n") + "\n"
    guard !script.utf8.contains(0) else {
      throw .refused(reason: "the work \(name) has a NUL in it")
    }
    return script
  }
}

extension String {
  /// The text as one word of a shell.
  ///
  /// It is quoted by scalars, since a quote with a combining mark is another character than a quote.
  var shellWord: String {
    var quoted = "'".unicodeScalars
    for scalar in unicodeScalars {
      if scalar == "'" { quoted.append(contentsOf: "'\\'".unicodeScalars) }
      quoted.append(scalar)
    }
    return String(quoted) + "'"
  }

  /// The text as the beginning of a file's name, another one for each text.
  ///
  /// Bytes other than letters, digits, `_`, `-`, `:` and dots inside become `%` and two digits.
  var fileName: String {
    var name = ""
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: ":"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: ".") where !name.isEmpty: name += "."
      default: name += "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }
    }
    return name
  }
}

extension Duration {
  /// The time in seconds.
  var seconds: Double { self / .seconds(1) }
}
