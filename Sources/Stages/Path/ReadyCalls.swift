import LaunchCore

/// The calls that may have made a launch ready; the last and likeliest of them did.
struct ReadyCalls {
  private let readiness: Readiness
  private let process: Int32?

  /// The last call of each likelihood, the likeliest first.
  private var last: [Said?] = [nil, nil, nil]

  /// A call and the thread that made it.
  struct Said {
    let life: Int
    let entered: Int64

    /// Nil while the thread is in it.
    var left: Int64?
  }

  /// What of a call matters here.
  struct Call {
    let role: CallRule.Role
    let object: ObjectName?
    let process: Int32
  }

  init(_ readiness: Readiness, process: Int32?) {
    self.readiness = readiness
    self.process = process
  }

  var likeliest: Said? { last.lazy.compactMap(\.self).first }

  mutating func enter(_ call: Call, life: Int, at time: Int64) {
    guard let place = likelihood(of: call) else { return }
    last[place] = Said(life: life, entered: time)
  }

  mutating func leave(life: Int, at time: Int64) {
    for place in last.indices {
      if let said = last[place], said.life == life, said.left == nil { last[place]?.left = time }
    }
  }

  /// - Returns: 0 for the likeliest, at most 2; nil for a call that says nothing.
  private func likelihood(of call: Call) -> Int? {
    switch readiness {
    case .exit, .window: nil
    case .output(let stream, _): output(call, stream)
    case .notify, .mark: message(call)
    case .tcp(_, let port): listening(call, call.object?.port == port)
    case .unix(let path):
      listening(call, call.object == ObjectName(address: ObjectName.unixPrefix + path))
    case .http(_, let port, _): answer(call, port)
    case .file(let path): file(call, path)
    }
  }

  private func output(_ call: Call, _ stream: OutputStream) -> Int? {
    guard call.role == .writes || call.role == .sends else { return nil }
    guard let name = call.object?.text, ObjectName.streams.contains(name) else { return 2 }
    return name == stream.rawValue ? 0 : 1
  }

  private func message(_ call: Call) -> Int? {
    guard call.role == .writes || call.role == .sends else { return nil }
    if let process, call.process != process { return nil }
    guard call.role == .sends else { return call.object?.kind == .socket ? 1 : nil }
    return call.object?.text.hasPrefix("unix") ?? true ? 0 : 1
  }

  private func listening(_ call: Call, _ isMeant: Bool) -> Int? {
    call.role == .listens ? (isMeant ? 0 : 1) : nil
  }

  private func answer(_ call: Call, _ port: Int) -> Int? {
    guard call.role == .writes || call.role == .sends else { return nil }
    if call.object?.port == port { return 0 }
    return call.role == .sends || call.object?.kind == .socket ? 1 : nil
  }

  private func file(_ call: Call, _ path: String) -> Int? {
    guard call.role == .opensFile || call.role == .renames else { return nil }
    let isMeant = call.object.map { isName(ObjectName.masked(path), $0.text) } ?? false
    // The text of a renaming is the old path.
    return isMeant ? 0 : call.role == .renames ? 1 : nil
  }

  /// Whether a path is meant by a name that may be relative to a directory.
  private func isName(_ path: String, _ name: String) -> Bool {
    name == path || path.hasSuffix("/" + name)
  }
}
