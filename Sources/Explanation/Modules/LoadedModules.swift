package import LaunchCore
import LaunchHost
import Stages

/// The modules that one launch loaded, as its runtime printed them.
package struct LoadedModules: Hashable, Sendable {
  package let runtime: ModuleRuntime

  /// How long the launch took.
  let launch: Nanoseconds

  /// By name; what several processes of the launch loaded is one.
  private(set) var modules: [String: Module] = [:]

  package var names: some Collection<String> { modules.keys }

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
  package init?(_ output: CapturedStream, launch: Nanoseconds) {
    let bytes = output.head + output.tail
    guard Int64(bytes.count) == output.totalBytes else { return nil }
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let node = lines.compactMap(RuntimeModules.NodeModule.init)
    let blocks = LoaderLog.parse(bytes, name: "stderr").blocks
    guard
      let runtime = ModuleRuntime.allCases.first(where: { runtime in
        runtime == .node ? !node.isEmpty : blocks.contains { $0.format == runtime.format }
      })
    else { return nil }
    self.runtime = runtime
    self.launch = launch
    switch runtime {
    case .node: for module in node { add(module.name, module.time, importer: module.importer) }
    case .java: for block in blocks where block.format == runtime.format { add(phases: block) }
    case .python, .go:
      for block in blocks where block.format == runtime.format {
        for node in block.tree { add(node, importer: nil) }
      }
    }
  }

  private mutating func add(_ node: LoaderLogNode, importer: String?) {
    let amount = runtime == .python ? node.value.own : node.value.amount
    if let time = amount?.nanoseconds { add(node.value.name, time, importer: importer) }
    for child in node.children { add(child, importer: node.value.name) }
  }

  /// The last phase of a JVM contains the others.
  private mutating func add(phases block: LoaderLogBlock) {
    let phases = block.tree.map(\.value)
    let whole = phases.last { $0.name == "Create VM" }
    var rest = whole?.amount?.nanoseconds ?? 0
    for phase in phases where phase.name != whole?.name {
      guard let time = phase.amount?.nanoseconds else { continue }
      add(phase.name, time, importer: whole?.name)
      rest -= time
    }
    if let whole { add(whole.name, max(0, rest), importer: nil) }
  }

  private mutating func add(_ name: String, _ time: Int64, importer: String?) {
    var module = modules[name] ?? Module(importer: importer)
    module.time = module.time + Nanoseconds(time)
    modules[name] = module
  }
}

/// A runtime that says which modules it loads, or, of a JVM, which phases its start has; the raw
/// value is the name used in JSON.
///
/// Where a launch runs several, the first of these is told of.
package enum ModuleRuntime: String, CaseIterable, Sendable {
  case python
  case go
  case java
  case node

  /// The format of what it prints; nil where ``LoadedModules`` reads that itself.
  fileprivate var format: String? {
    switch self {
    case .node: nil
    case .java: LoaderLogFormat.jvmStartupTime
    case .python: LoaderLogFormat.pythonImportTime
    case .go: LoaderLogFormat.goInitTrace
    }
  }
}
