import CLabHost
import Foundation
import SystemPackage

/// A runtime that prints how it starts when a variable of its environment asks for it.
enum KnownRuntime: String, CaseIterable {
  case go = "Go"
  case java = "the JVM"
  case node = "Node"
  case python = "Python"

  /// How many interpreters the kernel follows.
  private static let interpreterLimit = 5

  /// Finds out which runtime runs a program; of a script, that of its interpreter.
  ///
  /// - Parameters:
  ///   - program: An absolute path.
  ///   - path: The target's PATH, for scripts that `env` looks up.
  ///   - directory: Where relative elements of the PATH begin.
  init?(program: String, path: String?, directory: String) {
    var program = program
    for _ in 0..<Self.interpreterLimit {
      guard case .script(let interpreter, let argument) = ProgramFile(at: FilePath(program)) else {
        break
      }
      program = interpreter
      if interpreter.hasSuffix("/env"), case .runs(let command) = EnvCommand(argument ?? "") {
        program =
          (try? ExecutableLookup.resolve(command: command, path: path, directory: directory))
          ?? interpreter
      }
    }
    let real = DeclaredDirectory.realPath(of: FilePath(program)) ?? FilePath(program)
    switch real.lastComponent?.string ?? "" {
    case "java": self = .java
    case "node", "nodejs": self = .node
    case let name where name.wholeMatch(of: /python(3(\.[0-9]+)?)?/) != nil: self = .python
    default:
      guard ProgramImage(real.string).isGo else { return nil }
      self = .go
    }
  }

  /// The environment with what makes the runtime print; what the target has in it is kept.
  ///
  /// - Parameters:
  ///   - environment: The target's.
  ///   - nodeScript: The path of a file with ``nodeScript`` or ``RuntimeModules/nodeScript``; nil
  ///     where there is none.
  /// - Returns: The same with one more variable, or a longer one.
  func environment(
    addedTo environment: [String: String],
    nodeScript: String?
  ) -> [String: String] {
    var changed = environment
    func append(_ value: String, to name: String, with separator: String) {
      let own = environment[name] ?? ""
      changed[name] = own.isEmpty ? value : own + separator + value
    }
    switch self {
    case .go: append("inittrace=1", to: "GODEBUG", with: ",")
    // Unlike JAVA_TOOL_OPTIONS a JVM before 9 does not read it, and that has no -Xlog.
    case .java: append("-Xlog:startuptime:stderr", to: "JDK_JAVA_OPTIONS", with: " ")
    case .node:
      if let nodeScript { append("--require=\(nodeScript)", to: "NODE_OPTIONS", with: " ") }
    case .python: changed["PYTHONPROFILEIMPORTTIME"] = "1"
    }
    return changed
  }

  /// Prints the marks of Node once the program has been loaded, on one line of stderr.
  static let nodeScript = """
    setImmediate(() => process.stderr.write(JSON.stringify(performance.nodeTiming) + "\\n"));

    """
}

/// The runtimes that print which modules they load, or of what their start is made, with times.
package enum RuntimeModules {
  private static let runtimes = KnownRuntime.allCases

  /// Whether a program is run by one of them; of a script, its interpreter counts.
  ///
  /// - Parameter program: An absolute path; any other text is no such program.
  /// - Returns: Whether it is.
  package static func areKnown(of program: String) -> Bool {
    guard program.hasPrefix("/") else { return false }
    let runtime = KnownRuntime(program: program, path: nil, directory: "/")
    return runtime.map(runtimes.contains) ?? false
  }

  /// The environment that makes all of them print, whichever a launch will run.
  ///
  /// A JVM is asked only where it is what is launched: one that does not know the option ends, which
  /// must not cost the modules of a program that starts it.
  ///
  /// - Parameters:
  ///   - environment: The target's.
  ///   - launched: The runtime of the program that is launched; nil for none of them.
  ///   - nodeScript: The path of a file with ``nodeScript``; nil where there is none.
  /// - Returns: The same with more variables.
  static func environment(
    addedTo environment: [String: String],
    launched: KnownRuntime?,
    nodeScript: String?
  ) -> [String: String] {
    runtimes.filter { $0 != .java || launched == .java }
      .reduce(environment) { $1.environment(addedTo: $0, nodeScript: nodeScript) }
  }

  /// Prints each module of Node on a line of stderr once it is loaded, as ``NodeModule``.
  ///
  /// `load` is called for each file that `require` has not loaded before, and `_load` for the
  /// built-in ones as well; modules that `import` loads take neither way. The script that is run is
  /// `(main)`, whatever its name. What printing takes is in no module.
  static let nodeScript = """
    const Module = require("module"), { writeSync } = require("fs"), path = require("path");
    const { load } = Module.prototype, { _load } = Module, open = [], known = new Set();
    let base = process.cwd();
    function short(file) {
      const parts = file.split("/node_modules/");
      return parts.length > 1 ? parts.pop() : path.relative(base, file);
    }
    function timed(name, work) {
      const own = { name, nested: 0n }, begin = process.hrtime.bigint();
      known.add(name);
      open.push(own);
      try {
        return work();
      } finally {
        const end = process.hrtime.bigint(), outer = open[open.length - 2];
        open.pop();
        const line = { "launchlab.module": name, ns: Number(end - begin - own.nested) };
        if (outer) line.by = outer.name;
        try { writeSync(2, JSON.stringify(line) + "\\n"); } catch {}
        if (outer) outer.nested += process.hrtime.bigint() - begin;
      }
    }
    Module.prototype.load = function (file) {
      const isMain = this.id === ".";
      if (isMain) base = path.dirname(file);
      return timed(isMain ? "(main)" : short(file), () => load.call(this, file));
    };
    Module._load = function (request, ...others) {
      const name = String(request).replace(/^node:/, "");
      if (known.has(name) || !Module.builtinModules.includes(name)) {
        return _load.call(this, request, ...others);
      }
      return timed(name, () => _load.call(this, request, ...others));
    };

    """

  /// A line that ``nodeScript`` prints.
  package struct NodeModule: Decodable {
    package let name: String

    /// How long loading it took without those that it loads, in nanoseconds.
    package let time: Int64

    /// The module that loaded it; nil where Node did.
    package let importer: String?

    /// Reads a line; nil for any other.
    package init?(_ line: some Collection<UInt8>) {
      guard line.starts(with: #"{"launchlab.module":"#.utf8),
        let module = try? JSONDecoder().decode(Self.self, from: Data(line))
      else { return nil }
      self = module
    }

    private enum CodingKeys: String, CodingKey {
      case name = "launchlab.module"
      case time = "ns"
      case importer = "by"
    }
  }
}

/// A launch mark that a script makes by starting launchlab.
package enum ScriptMark {
  /// How many bytes a name has; one that is longer would be cut.
  package static let nameLengths = 1...255

  /// Makes a mark in the name of the process that started this one; without a launch to mark, and
  /// where it cannot be written, nothing happens.
  package static func make(_ name: String) { unsafe lab_mark_for_parent(name) }
}
