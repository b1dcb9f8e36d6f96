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
  /// What one host has pushed keeps no other one away: a run or conclusions that cannot be used are left out.
  ///
  /// - Parameters:
  ///   - part: What of the depot.
  ///   - progress: Called with how many of all new runs are there.
  /// - Returns: The stores, and a warning for everything that is left out.
  /// - Throws: `DepotError`, `StoreError` for a mirror, ``WorkflowError/badOption(name:value:expected:)`` for a
  ///   host that the depot does not have.
  package func refresh(
    _ part: Part,
    _ progress: (_ done: Int, _ total: Int) -> Void
  ) async throws -> Content {
    let hosts = try await hosts(part.host)
    // A name is that of the host which is called so here, whatever others call themselves.
    let named = hosts.first { $0.value == part.host }?.key ?? part.host
    let place = directory.appending(
      path: Self.folder([part.host ?? "", part.scenario ?? ""], key: named ?? "")
    )
    var content = Content(directory: place.path(percentEncoded: false), problems: [])
    var mirrors: [Key: Mirror] = [:]
    func mirror(_ key: Key) throws -> Mirror {
      let mirror = try mirrors[key] ?? Mirror(key, named: hosts[key.host], in: place)
      mirrors[key] = mirror
      return mirror
    }
    // Hosts push runs before what they concluded of them. What is concluded is read before runs here, so
    // that no run is missing that it speaks of.
    var conclusions: [(mirror: Mirror, digest: String, content: [UInt8])] = []
    for entry in try await depot.conclusions(scenario: part.scenario, host: named) {
      let mirror = try mirror(Key(host: entry.hostIdentity, scenario: entry.scenario))
      guard mirror.concluded != entry.digest, Self.canRead(entry.schema) else { continue }
      guard entry.bytes <= Depot.mostBytes else {
        content.problems.append(mirror.unread(conclusions: Self.tooLarge))
        continue
      }
      guard let file = try await depot.content(of: entry) else { continue }
      conclusions.append((mirror, entry.digest, file))
    }
    var wanted: [(entry: DepotEntry, mirror: Mirror)] = []
    for entry in try await entries(scenario: part.scenario, host: named) {
      let mirror = try mirror(Key(host: entry.hostIdentity, scenario: entry.scenario))
      guard !mirror.known.contains(entry.id) else { continue }
      if !Self.canRead(entry.schema) {
        content.problems.append(mirror.unread(entry.id, "a newer launchlab sent it"))
      } else if entry.bytes > Depot.mostBytes {
        content.problems.append(mirror.unread(entry.id, Self.tooLarge))
      } else {
        wanted.append((entry, mirror))
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
    while !wanted.isEmpty {
      let batch = wanted.prefix(Self.batch)
      let found = try await depot.contents(of: batch.map(\.entry.key))
      for (file, want) in zip(found, batch) {
        do {
          try want.mirror.add(want.entry, file.content)
        } catch let error as StoreError {
          let reason = error.diagnostics.first?.problem ?? "it is damaged"
          content.problems.append(want.mirror.unread(want.entry.id, reason))
        }
      }
      wanted.removeFirst(found.count)
      progress(total - wanted.count, total)
    }
    for (mirror, digest, file) in conclusions {
      do {
        try mirror.take(file, digest: digest)
      } catch let error as StoreError {
        let reason = error.diagnostics.first?.problem ?? "they are damaged"
        content.problems.append(mirror.unread(conclusions: reason))
      }
    }
    return content
  }

  private static let tooLarge = "the file has more than \(Depot.mostBytes >> 20) MiB"
  private static let page = 10_000
  private static let batch = 500

  private static func canRead(_ schema: Int) -> Bool { schema <= Store.schemaVersion }

  private func entries(scenario: String?, host: String?) async throws -> [DepotEntry] {
    var all: [DepotEntry] = []
    while true {
      let page = try await depot.runs(
        scenario: scenario,
        host: host,
        after: all.last?.key ?? 0,
        limit: Self.page
      )
      all += page
      if page.count < Self.page { return all }
    }
  }

  /// What each host is called here, by its identity, where the one that is asked for is among them.
  private func hosts(_ name: String?) async throws -> [String: String] {
    let hosts = try await depot.hosts()
    let labels = Self.labels(of: hosts, named: try await depot.hostNames())
    guard let name, !labels.values.contains(name),
      !hosts.contains(where: { $0.name == name || $0.identity == name })
    else { return labels }
    throw WorkflowError.badOption(
      name: "--host",
      value: name,
      expected: hosts.isEmpty
        ? "a host of the depot, which has none yet"
        : "a host of the depot: \(hosts.prefix(8).map(\.name).joined(separator: ", "))"
    )
  }

  /// What each host is called, so that no two have a directory in common.
  ///
  /// A name belongs to the host that had it first, and stays with it when the host is renamed. Another one of that
  /// name, or of a name for the same directory, has a part of its identity behind it. So a host that joins later
  /// changes nothing of the others.
  ///
  /// - Parameters:
  ///   - hosts: With their newest names.
  ///   - names: All that they have had, in the order in which they were seen.
  /// - Returns: By identity.
  static func labels(of hosts: [DepotHost], named names: [DepotHostName]) -> [String: String] {
    var owners: [String: String] = [:]
    func label(_ name: String, _ identity: String) -> String {
      let digest = SHA256(Array(identity.utf8)).hexadecimal
      let candidates = [name] + [8, 16, 64].map { "\(name)-\(digest.prefix($0))" }
      let free = candidates.first { owners[folder(ofHost: $0), default: identity] == identity }
      let label = free ?? digest
      owners[folder(ofHost: label)] = identity
      return label
    }
    for seen in names { _ = label(seen.name, seen.identity) }
    return Dictionary(hosts.map { ($0.identity, label($0.name, $0.identity)) }) { first, _ in first
    }
  }

  /// The directory of the reports of a host.
  static func folder(ofHost label: String) -> String {
    let folder = ReportPlaces.folder(label)
    // The reports over hosts are in a directory of that name.
    return folder == ReportWorkflow.hostsFolder ? "\(folder)-" : folder
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
    // It is long, since whoever pushes may choose an identity.
    let digest = SHA256(Array((names + [key]).joined(separator: "\n").utf8)).hexadecimal.prefix(32)
    return (plain + [digest]).joined(separator: ".")
  }

  /// The store of one scenario of one host, which is open only while it is used.
  private struct Mirror {
    let path: String
    let known: Set<String>

    /// The digest of the conclusions that were taken last.
    let concluded: String?

    private let key: Key

    /// What the host is called.
    private let host: String

    init(_ key: Key, named name: String?, in place: URL) throws {
      self.key = key
      host = name ?? String(key.host.prefix(8))
      let folder = DepotMirror.folder([key.scenario], key: key.host)
      let directory = place.appending(path: "\(folder)/.launchlab")
      path = directory.appending(path: "launchlab.sqlite").path(percentEncoded: false)
      let store = try Store.writable(at: path)
      known = Set(try store.runIDs().map(\.id) + store.leftOutRuns().map(\.run))
      concluded = try store.takenConclusions()
      guard DepotMirror.host(of: store) != host else { return }
      try Data(host.utf8).write(to: directory.appending(path: hostFile), options: .atomic)
    }

    func add(_ entry: DepotEntry, _ content: [UInt8]) throws {
      let run = Store.ForeignRun(id: entry.id, scenario: key.scenario, identity: key.host)
      try TemporaryFile.with(content) {
        try Store.writable(at: self.path).add(run, fromForeign: $0)
      }
    }

    func take(_ content: [UInt8], digest: String) throws {
      try TemporaryFile.with(content) {
        try Store.writable(at: self.path)
          .takeConclusions(fromForeign: $0, scenario: key.scenario, digest: digest)
      }
    }

    /// Says that a run is not used.
    func unread(_ run: String, _ reason: String) -> Diagnostic {
      leftOut("run \(run) of host \(host) is", reason)
    }

    /// Says that the alerts of the host, and what was decided there, are not used.
    func unread(conclusions reason: String) -> Diagnostic {
      leftOut("the alerts of host \(host) in scenario \"\(key.scenario)\" are", reason)
    }

    private func leftOut(_ subject: String, _ reason: String) -> Diagnostic {
      Diagnostic(
        .warning,
        id: "depot-unread-run",
        problem: "\(subject) left out: \(reason)",
        remedy: "update launchlab here, or push again from the host"
      )
    }
  }
}
