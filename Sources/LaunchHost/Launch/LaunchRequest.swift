import CLabHost
import CLaunchWire
import Glibc
package import LaunchCore

/// What the spawner is asked to launch, encoded once and used for every launch of a target.
///
/// The encoding is that of `launch_wire.h`.
package struct LaunchRequest: Hashable, Sendable {
  /// What the kernel lets a program be given at most, in bytes; execve(2).
  private static let limit = 6 << 20

  /// The longest padding of an environment, in bytes.
  package static let paddingLimit = PADDING_LIMIT

  package let program: String
  package let directory: String
  package let standardInput: String?
  package let ready: Readiness
  package let stop: StopPolicy
  package let timeout: Nanoseconds
  package let counters: [String]

  /// Where the program is watched while it starts; nil on plain launches.
  package let breakpoints: BreakpointPlaces?

  /// Whether the pages that the launch had to wait for are recorded.
  package let recordsFaults: Bool

  /// Whether the programs that processes of the launch execute are recorded.
  let recordsProcesses: Bool

  /// By which all pages that come in are recorded with the faults; nil where they are not.
  let tracepoints: PageTracepoints?

  /// The program of the launch whose peak memory is asked for; nil for the launched one.
  let chosen: ChosenProgram?

  /// What holds for the program from before its first instruction.
  package let conditions: LaunchConditions

  /// The whole message, with a padding of length 0.
  private let message: [UInt8]

  /// Encodes what is to be launched; host names are resolved here.
  ///
  /// - Parameters:
  ///   - program: The absolute path of the program.
  ///   - arguments: All of `argv`, the program's own name first.
  ///   - environment: All of the environment, as `NAME=value`.
  ///   - directory: The working directory.
  ///   - standardInput: A file; nil means `/dev/null`, or the terminal.
  ///   - ready: What ends the launch. Of a host's addresses the first IPv4 one is asked.
  ///   - exitStatuses: As of ``Target/exitStatuses``.
  ///   - stop: How what was launched is stopped.
  ///   - timeout: How long it may take until it is ready.
  ///   - tty: Whether it has a pseudo-terminal, whose output is captured as stdout.
  ///   - counters: Names of ``CounterEvent``; a launch that counts takes longer.
  ///   - breakpoints: Where the program is watched; that takes longer, too.
  ///   - recordsFaults: Whether major faults are recorded one by one.
  ///   - recordsProcesses: Whether all programs of the launch are recorded.
  ///   - tracepoints: By which all pages that come in are recorded, too.
  ///   - chosen: The program of the launch whose peak memory is asked for.
  ///   - conditions: What holds for the program from before its first instruction.
  /// - Throws: ``HostError/launchRefused(_:)``.
  package init(
    program: String,
    arguments: [String],
    environment: [String],
    directory: String,
    standardInput: String? = nil,
    ready: Readiness = .exit,
    exitStatuses: [Int]? = nil,
    stop: StopPolicy = StopPolicy(),
    timeout: Nanoseconds = .seconds(60),
    tty: Bool = false,
    counters: [String] = [],
    breakpoints: BreakpointPlaces? = nil,
    recordsFaults: Bool = false,
    recordsProcesses: Bool = false,
    tracepoints: PageTracepoints? = nil,
    chosen: ChosenProgram? = nil,
    conditions: LaunchConditions = LaunchConditions()
  ) throws(HostError) {
    self.program = program
    self.directory = directory
    self.standardInput = standardInput
    self.ready = ready
    self.stop = stop
    self.timeout = timeout
    self.counters = counters
    self.breakpoints = breakpoints
    self.recordsFaults = recordsFaults
    self.recordsProcesses = recordsProcesses
    self.tracepoints = recordsFaults ? tracepoints : nil
    self.chosen = chosen
    self.conditions = conditions
    let condition = try EncodedCondition(ready)
    let stopCondition = try EncodedCondition(stop.condition ?? .exit)
    let isTraced = breakpoints.map { $0.refusal == nil } ?? false
    let priority = conditions.givenPriority ?? LaunchPriority()
    var request = wire_request()
    request.flags = conditions.encodedFlags | (tty ? REQUEST_TTY : 0)
    if isTraced { request.flags |= REQUEST_TRACE }
    if recordsFaults || recordsProcesses { request.flags |= REQUEST_FAULTS }
    request.stop_signal = UInt32(bitPattern: stop.signal)
    request.timeout = timeout.count
    request.grace = stop.grace.count
    request.rest = (stop.after ?? .zero).count
    request.argument_count = UInt32(arguments.count)
    request.environment_count = UInt32(environment.count)
    request.ready = condition.fixed
    request.stop = stopCondition.fixed
    fill(&request.statuses, with: Self.encodedStatuses(exitStatuses))
    request.entry = breakpoints?.entry ?? 0
    fill(&request.places, with: breakpoints?.places.map(\.encoded) ?? [])
    fill(&request.cpus, with: try conditions.encodedCPUs())
    request.nice = Int32(clamping: priority.nice ?? 0)
    (request.policy, request.level) = priority.encodedPolicy
    request.counter_count = UInt32(counters.count)
    fill(&request.counters, with: try counters.map(Self.encodedCounter))
    fill(&request.tracepoints, with: self.tracepoints?.numbers ?? [])
    let texts = [
      program, directory, standardInput ?? "", condition.text, condition.host, stopCondition.text,
      stopCondition.host, chosen?.name ?? "", chosen?.file ?? "",
    ]
    var bytes: [UInt8] = []
    for text in texts + arguments + environment {
      guard !text.utf8.contains(0) else { throw .launchRefused(.containsNUL(text)) }
      bytes += Array(text.utf8) + [0]
    }
    let count = MemoryLayout<wire_request>.size + bytes.count
    guard count < Self.limit else { throw .launchRefused(.tooLarge(bytes: count)) }
    request.length = UInt32(count - MemoryLayout.size(ofValue: request.length))
    message = [UInt8](of: request) + bytes
  }

  private static func encodedStatuses(_ statuses: [Int]?) -> [UInt64] {
    let expected = statuses ?? [0]
    guard !expected.isEmpty else { return [UInt64](repeating: .max, count: Int(STATUS_WORDS)) }
    return (0..<Int(STATUS_WORDS)).map { word in
      expected.filter { $0 / 64 == word }.reduce(0) { $0 | 1 << UInt64($1 % 64) }
    }
  }

  private static func encodedCounter(_ name: String) throws(HostError) -> wire_counter {
    guard let event = CounterEvent(rawValue: name) else {
      throw .launchRefused(.unknownCounter(name))
    }
    return event.encoded
  }

  /// Gives the whole message.
  ///
  /// - Parameter padding: How long the padding of the environment is, at most 4,095; it counts
  ///   only with ``LaunchConditions/padsEnvironment``.
  /// - Returns: The message, whose first field is the length of the rest.
  func bytes(padding: Int = 0) -> [UInt8] {
    guard var request: wire_request = message.value() else { return message }
    request.padding = UInt32(clamping: min(padding, Self.paddingLimit))
    return [UInt8](of: request) + message.dropFirst(MemoryLayout<wire_request>.size)
  }
}

