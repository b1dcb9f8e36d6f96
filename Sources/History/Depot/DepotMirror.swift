import Foundation
package import LaunchCore
package import LaunchDepot
import LaunchHost
import LaunchStore
package import Measuring

/// Where a depot is, as options name it.
package enum DepotLocation {
  /// Whether an option `--store` names a depot rather than a file.
  package static func isOne(_ store: String?) -> Bool { store?.contains("://") ?? false }

  /// The address that a text stands for.
  ///
  /// - Throws: `DepotError` for a text that is none.
  package static func address(_ text: String) throws -> DepotAddress {
    guard let address = try DepotAddress(text) else { throw DepotError.noSuchAddress }
    return address
  }
}

/// Stores with what a depot has of some hosts, one per host and scenario, kept up to date.
///
/// What reads a store reads these as it reads those of this machine: they are in a directory of the cache,
/// each in a directory of its own, as the stores of several scenarios are below a checkout.
package struct DepotMirror {
  private let depot: Depot
  private let directory: URL

  /// - Parameters:
  ///   - address: The URI of the depot.
  ///   - context: Says where the cache is.
  /// - Throws: `DepotError`.
  package init(of address: String, in context: WorkflowContext) throws {
    let address = try DepotLocation.address(address)
    depot = Depot(address)
    let cache = try context.directory(.cache, else: "an absolute HOME or XDG_CACHE_HOME")
    let digest = SHA256(Array(address.description.utf8)).hexadecimal.prefix(16)
    directory = URL(filePath: cache).appending(path: "depots/\(digest)")
  }

  /// Which part of a depot is wanted.
  package struct Part: Hashable, Sendable {
    /// The name or the identity of a host; nil means every one.
    package var host: String?

    /// The name of a scenario; nil means every one.
    package var scenario: String?

    package init(host: String? = nil, scenario: String? = nil) {
      self.host = host
      self.scenario = scenario
    }
  }

  /// Where the stores are, and what could not be read of the depot.
  package struct Content: Hashable, Sendable {
    /// The directory of the stores.
    package var directory: String
    package var problems: [Diagnostic]
  }

  /// Fetches what is new.
  ///
  /// - Parameters:
  ///   - part: What of the depot.
  ///   - progress: Called with how many of all new runs are there.
  /// - Returns: The stores; a run that cannot be read keeps no other one away.
  /// - Throws: `DepotError`, `StoreError`, ``WorkflowError/badOption(name:value:expected:)`` for a
  ///   host that the depot does not have.
  package func refresh(
    _ part: Part,
    _ progress: (_ done: Int, _ total: Int) -> Void
  ) async throws -> Content {
    let hosts = try await hosts(part.host)
    let place = directory.appending(path: Self.folder([part.host ?? "", part.scenario ?? ""]))
    var content = Content(directory: place.path(percentEncoded: false), problems: [])
    var mirrors: [Key: Mirror] = [:]
    // Hosts push runs before what they concluded of them. What is concluded is read before runs here, so
    // that no run is missing that it speaks of.
    var conclusions: [(key: Key, digest: String, content: [UInt8])] = []
    for entry in try await depot.conclusions(scenario: part.scenario, host: part.host) {
      let key = Key(host: entry.hostIdentity, scenario: entry.scenario)
      let mirror = try Mirror(key, named: hosts[key.host], in: place)
      mirrors[key] = mirror
      guard mirror.concluded != entry.digest, Self.canRead(entry.schema),
        let file = try await depot.content(of: entry)
      else { continue }
      conclusions.append((key, entry.digest, file))
    }
    var wanted: [(entry: DepotEntry, mirror: Mirror)] = []
    for entry in try await entries(part) {
      let key = Key(host: entry.hostIdentity, scenario: entry.scenario)
      let mirror = try mirrors[key] ?? Mirror(key, named: hosts[key.host], in: place)
      mirrors[key] = mirror
      guard !mirror.known.contains(entry.id) else { continue }
      if Self.canRead(entry.schema) {
        wanted.append((entry, mirror))
      } else {
        content.problems.append(Self.unread(entry, because: "a newer launchlab sent it"))
      }
    }
    guard !mirrors.isEmpty else {
      let parts = [part.host.map { " of host \($0)" }, part.scenario.map { " of scenario \($0)" }]
      throw DepotError.nothingThere(
        address: depot.address.description,
        part: parts.compactMap(\.self).joined()
      )
    }
    let total = wanted.count
    var store: Store?
    while !wanted.isEmpty {
      let batch = wanted.prefix(Self.batch)
      let found = try await depot.contents(of: batch.map(\.entry.key))
      for (file, want) in zip(found, batch) {
        if store?.path != want.mirror.path { store = try Store.writable(at: want.mirror.path) }
        do {
          try store?.add(want.entry, file.content)
        } catch let error as StoreError {
          let reason = error.diagnostics.first?.problem ?? "it is damaged"
          content.problems.append(Self.unread(want.entry, because: reason))
        }
      }
      wanted.removeFirst(found.count)
      progress(total - wanted.count, total)
    }
    for (key, digest, file) in conclusions { try mirrors[key]?.take(file, digest: digest) }
    return content
  }

  private static let page = 10_000
  private static let batch = 500

  private static func canRead(_ schema: Int) -> Bool { schema <= Store.schemaVersion }

  private static func unread(_ entry: DepotEntry, because reason: String) -> Diagnostic {
    Diagnostic(
      .warning,
      id: "depot-unread-run",
      problem: "run \(entry.id) of host \(entry.hostName) is left out: \(reason)",
      remedy: "update launchlab here, or push the run again from its host"
    )
  }

  private func entries(_ part: Part) async throws -> [DepotEntry] {
    var all: [DepotEntry] = []
    while true {
      let page = try await depot.runs(
        scenario: part.scenario,
        host: part.host,
        after: all.last?.key ?? 0,
        limit: Self.page
      )
      all += page
      if page.count < Self.page { return all }
    }
  }

  /// The names of the hosts by their identity, where the one that is asked for is among them.
  private func hosts(_ name: String?) async throws -> [String: String] {
    let hosts = try await depot.hosts()
    guard let name, !hosts.contains(where: { $0.name == name || $0.identity == name }) else {
      return Dictionary(hosts.map { ($0.identity, $0.name) }) { first, _ in first }
    }
    throw WorkflowError.badOption(
      name: "--host",
      value: name,
      expected: hosts.isEmpty
        ? "a host of the depot, which has none yet"
        : "a host of the depot: \(hosts.prefix(8).map(\.name).joined(separator: ", "))"
    )
  }

  /// The name of the host that a store mirrors; nil for a store of another kind.
  static func host(of store: Store) -> String? {
    let file = URL(filePath: store.path).deletingLastPathComponent().appending(path: hostFile)
    return (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The file beside the store of a mirror with the name of its host.
  private static let hostFile = "depot-host"

  private struct Key: Hashable {
    var host: String
    var scenario: String
  }

  /// A name of a directory, which tells some names, and is its own for these names and a key.
  fileprivate static func folder(_ names: [String], key: String = "") -> String {
    let plain = names.filter { !$0.isEmpty }.map { ReportPlaces.folder($0).prefix(60) }
    let digest = SHA256(Array((names + [key]).joined(separator: "\n").utf8)).hexadecimal.prefix(8)
    return (plain + [digest]).joined(separator: ".")
  }

  /// The store of one scenario of one host, which is open only while it is used.
  private struct Mirror {
    let path: String
    let known: Set<String>

    /// The digest of the conclusions that were taken last.
    let concluded: String?

    init(_ key: Key, named name: String?, in place: URL) throws {
      let folder = DepotMirror.folder([key.scenario], key: key.host)
      let directory = place.appending(path: "\(folder)/.launchlab")
      path = directory.appending(path: "launchlab.sqlite").path(percentEncoded: false)
      let store = try Store.writable(at: path)
      known = Set(try store.runIDs().map(\.id) + store.leftOutRuns().map(\.run))
      concluded = try store.takenConclusions()
      let host = name ?? String(key.host.prefix(8))
      guard DepotMirror.host(of: store) != host else { return }
      try Data(host.utf8).write(to: directory.appending(path: hostFile), options: .atomic)
    }

    func take(_ content: [UInt8], digest: String) throws {
      try TemporaryFile.with(content) { path in
        try Store.writable(at: self.path)
          .takeConclusions(from: Store(path: path, mode: .readWrite), digest: digest)
      }
    }
  }
}

extension Store {
  /// Adds a run from its file.
  fileprivate func add(_ entry: DepotEntry, _ content: [UInt8]) throws {
    try TemporaryFile.with(content) { path in
      try add([entry.id], from: Store(path: path, mode: .readWrite))
    }
  }
}
