import Glibc

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