/// A readiness condition as the spawner reads it.
struct EncodedCondition {
  /// What of it has a fixed size.
  var fixed = wire_condition()
  var text = ""
  var host = ""

  init(_ ready: Readiness) throws(HostError) {
    switch ready {
    case .exit:
      fixed.kind = READY_EXIT
    case .output(let stream, let pattern):
      fixed.kind = READY_OUTPUT
      fixed.stream = stream == .stdout ? 0 : 1
      text = try ReadyPattern.encoded(pattern)
    case .notify:
      fixed.kind = READY_NOTIFY
    case .tcp(let host, let port):
      fixed.kind = READY_TCP
      try setAddress(host, port)
    case .unix(let path):
      fixed.kind = READY_UNIX
      text = path
    case .http(let host, let port, let path):
      fixed.kind = READY_HTTP
      try setAddress(host, port)
      text = path
      self.host = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .file(let path):
      fixed.kind = READY_FILE
      text = path
    case .mark, .window:
      fixed.kind = READY_MARK
    }
  }

  private mutating func setAddress(_ host: String, _ port: Int) throws(HostError) {
    let address = try NumericAddress.resolve(host)
    fixed.family = UInt32(bitPattern: address.family)
    fixed.port = UInt32(clamping: port)
    fill(&fixed.address, with: address.bytes)
  }
}

