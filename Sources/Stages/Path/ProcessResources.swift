/// The descriptors and mappings of a process, as far as its system calls tell.
///
/// Objects are numbers that ``LaunchNames`` gives. A child starts with a copy of its parent's.
struct ProcessResources {
  private var descriptors: [Int32: Descriptor] = [:]

  /// The ends of pipes and pairs, whose descriptors the events do not say, the oldest first: the
  /// first descriptors that are used without being known are theirs.
  private var unplacedEnds: [Descriptor] = []

  private var mappings = MappedRanges()
  private var breakStart: UInt64?

  /// The file that was opened last; its descriptor may be closed.
  private var lastOpened: (descriptor: Int32, object: Int32)?

  private struct Descriptor {
    var object: Int32
    var closesOnExecution: Bool
  }

  // MARK: - Calls

  /// Follows what a call does as soon as it is entered, whatever its result.
  mutating func enter(_ call: OpenCall) {
    switch call.rule.effect {
    case .closes: close(call.argument(0))
    case .closesRange where call.argument(2) == 0: closeRange(call.argument(0), call.argument(1))
    case .namesSocket:
      if let object = call.object { rename(call.argument(0), object) }
    default: break
    }
  }

  /// Follows what a call did that did not fail.
  mutating func leave(_ call: OpenCall, result: Int64, names: inout LaunchNames) {
    func closes(_ flags: Int?) -> Bool {
      let closesOnExecution: Int64 = 0x80000
      return flags.map { call.argument($0) & closesOnExecution != 0 } ?? false
    }
    switch call.rule.effect {
    case .opens(let flags):
      let isFile = call.object.map { names.objects[Int($0)].kind == .file } ?? false
      open(result, call.object, closesOnExecution: closes(flags), isFile: isFile)
    case .makes(let name, let flags):
      open(result, names.kernelObject(name), closesOnExecution: closes(flags))
    case .makesSocket:
      let name = ObjectName(socketDomain: call.argument(0))
      open(result, names.object(name), closesOnExecution: closes(1))
    case .makesPair(let name, let flags):
      addPair(names.kernelObject(name), closesOnExecution: closes(flags))
    case .duplicates: open(result, object(of: call.argument(0)), closesOnExecution: false)
    case .duplicatesTo(let flags): duplicate(call, to: result, closesOnExecution: closes(flags))
    case .controls: control(call, result)
    case .maps: map(call.object, at: result, length: call.argument(1))
    case .unmaps: unmap(call.argument(0), length: call.argument(1))
    case .remaps:
      moveMapping(
        from: call.argument(0),
        length: call.argument(1),
        to: result,
        newLength: call.argument(2)
      )
    case .movesBreak: moveBreak(to: result)
    case .none, .namesSocket, .closes, .closesRange, .executes: break
    }
  }

  private mutating func duplicate(_ call: OpenCall, to result: Int64, closesOnExecution: Bool) {
    let isSame = Int32(truncatingIfNeeded: call.argument(0)) == Int32(truncatingIfNeeded: result)
    guard !isSame else { return }
    open(result, object(of: call.argument(0)), closesOnExecution: closesOnExecution)
  }

  /// Follows `fcntl(2)`, by the numbers of its commands on Linux.
  private mutating func control(_ call: OpenCall, _ result: Int64) {
    switch call.argument(1) {
    case 0: open(result, object(of: call.argument(0)), closesOnExecution: false)
    case 1030: open(result, object(of: call.argument(0)), closesOnExecution: true)
    case 2: setClosesOnExecution(call.argument(0), call.argument(2) & 1 != 0)
    default: break
    }
  }

  // MARK: - Descriptors

  mutating func object(of argument: Int64) -> Int32? {
    let number = Int32(truncatingIfNeeded: argument)
    if let descriptor = descriptors[number] { return descriptor.object }
    guard number > 2, !unplacedEnds.isEmpty else { return nil }
    let end = unplacedEnds.removeFirst()
    descriptors[number] = end
    return end.object
  }

  private mutating func open(
    _ result: Int64,
    _ object: Int32?,
    closesOnExecution: Bool,
    isFile: Bool = false
  ) {
    let number = Int32(truncatingIfNeeded: result)
    descriptors[number] = object.map {
      Descriptor(object: $0, closesOnExecution: closesOnExecution)
    }
    if isFile, let object { lastOpened = (number, object) }
  }

  private mutating func addPair(_ object: Int32, closesOnExecution: Bool) {
    // A program that makes many and uses none that was not known otherwise is not followed.
    guard unplacedEnds.count < 64 else { return }
    let end = Descriptor(object: object, closesOnExecution: closesOnExecution)
    unplacedEnds += [end, end]
  }

  private mutating func close(_ argument: Int64) {
    _ = object(of: argument)
    descriptors[Int32(truncatingIfNeeded: argument)] = nil
  }

  private mutating func closeRange(_ first: Int64, _ last: Int64) {
    let range = (first: UInt32(truncatingIfNeeded: first), last: UInt32(truncatingIfNeeded: last))
    for number in descriptors.keys {
      let place = UInt32(bitPattern: number)
      if place >= range.first, place <= range.last { descriptors[number] = nil }
    }
    if range.last >= UInt32(Int32.max) { unplacedEnds = [] }
  }

