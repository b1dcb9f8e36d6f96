import LaunchCore
import Stages

/// The modules that one launch loaded, as its runtime printed them.
package struct LoadedModules: Hashable, Sendable {
  package let runtime: ModuleRuntime

  /// How long the launch took.
  let launch: Nanoseconds

  /// By name; what several processes of the launch loaded is one.
  private(set) var modules: [String: Module] = [:]

  struct Module: Hashable {
    /// Without those that it loads.
    var time = Nanoseconds.zero

    /// The module that loaded it first; nil for the program.
    var importer: String?
  }

  /// Reads what a launch printed to stderr.
  ///
  /// - Parameters:
  ///   - output: Of a launch whose runtime was asked to print; nil is returned where it did not, and
  ///     where a part of it was not kept.
  ///   - launch: How long it took.
  init?(_ output: CapturedStream, launch: Nanoseconds) {
    let bytes = output.head + output.tail
    guard Int64(bytes.count) == output.totalBytes else { return nil }
    let blocks = LoaderLog.parse(bytes, name: "stderr").blocks
    guard
      let runtime = ModuleRuntime.allCases.first(where: { runtime in
        blocks.contains { $0.format == runtime.format }
      })
    else { return nil }
    self.runtime = runtime
    self.launch = launch
    for block in blocks where block.format == runtime.format {
      for node in block.tree { add(node, importer: nil) }
    }
  }

  private mutating func add(_ node: LoaderLogNode, importer: String?) {
    let amount = runtime == .python ? node.value.own : node.value.amount
    if let time = amount?.nanoseconds {
      let name = node.value.name
      var module = modules[name] ?? Module(importer: importer)
      module.time = module.time + Nanoseconds(time)
      modules[name] = module
    }
    for child in node.children { add(child, importer: node.value.name) }
  }
}

/// A runtime that says which modules it loads; the raw value is the name used in JSON.
package enum ModuleRuntime: String, CaseIterable, Sendable {
  case python
  case go

  fileprivate var format: String {
    switch self {
    case .python: LoaderLogFormat.pythonImportTime
    case .go: LoaderLogFormat.goInitTrace
    }
  }
}
