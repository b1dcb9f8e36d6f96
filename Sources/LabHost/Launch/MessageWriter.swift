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