  private mutating func rename(_ argument: Int64, _ object: Int32) {
    let closes =
      descriptors[Int32(truncatingIfNeeded: argument)]?.closesOnExecution ?? false
    open(argument, object, closesOnExecution: closes)
  }

  private mutating func setClosesOnExecution(_ argument: Int64, _ closes: Bool) {
    descriptors[Int32(truncatingIfNeeded: argument)]?.closesOnExecution = closes
  }

  /// Gives the standard streams the names that they have in every launch.
  mutating func setStreams(_ objects: [Int32]) {
    for (number, object) in objects.enumerated() {
      descriptors[Int32(number)] = Descriptor(object: object, closesOnExecution: false)
    }
  }

  // MARK: - Memory

  /// The object of a descriptor, or, where it was not recorded, the file that was opened last.
  mutating func mappedObject(_ arguments: [Int64]) -> Int32? {
    let anonymous: Int64 = 0x20
    guard arguments.count > 3, arguments[3] & anonymous == 0 else { return nil }
    if arguments.count > 4 { return object(of: arguments[4]) }
    guard let lastOpened, descriptors[lastOpened.descriptor]?.object == lastOpened.object else {
      return nil
    }
    return lastOpened.object
  }

  private mutating func map(_ object: Int32?, at result: Int64, length: Int64) {
    mappings.insert(object, at: UInt64(bitPattern: result), length: UInt64(bitPattern: length))
  }

  private mutating func unmap(_ start: Int64, length: Int64) {
    mappings.remove(at: UInt64(bitPattern: start), length: UInt64(bitPattern: length))
  }

  private mutating func moveMapping(
    from start: Int64,
    length: Int64,
    to result: Int64,
    newLength: Int64
  ) {
    let old = mappings.object(at: UInt64(bitPattern: start))
    unmap(start, length: length)
    if let old { map(old, at: result, length: newLength) }
  }

  private mutating func moveBreak(to result: Int64) {
    let end = UInt64(bitPattern: result)
    guard let start = breakStart else {
      breakStart = end
      return
    }
    mappings.insert(nil, at: start, length: end > start ? end - start : 0)
  }

  /// What is mapped at an address.
  ///
  /// - Returns: The object, nil for memory without one; nil altogether for an address that no call
  ///   of the process mapped, such as in the program itself, which execution maps.
  func mapping(at address: UInt64) -> Int32?? { mappings.object(at: address) }

  mutating func execute() {
    descriptors = descriptors.filter { !$0.value.closesOnExecution }
    unplacedEnds = unplacedEnds.filter { !$0.closesOnExecution }
    mappings = MappedRanges()
    breakStart = nil
    lastOpened = nil
  }
}

/// Ranges of addresses that do not overlap, with the object in each.
private struct MappedRanges {
  /// Ascending.
  private var ranges: [Range] = []

  private struct Range {
    var start: UInt64
    var end: UInt64
    var object: Int32?
  }

  /// More ranges than a process usually has are not followed, because each costs all the others.
  private static let limit = 8_192
  private static let page: UInt64 = 4_096

  mutating func insert(_ object: Int32?, at start: UInt64, length: UInt64) {
    guard let end = Self.end(start, length) else { return }
    remove(at: start, length: length)
    let place = firstIndex(endingAfter: start)
    let joinsPrevious =
      place > 0 && ranges[place - 1].end == start && ranges[place - 1].object == object
    let joinsNext =
      place < ranges.count && ranges[place].start == end && ranges[place].object == object
    switch (joinsPrevious, joinsNext) {
    case (true, true):
      ranges[place - 1].end = ranges[place].end
      ranges.remove(at: place)
    case (true, false): ranges[place - 1].end = end
    case (false, true): ranges[place].start = start
    case (false, false):
      guard ranges.count < Self.limit else { return }
      ranges.insert(Range(start: start, end: end, object: object), at: place)
    }
  }

  mutating func remove(at start: UInt64, length: UInt64) {
    guard let end = Self.end(start, length) else { return }
    let first = firstIndex(endingAfter: start)
    var last = first
    var kept: [Range] = []
    while last < ranges.count, ranges[last].start < end {
      let range = ranges[last]
      if range.start < start {
        kept.append(Range(start: range.start, end: start, object: range.object))
      }
      if range.end > end {
        kept.append(Range(start: end, end: range.end, object: range.object))
      }
      last += 1
    }
    guard last > first else { return }
    ranges.replaceSubrange(first..<last, with: kept)
  }

  func object(at address: UInt64) -> Int32?? {
    let place = firstIndex(endingAfter: address)
    guard place < ranges.count, ranges[place].start <= address else { return nil }
    return .some(ranges[place].object)
  }

  /// Whole pages; nil for none, or for what does not fit the address space.
  private static func end(_ start: UInt64, _ length: UInt64) -> UInt64? {
    guard length > 0, length <= UInt64.max - page else { return nil }
    let (end, overflow) = start.addingReportingOverflow((length + page - 1) & ~(page - 1))
    return overflow ? nil : end
  }

  private func firstIndex(endingAfter address: UInt64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].end <= address { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
