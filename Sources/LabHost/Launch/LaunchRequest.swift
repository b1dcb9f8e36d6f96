import Glibc
package import LabModel
import LabPatterns

/// What the spawner is asked to launch, encoded once and used for every launch of a target.
///
/// The encoding is that of `spawner_protocol.h`.
package struct LaunchRequest: Hashable, Sendable {
  /// The longest padding of an environment, in bytes.
  package static let paddingLimit = 4_095

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

  /// Where the length of the padding is in the message.
  private let paddingPosition: Int

  /// Encodes what is to be launched; host names are resolved here.
  ///
  /// - Parameters:
  ///   - program: The absolute path of the program.
  ///   - arguments: All of `argv`, the program's own name first.
  ///   - environment: All of the environment, as `NAME=value`.
  ///   - directory: The working directory.
  ///   - standardInput: A file; nil means `/dev/null`.
  ///   - ready: What ends the launch. Of a host's addresses the first IPv4 one is asked.
  ///   - stop: How what was launched is stopped.
  ///   - timeout: How long it may take until it is ready.
  ///   - tty: Whether stdout and stderr are one pseudo-terminal, captured as stdout.
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
    var message = MessageWriter()
    let isTraced = breakpoints.map { $0.refusal == nil } ?? false
    let hasRecords = recordsFaults || recordsProcesses
    let flags: UInt32 = (tty ? 1 : 0) | (isTraced ? 2 : 0) | (hasRecords ? 4 : 0)
    message.append(flags | conditions.encodedFlags)
    message.append(UInt32(bitPattern: stop.signal))
    message.append(try CounterEvent.mask(of: counters))
    message.append(timeout.count)
    message.append(stop.grace.count)
    message.append((stop.after ?? .zero).count)
    message.append(UInt32(arguments.count))
    message.append(UInt32(environment.count))
    message.append(condition)
    message.append(stopCondition)
    message.append(breakpoints)
    for word in try conditions.encodedCPUs() { message.append(word) }
    let priority = conditions.givenPriority ?? LaunchPriority()
    message.append(Int32(clamping: priority.nice ?? 0))
    let policy = priority.encodedPolicy
    message.append(policy.number)
    message.append(policy.level)
    paddingPosition = message.position
    message.append(UInt32(0))
    for number in self.tracepoints?.numbers ?? [0, 0, 0, 0] { message.append(number) }
    let texts = [
      program, directory, standardInput ?? "", condition.text, condition.host, stopCondition.text,
      stopCondition.host, chosen?.name ?? "", chosen?.file ?? "",
    ]
    for text in texts + arguments + environment { try message.append(text) }
    self.message = try message.finished()
  }

  /// Gives the whole message.
  ///
  /// - Parameter padding: How long the padding of the environment is, at most 4,095; it counts
  ///   only with ``LaunchConditions/padsEnvironment``.
  /// - Returns: The message, whose first field is the length of the rest.
  func bytes(padding: Int = 0) -> [UInt8] {
    var bytes = message
    let length = UInt32(clamping: min(padding, Self.paddingLimit))
    unsafe withUnsafeBytes(of: length) { field in
      for index in 0..<4 { unsafe bytes[paddingPosition + index] = field[index] }
    }
    return bytes
  }
}

/// A readiness condition as the spawner reads it.
struct EncodedCondition {
  var kind: UInt32
  var stream: UInt32 = 0
  var address = NumericAddress.none
  var port: UInt32 = 0
  var text = ""
  var host = ""

  init(_ ready: Readiness) throws(HostError) {
    switch ready {
    case .exit:
      kind = 0
    case .output(let stream, let pattern):
      kind = 1
      self.stream = stream == .stdout ? 0 : 1
      text = try ReadyPattern.encoded(pattern)
    case .notify:
      kind = 2
    case .tcp(let host, let port):
      kind = 3
      address = try NumericAddress.resolve(host)
      self.port = UInt32(clamping: port)
    case .unix(let path):
      kind = 4
      text = path
    case .http(let host, let port, let path):
      kind = 5
      address = try NumericAddress.resolve(host)
      self.port = UInt32(clamping: port)
      text = path
      self.host = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .file(let path):
      kind = 6
      text = path
    case .mark:
      // The program finds the name, and the socket to tell, in the file of its events.
      kind = 7
    }
  }
}

/// The regular expression of an output condition.
enum ReadyPattern {
  /// Checks that a pattern is a POSIX extended regular expression, and gives its steps.
  ///
  /// - Returns: The steps in the encoding of `spawner_match.c`.
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

  /// In network order: 4 or 16 bytes, filled up with zeros to 16.
  var bytes: [UInt8]

  static let none = Self(family: AF_INET, bytes: [UInt8](repeating: 0, count: 16))

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
        let padding = [UInt8](repeating: 0, count: 16 - range.count)
        addresses.append(Self(family: family, bytes: unsafe Array(bytes) + padding))
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses
  }
}

/// Writes a message whose first field is the length of the rest.
struct MessageWriter {
  /// What the kernel lets a program be given at most; execve(2).
  static let limit = 6 << 20

  private var bytes: [UInt8] = [0, 0, 0, 0]

  /// Where the next field will be.
  var position: Int { bytes.count }

  mutating func append(_ value: some FixedWidthInteger) {
    unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Appends the entry point and four places, the absent ones as zeros.
  mutating func append(_ breakpoints: BreakpointPlaces?) {
    append(breakpoints?.entry ?? 0)
    for index in 0..<SpawnerTrace.placeLimit {
      let places = breakpoints?.places ?? []
      let place = index < places.count ? places[index] : nil
      append(place?.address ?? 0)
      append(place?.base.rawValue ?? 0)
      append(UInt32(0))
    }
  }

  /// Appends what of a condition has a fixed size.
  mutating func append(_ condition: EncodedCondition) {
    append(condition.kind)
    append(condition.stream)
    append(UInt32(bitPattern: condition.address.family))
    append(condition.port)
    append(condition.address.bytes)
  }

  mutating func append(_ text: String) throws(HostError) {
    guard !text.utf8.contains(0) else { throw .launchRefused(.containsNUL(text)) }
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  func finished() throws(HostError) -> [UInt8] {
    guard bytes.count < Self.limit else { throw .launchRefused(.tooLarge(bytes: bytes.count)) }
    let length = UInt32(bytes.count - 4)
    let prefix = unsafe withUnsafeBytes(of: length) { unsafe Array($0) }
    return prefix + bytes.dropFirst(4)
  }
}
