import LaunchCore
import Stages

/// Says of the time of a reason what kind of thing it is, on which object, and what was counted.
struct ReasonWording {
  let time: DividedTime
  let counts: [CountChange]
  let libraries: LaunchExplanation.LibraryChange

  /// What a reason is mostly made of.
  private struct Substance {
    /// The mean differences by leaf, in the direction of the reason.
    var ownCode = 0.0
    var pageFaults = 0.0
    var disk = 0.0
    var calls: [String: Double] = [:]
    var waits: [String: Double] = [:]

    var whole: Double {
      ownCode + pageFaults + disk + calls.values.reduce(0, +) + waits.values.reduce(0, +)
    }

    /// The names of system calls with at least a tenth of it, the largest first.
    var names: [String] {
      let both = calls.merging(waits, uniquingKeysWith: +)
      return both.filter { $0.value >= 0.1 * whole }
        .sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map(\.key)
    }
  }

  private func substance(of draft: ReasonDraft) -> Substance {
    var substance = Substance()
    let sign = draft.mean < 0 ? -1.0 : 1.0
    for part in draft.parts {
      let root = part.path.first?.resourceName
      for (label, group, difference) in time.differencesByLeaf(of: [part]) {
        let amount = sign * difference
        switch (label, root) {
        case (.leaf(.ownCode), _), (_, "own code"?): substance.ownCode += amount
        case (.leaf(.pageFaults), _), (.leaf(.faultWait), _), (_, "page faults"?):
          substance.pageFaults += amount
        case (.leaf(.diskWait), _), (_, "disk"?): substance.disk += amount
        case (.leaf(.wait), _), (_, "waits"?): substance.waits[group, default: 0] += amount
        default: substance.calls[group, default: 0] += amount
        }
      }
    }
    return substance
  }

  /// Puts a draft into words; rank and confirmation are the caller's.
  func reason(_ draft: ReasonDraft, whole: Double?) -> LaunchReason {
    let substance = substance(of: draft)
    let names = substance.names
    let resource = resource(of: draft, names: names)
    var kind = draft.kind ?? kind(of: draft, substance, resource: resource)
    let evidence = evidence(for: draft, kind: kind, substance)
    if kind == .ownCode, !draft.isSpecific, time.stacks.isEmpty,
      evidence.contains(where: \.thing.isFaults)
    {
      kind = .pageFault
    }
    let object = object(of: draft, kind: kind, resource: resource, counts: evidence)
    var path = path(of: draft, kind: kind, names: names)
    var hotPath = hotPath(of: draft)
    // That `main` is new says only that the other program does little.
    while let last = path.last, SampleReading.isMain(last), !hotPath.isEmpty {
      path.append(hotPath.removeFirst())
    }
    let values = time.values(of: draft.parts)
    return LaunchReason(
      rank: 0,
      kind: kind,
      actor: actor(of: draft, names: names),
      path: path,
      hotPath: hotPath,
      call: names.first,
      object: object,
      change: TimeChange(values),
      share: whole.map { draft.mean / $0 },
      novelty: draft.novelty,
      counts: evidence,
      isSpecific: draft.isSpecific,
      confirmedBlocks: nil,
      parts: draft.parts
    )
  }

  // MARK: - Kind and object

  private static let sleeps: Set = ["clock_nanosleep", "nanosleep", "pause", "rt_sigtimedwait"]
  private static let locks: Set = ["futex", "flock", "fcntl"]
  private static let childWaits: Set = ["wait4", "waitid", "vfork"]
  private static let initializers = [
    "_GLOBAL__", "__static_initialization_and_destruction", "call_init", "_dl_init",
    "__libc_csu_init", "_dl_call_libc_early_init",
  ]

  private func kind(
    of draft: ReasonDraft,
    _ substance: Substance,
    resource: [String]
  ) -> ReasonKind {
    if (draft.frames + hotPath(of: draft)).contains(where: { frame in
      Self.initializers.contains { frame.function.hasPrefix($0) }
    }) {
      return .initializer
    }
    let calls = substance.calls.values.reduce(0, +)
    let waits = substance.waits.values.reduce(0, +)
    let largest = max(substance.ownCode, substance.pageFaults, substance.disk, calls + waits)
    if largest == substance.ownCode { return .ownCode }
    if largest == substance.pageFaults { return .pageFault }
    if largest == substance.disk { return .disk }
    if let name = substance.names.first, (substance.waits[name] ?? 0) >= largest / 2 {
      if Self.sleeps.contains(name) { return .sleep }
      if Self.locks.contains(name) { return .lock }
      if Self.childWaits.contains(name) { return .child }
      if Self.isAddress(resource.count > 2 ? resource[2] : "") { return .socket }
    }
    switch resource.first {
    case "sockets"?: return .socket
    case "processes"?: return .child
    case "files"?: return .file
    case "disk"?: return .disk
    default: return .syscall
    }
  }