/// The regular expression of an output condition.
enum ReadyPattern {
  /// Checks that a pattern is a POSIX extended regular expression, and gives its steps.
  ///
  /// - Returns: The steps in the encoding of `spawner/match.c`.
  /// - Throws: ``HostError/launchRefused(_:)`` with the reason.
  static func encoded(_ pattern: String) throws(HostError) -> String {
    guard !pattern.utf8.contains(0) else { throw .launchRefused(.containsNUL(pattern)) }
    do throws(PatternError) {
      return try OutputPattern(pattern).encoded
    } catch {
      throw .launchRefused(.badPattern(pattern, reason: error.problem, remedy: error.remedy))
    }
  }
}

/// An address of a host that a readiness condition asks for.
struct NumericAddress: Hashable {
  /// `AF_INET` or `AF_INET6`.
  var family: Int32

  /// In network order: 4 or 16 bytes.
  var bytes: [UInt8]

  /// Resolves a name or a numeric address; the first IPv4 address is preferred.
  ///
  /// - Throws: ``HostError/launchRefused(_:)`` when the name has no address.
  static func resolve(_ host: String) throws(HostError) -> Self {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, nil, &hints, &list)
    guard status == 0 else {
      let reason = unsafe String(cString: gai_strerror(status)).lowercased()
      throw .launchRefused(.unknownHost(host, reason: reason))
    }
    defer { unsafe freeaddrinfo(list) }
    let addresses = unsafe addresses(of: list)
    guard let address = addresses.first(where: { $0.family == AF_INET }) ?? addresses.first else {
      throw .launchRefused(.unknownHost(host, reason: "it has neither IPv4 nor IPv6"))
    }
    return address
  }

  private static func addresses(of list: UnsafeMutablePointer<addrinfo>?) -> [Self] {
    var addresses: [Self] = []
    var next = unsafe list
    while let entry = unsafe next {
      let family = unsafe entry.pointee.ai_family
      // The address follows the port in sockaddr_in, and the flow label too in sockaddr_in6.
      let range = family == AF_INET ? 4..<8 : 8..<24
      if family == AF_INET || family == AF_INET6, let raw = unsafe entry.pointee.ai_addr {
        let bytes = unsafe UnsafeRawBufferPointer(start: raw, count: range.upperBound)[range]
        addresses.append(Self(family: family, bytes: unsafe Array(bytes)))
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses
  }
}

extension BreakpointPlaces.Place {
  /// The place as the spawner reads it.
  fileprivate var encoded: wire_place {
    let base =
      switch base {
      case .entry: PLACE_ENTRY
      case .program: PLACE_PROGRAM
      case .loader: PLACE_LOADER
      }
    return wire_place(address: address, base: base, reserved: 0)
  }
}

extension CounterEvent {
  /// The event as the kernel calls it; perf_event_open(2).
  fileprivate var encoded: wire_counter {
    switch self {
    case .instructions: Self.hardware(PERF_COUNT_HW_INSTRUCTIONS)
    case .cycles: Self.hardware(PERF_COUNT_HW_CPU_CYCLES)
    case .branches: Self.hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS)
    case .branchMisses: Self.hardware(PERF_COUNT_HW_BRANCH_MISSES)
    case .cacheReferences: Self.hardware(PERF_COUNT_HW_CACHE_REFERENCES)
    case .cacheMisses: Self.hardware(PERF_COUNT_HW_CACHE_MISSES)
    case .pageFaults: Self.software(PERF_COUNT_SW_PAGE_FAULTS)
    case .minorFaults: Self.software(PERF_COUNT_SW_PAGE_FAULTS_MIN)
    case .majorFaults: Self.software(PERF_COUNT_SW_PAGE_FAULTS_MAJ)
    case .contextSwitches: Self.software(PERF_COUNT_SW_CONTEXT_SWITCHES)
    case .cpuMigrations: Self.software(PERF_COUNT_SW_CPU_MIGRATIONS)
    case .taskClock: Self.software(PERF_COUNT_SW_TASK_CLOCK)
    case .cpuClock: Self.software(PERF_COUNT_SW_CPU_CLOCK)
    }
  }

  private static func hardware(_ event: perf_hw_id) -> wire_counter {
    wire_counter(type: PERF_TYPE_HARDWARE.rawValue, config: event.rawValue)
  }

  private static func software(_ event: perf_sw_ids) -> wire_counter {
    wire_counter(type: PERF_TYPE_SOFTWARE.rawValue, config: event.rawValue)
  }

  /// The errno with which the kernel refuses to count the event in this process; 0 where it counts.
  func refusal(withKernel: Bool) -> Int32 {
    -lab_try_counter(encoded.type, UInt64(encoded.config), withKernel ? 1 : 0)
  }
}
