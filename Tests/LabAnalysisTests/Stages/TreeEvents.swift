@testable import LaunchCore

/// Writes down what a collector sees, one event after the other; times are in microseconds.
struct TreeEvents {
  /// When the launch begins, on the monotonic clock.
  static let begin = Nanoseconds.seconds(1_000)

  var process: Int32 = 100
  var readyProcess: Int32?
  var chosen: ChosenProgram?
  var collector = StageCollector.probe
  var lostEvents = 0
  var notes: [String] = []
  private(set) var events: [LaunchEvent] = []

  static func us(_ microseconds: Int64) -> Nanoseconds { Nanoseconds(microseconds * 1_000) }

  mutating func add(
    _ kind: LaunchEvent.Kind,
    at time: Int64,
    until end: Int64? = nil,
    pid: Int32? = nil,
    address: UInt64 = 0,
    object: UInt32 = 0,
    _ text: String = ""
  ) {
    events.append(
      LaunchEvent(
        kind: kind,
        pid: pid ?? process,
        time: Self.begin + Self.us(time),
        end: end.map { Self.begin + Self.us($0) },
        address: address,
        object: object,
        text: text
      )
    )
  }

  /// A program that is loaded in the time from `start` to `start + 100 * libraries`.
  mutating func addProgram(
    _ path: String,
    at start: Int64,
    pid: Int32? = nil,
    libraries: [String] = ["/lib/libc.so.6"]
  ) {
    add(.programBegan, at: start, pid: pid, path)
    add(.objectOpened, at: start, pid: pid, address: 0x1000, object: 0, path)
    add(.adding, at: start, pid: pid)
    for (index, library) in libraries.enumerated() {
      add(
        .objectOpened,
        at: start + 100 * Int64(index + 1),
        pid: pid,
        address: UInt64(0x10000 * (index + 1)),
        object: UInt32(index + 1),
        library
      )
    }
  }

  /// An initializer at an offset of an object.
  mutating func addInitializer(
    _ object: UInt32,
    offset: UInt64,
    at start: Int64,
    until end: Int64?,
    pid: Int32? = nil
  ) {
    let base: UInt64 = object == 0 ? 0x1000 : UInt64(object) * 0x10000
    add(.initializer, at: start, until: end, pid: pid, address: base + offset, object: object)
  }

  func observation(ready: Int64?) -> StageObservation {
    var observation = StageObservation(
      collector: collector,
      begin: Self.begin,
      ready: ready.map { Self.begin + Self.us($0) },
      process: process,
      readyProcess: readyProcess,
      events: events,
      lostEvents: lostEvents,
      notes: notes
    )
    observation.chosen = chosen
    return observation
  }

  /// A dynamic program with two libraries, four initializers and a main.
  static var usual: TreeEvents {
    var events = TreeEvents()
    events.addProgram("/bin/tool", at: 400, libraries: ["/lib/libc.so.6", "/lib/liba.so"])
    events.add(.initializersFound, at: 700, address: 4, object: 4)
    events.add(.consistent, at: 700)
    events.addInitializer(1, offset: 0x10, at: 710, until: 715)
    events.addInitializer(2, offset: 0x20, at: 720, until: 920)
    events.addInitializer(2, offset: 0x30, at: 920, until: 950)
    events.addInitializer(0, offset: 0x40, at: 960, until: 980)
    events.add(.mainBegins, at: 1_000)
    return events
  }
}

extension LaunchStages {
  /// The parts of the launch with their durations in microseconds.
  var parts: [String: Int64] {
    let parts = launch.children.filter { $0.kind == .part && $0.duration != nil }
    return Dictionary(
      uniqueKeysWithValues: parts.map { ($0.name, ($0.duration?.count ?? 0) / 1_000) }
    )
  }

  func part(_ name: String) -> Stage? { launch.children.first { $0.name == name } }
}

extension Stage {
  func child(_ name: String) -> Stage? { children.first { $0.name == name } }

  /// In microseconds.
  var microseconds: Int64? { duration.map { $0.count / 1_000 } }
}