  private static func isAddress(_ object: String) -> Bool {
    object.hasPrefix("unix:") || object.hasPrefix("socket")
      || (object.contains(":") && !object.hasPrefix("/"))
  }

  /// The resource that most of the difference of some system calls lies in.
  private func resource(of draft: ReasonDraft, names: [String]) -> [String] {
    let tree = time.resources
    var node = 0
    if let part = draft.parts.first, part.view == .resources {
      node = tree.node(at: part.path) ?? 0
    }
    guard node > 0 || !names.isEmpty || draft.parts.contains(where: { $0.view == .resources })
    else { return [] }
    var amounts = [Double](repeating: 0, count: tree.count)
    let sign = draft.mean < 0 ? -1.0 : 1.0
    for end in tree.ends(below: node)
    where node > 0 || names.contains(tree.group(of: end)) {
      var place = end
      let amount = max(0, sign * tree.meanDifference(of: end))
      while place >= 0 {
        amounts[place] += amount
        place = tree.parents[place]
      }
    }
    while let child = tree.children[node].max(by: { amounts[$0] < amounts[$1] }),
      amounts[child] > 0, amounts[child] >= 0.7 * amounts[node]
    {
      node = child
    }
    return tree.path(of: node).compactMap(\.resourceName)
  }

  private func object(
    of draft: ReasonDraft,
    kind: ReasonKind,
    resource: [String],
    counts: [CountChange]
  ) -> String? {
    switch kind {
    case .child:
      if case .process(let program, _)? = draft.wholeActor { return program }
      return counts.lazy.compactMap(\.thing.program).first
    case .thread:
      if case .threadOf(let function)? = draft.wholeActor { return function }
      return nil
    case .library: return (draft.mean > 0 ? libraries.new : libraries.gone).first
    case .pageFault: return counts.lazy.compactMap(\.thing.faultedFile).first
    case .ownCode, .initializer: return nil
    default: break
    }
    switch resource.first {
    case "files"?: return resource.count > 2 ? resource[2] : resource.dropFirst().last
    case "waits"?: return resource.count > 2 && !resource[2].isEmpty ? resource[2] : nil
    case "disk"?, "sockets"?: return resource.dropFirst().first
    default: return nil
    }
  }

  /// The actor of a draft; of one by resource, that with most of the difference in its calls.
  private func actor(of draft: ReasonDraft, names: [String]) -> LaunchActor? {
    if let actor = draft.actors.first { return actor }
    var amounts: [LaunchActor: Double] = [:]
    let groups = Set(time.differencesByGroup(of: draft.parts).keys)
    for arm in Side.allCases {
      for (key, times) in time.classes[arm] where groups.contains(TimeLeaf(key.activity).group) {
        let mean = times.reduce(0, +) / Double(max(1, times.count))
        amounts[key.actor, default: 0] += arm == .after ? mean : -mean
      }
    }
    let sign = draft.mean < 0 ? -1.0 : 1.0
    let all = amounts.values.reduce(0) { $0 + max(0, sign * $1) }
    let largest = amounts.max {
      (sign * $0.value, "\($1.key)") < (sign * $1.value, "\($0.key)")
    }
    return largest.flatMap { sign * $0.value >= 0.5 * all && all > 0 ? $0.key : nil }
  }

  // MARK: - Call paths

  private func path(of draft: ReasonDraft, kind: ReasonKind, names: [String]) -> [CodeFrame] {
    if draft.parts.count > 1, kind == .library {
      return Self.common(draft.parts.filter { $0.view == .code }.map { Self.frames($0.path) })
    }
    if !draft.frames.isEmpty || draft.wholeActor != nil { return draft.frames }
    return callers(of: draft, names: names)
  }

  /// Where the samples of the main system call of a part agree that it is called from.
  ///
  /// A thread that waits is not sampled, but on its way into the kernel it now and then is. Where
  /// that happens before, too, nothing can be said.
  private func callers(of draft: ReasonDraft, names: [String]) -> [CodeFrame] {
    guard let name = names.first, let actor = actor(of: draft, names: names),
      let own = time.stacks[draft.mean > 0 ? .after : .before],
      let other = time.stacks[draft.mean > 0 ? .before : .after]
    else { return [] }
    let key = ClassKey(actor: actor, activity: .call(name))
    let known = Set((other.stacks[key] ?? []).map(\.path))
    let stacks = (own.stacks[key] ?? []).filter { !known.contains($0.path) }
    guard stacks.reduce(0, { $0 + $1.total }) >= 2 else { return [] }
    return Self.common(stacks.map { Self.frames($0.path) })
  }

  /// The functions below the first part that have most of what the function above them has.
  private func hotPath(of draft: ReasonDraft) -> [CodeFrame] {
    guard let part = draft.parts.first, part.view == .code, part.minus.isEmpty,
      var node = time.code.node(at: part.path)
    else { return [] }
    var path: [CodeFrame] = []
    while let child = time.code.children[node].max(by: { size(of: $0) < size(of: $1) }),
      case .frame(let frame)? = time.code.labels[child],
      size(of: child) >= CoverRule.coveringShare * size(of: node)
    {
      path.append(frame)
      node = child
    }
    return path
  }

  private func size(of node: Int) -> Double { abs(time.code.meanDifference(of: node)) }

  private static func frames(_ path: [TreeLabel]) -> [CodeFrame] {
    path.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
  }

  private static func common(_ paths: [[CodeFrame]]) -> [CodeFrame] {
    guard var common = paths.first else { return [] }
    for path in paths { common = zip(common, path).prefix { $0 == $1 }.map(\.0) }
    return common
  }

  // MARK: - Counts

  /// What was counted in a reason and goes with its direction, at most five things.
  private func evidence(
    for draft: ReasonDraft,
    kind: ReasonKind,
    _ substance: Substance
  ) -> [CountChange] {
    let names = Set(substance.names)
    let directories = Set(
      draft.parts.flatMap { part in part.path.compactMap(\.resourceName).dropFirst() }
    )
    let faults = substance.pageFaults >= 0.1 * substance.whole
    let isNotSampled = substance.ownCode >= 0.5 * substance.whole && time.stacks.isEmpty
    let found = counts.filter { change in
      // How much is read ahead depends on what else the disk does.
      guard change.isCertain || change.thing.isPageIns, change.difference * draft.mean > 0 else {
        return false
      }
      switch change.thing {
      case .call(let name, let object):
        guard names.contains(name), kind != .child else { return false }
        return draft.parts[0].view == .code || directories.isEmpty || object == nil
          || directories.contains { Self.contains($0, object ?? "") }
          || draft.parts[0].path.first == .resource("waits")
      case .threads: return kind == .thread
      case .processes(let program):
        return kind == .child
          && draft.actors.contains { $0.runs(program) || draft.wholeActor == nil }
      case .missing, .readAhead: return false
      case .pageIns(let file):
        return kind == .disk
          && (directories.isEmpty || directories.contains { Self.contains($0, file ?? "") })
      case .faults:
        return faults
          || (isNotSampled && Self.isPlausible(draft.mean, faults: change.difference))
      }
    }
    return Array(found.prefix(5))
  }

  private static func contains(_ directory: String, _ object: String) -> Bool {
    object == directory || object.hasPrefix(directory.hasSuffix("/") ? directory : directory + "/")
  }

  /// Whether some page faults may take that long: from 0.1 to 5 µs each.
  private static func isPlausible(_ time: Double, faults: Double) -> Bool {
    faults != 0 && (100...5000).contains(time / faults)
  }
}

extension CountedThing {
  fileprivate var program: String? {
    if case .processes(let program) = self { program } else { nil }
  }

  fileprivate var faultedFile: String? {
    if case .faults(let file) = self { file } else { nil }
  }

  fileprivate var isPageIns: Bool {
    if case .pageIns = self { true } else { false }
  }

  fileprivate var isFaults: Bool {
    if case .faults = self { true } else { false }
  }
}

extension LaunchActor {
  fileprivate func runs(_ program: String?) -> Bool {
    if case .process(let name, _) = self { program == nil || name == program } else { true }
  }
}
