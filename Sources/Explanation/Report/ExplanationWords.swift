import Foundation
import LaunchCore
import Rendering
package import Stages

/// What the parts of an explanation are called in text, Markdown and pictures.
package enum ExplanationWords {
  // MARK: - Actors and functions

  static func name(of actor: LaunchActor) -> String {
    switch actor {
    case .main: "main thread"
    case .thread(let number): "thread \(number)"
    case .threadOf(let function): "thread \(function)"
    case .process(let program, let thread):
      thread == 0 ? "process \(program)" : "a thread of process \(program)"
    }
  }

  /// A function, with its file where it has no name of its own.
  static func name(of frame: CodeFrame) -> String {
    frame.function.hasPrefix("+0x") ? frame.file + frame.function : frame.function
  }

  /// A function, with its file where that is not the program.
  static func fullName(of frame: CodeFrame) -> String {
    let name = name(of: frame)
    let isOwn = frame.file.isEmpty || frame.file == SampleReading.programName
    return isOwn || name.hasPrefix(frame.file) ? name : "\(name) [\(frame.file)]"
  }

  static func name(of label: TreeLabel) -> String {
    switch label {
    case .actor(let actor): name(of: actor)
    case .frame(let frame): name(of: frame)
    case .notSampled: "(call stack not known)"
    case .leaf(let leaf): name(of: leaf)
    case .resource(let name): name
    }
  }

  static func name(of leaf: TimeLeaf) -> String {
    switch leaf {
    case .ownCode: "own code"
    case .pageFaults: "page faults"
    case .call(let name): name
    case .wait(let name): "waits in \(name)"
    case .diskWait: "waits for the disk"
    case .faultWait: "waits for pages"
    }
  }

  static func name(of activity: ActivityClass) -> String { name(of: TimeLeaf(activity)) }

  static func name(of activity: Activity) -> String {
    if let known = ActivityClass(activity) { return name(of: known) }
    return StateBars.State(activity)?.rawValue ?? "unknown"
  }

  /// The call path of a reason and on to most of its time, beginning with its actor where that is not
  /// the first thread.
  static func path(of reason: LaunchReason) -> [String] {
    let actor = reason.actor.flatMap { $0 == .main ? nil : name(of: $0) }
    let functions = (reason.path + reason.hotPath).map(name)
    // A thread is called by the function it starts in.
    if case .threadOf(let start)? = reason.actor, functions.first == start {
      return (actor.map { [$0] } ?? []) + functions.dropFirst()
    }
    return (actor.map { [$0] } ?? []) + functions
  }

  // MARK: - Counts

  /// What something that is counted is called, such as `openat /etc/passwd`.
  package static func name(of thing: CountedThing) -> String {
    switch thing {
    case .call(let name, let object), .missing(let name, let object):
      object.map { "\(name) \($0)" } ?? name
    case .threads: "threads"
    case .processes(let program): program.map { "process \($0)" } ?? "forked processes"
    case .faults(let file): file.map { "page faults in \($0)" } ?? "page faults outside files"
    case .pageIns(let file): file.map { "page-ins of \($0)" } ?? "page-ins of unknown files"
    case .readAhead(let file): "pages read ahead of \(file ?? "unknown files")"
    }
  }

  /// Such as `openat plugins/ 0 → 40`.
  static func text(of count: CountChange) -> String {
    "\(name(of: count.thing)) \(count.isCertain ? "" : "about ")\(steps(of: count))"
  }

  /// Such as `0 → 40`.
  static func steps(of count: CountChange) -> String {
    "\(Scale(.count, for: 1).number(count.before)) → \(Scale(.count, for: 1).number(count.after))"
  }

  // MARK: - Reasons

  /// What a reason is called, without how it differs: a function, a process, or what was done to what.
  static func subject(of reason: LaunchReason) -> String {
    (isWait(reason) ? "waiting in " : "") + name(of: reason)
  }

  /// The same as Markdown.
  static func markdown(of reason: LaunchReason) -> String {
    (isWait(reason) ? "waiting in " : "") + Phrase.code(name(of: reason)) + difference(of: reason)
  }

  /// Whether a reason is called by a system call that it waits in.
  private static func isWait(_ reason: LaunchReason) -> Bool {
    [.sleep, .lock, .socket].contains(reason.kind) && reason.path.isEmpty && reason.call != nil
  }

  private static func name(of reason: LaunchReason) -> String {
    if let module = reason.module { return "import \(module.name)" }
    return switch reason.kind {
    case .child: process(of: reason)
    case .thread: reason.actor.map(name) ?? reason.object.map { "thread \($0)" } ?? "threads"
    case .library: reason.object.map { "loading \($0)" } ?? "loading libraries"
    default:
      reason.path.last.map(name) ?? resource(of: reason) ?? reason.actor.map(name)
        ?? noun(of: reason.kind)
    }
  }

  private static func process(of reason: LaunchReason) -> String {
    if case .process(let program, _)? = reason.actor { return "process \(program)" }
    return reason.object.map { "process \($0)" } ?? reason.call ?? "a process"
  }

  /// The system call of a reason and what it is done to.
  static func resource(of reason: LaunchReason) -> String? {
    let words = [reason.call, reason.object].compactMap(\.self)
    guard !words.isEmpty else { return nil }
    return words.joined(separator: " ")
  }

  /// A word for the kind of a reason, for a column.
  static func noun(of kind: ReasonKind) -> String {
    switch kind {
    case .ownCode: "own code"
    case .pageFault: "page faults"
    case .syscall: "system calls"
    case .file: "files"
    case .sleep: "sleep"
    case .lock: "lock"
    case .thread: "thread"
    case .socket: "socket"
    case .disk: "disk"
    case .child: "process"
    case .library: "libraries"
    case .initializer: "initializer"
    case .data: "data"
    case .other: "other"
    }
  }

  /// `new` or `gone`; nothing for what both programs have.
  static func novelty(of reason: LaunchReason) -> String? {
    word(for: reason.module?.novelty ?? reason.novelty)
  }

  static func word(for novelty: LaunchReason.Novelty) -> String? {
    switch novelty {
    case .new: "new"
    case .gone: "gone"
    case .more, .less: nil
    }
  }

  /// Such as ` (new)` or ` (code changed)`, to be put behind the name of a reason; or nothing.
  static func difference(of reason: LaunchReason) -> String {
    let code =
      reason.isBlamed && reason.module == nil && isFunction(reason)
      ? reason.blame.map(\.change) : nil
    let words = [
      novelty(of: reason),
      // A function is new with its time.
      code.flatMap { $0.rawValue == reason.novelty.rawValue ? nil : text(of: $0) },
    ].compactMap(\.self)
    return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
  }

  /// Such as `scan_plugins (new)`.
  static func title(of reason: LaunchReason) -> String {
    subject(of: reason) + difference(of: reason)
  }

  /// Whether a reason is called by the last function on the way to it.
  private static func isFunction(_ reason: LaunchReason) -> Bool {
    !isProcess(reason) && !reason.path.isEmpty
  }

  /// What shows that a reason is one, besides its time: what it does to what, and how often.
  ///
  /// - Parameters:
  ///   - reason: One of the explanation.
  ///   - most: How many counts are told.
  ///   - libraries: Those that only one of the programs has.
  /// - Returns: Phrases, the largest difference first.
  static func evidence(
    of reason: LaunchReason,
    atMost most: Int,
    libraries: LaunchExplanation.LibraryChange
  ) -> [String] {
    var phrases: [String] = []
    let resource = resource(of: reason)
    let isTold = reason.counts.contains { count in
      if case .call(let name, _) = count.thing { name == reason.call } else { false }
    }
    if let resource, !isTold, resource != name(of: reason), !isProcess(reason) {
      phrases.append("mostly \(resource)")
    }
    if reason.kind == .library { phrases += text(of: libraries) }
    return phrases + (reason.counted.map { text(of: $0, atMost: most) } ?? [])
      + text(of: reason.counts, atMost: most)
  }

  /// Such as `builtins_bind_one called 127 → 1 times`, and the instructions of all that the last
  /// function does.
  private static func text(of counted: CountedCode, atMost most: Int) -> [String] {
    func ratio(_ call: CountedCode.CallChange) -> Double {
      abs(log(Double(call.after) / Double(call.before)))
    }
    // The nearest to `main` of those that differ most: what it calls is called as often.
    let calls = counted.calls.enumerated().sorted {
      (ratio($1.element), $0.offset) < (ratio($0.element), $1.offset)
    }
    let phrases = calls.prefix(most == .max ? most : 1).map { _, call in
      "\(name(of: call.function)) called \(grouped(call.before)) → \(grouped(call.after)) times"
    }
    guard let before = counted.before, let after = counted.after, before != after else {
      return phrases
    }
    return phrases + ["instructions \(grouped(before)) → \(grouped(after))"]
  }

  /// How the instructions of two programs differ, and where; nil where they do not.
  static func text(of instructions: InstructionDifference) -> String? {
    guard instructions.isDifferent else { return nil }
    let share = Double(instructions.difference) / Double(max(1, instructions.before))
    let place =
      instructions.path.isEmpty
      ? "" : ", most of it in \(CallPathText(instructions.path.map(name)).text(width: 60))"
    return "instructions \(grouped(instructions.before)) → \(grouped(instructions.after)) "
      + "(\(Quantity.signed(share) { Quantity.percent($0) }))\(place)"
  }

  /// Counts as phrases; calls on one object that are counted alike are one of them, such as
  /// `openat, read plugins/ 0 → 40`.
  static func text(of counts: [CountChange], atMost most: Int) -> [String] {
    var groups: [[CountChange]] = []
    for count in counts {
      let place = groups.firstIndex { group in group.first.map { isAlike($0, count) } ?? false }
      if let place { groups[place].append(count) } else { groups.append([count]) }
    }
    return groups.prefix(most).compactMap { group in
      guard let last = group.last else { return nil }
      let names = group.dropLast().compactMap { count in
        if case .call(let name, _) = count.thing { name } else { nil }
      }
      return (names.map { "\($0), " } + [text(of: last)]).joined()
    }
  }

  private static func isAlike(_ one: CountChange, _ other: CountChange) -> Bool {
    guard case .call(_, let object?) = one.thing, case .call(_, object) = other.thing else {
      return false
    }
    return one.before == other.before && one.after == other.after
      && one.isCertain == other.isCertain
  }

  private static func isProcess(_ reason: LaunchReason) -> Bool {
    [.child, .thread, .library].contains(reason.kind)
  }

  /// Such as `loads libxml2.so.2 and 4 more`.
  static func text(of libraries: LaunchExplanation.LibraryChange) -> [String] {
    func list(_ verb: String, _ names: [String]) -> [String] {
      guard let first = names.first else { return [] }
      return ["\(verb) \(first)" + (names.count > 1 ? " and \(names.count - 1) more" : "")]
    }
    return list("loads", libraries.new) + list("no longer loads", libraries.gone)
  }
}

// MARK: - Code

extension ExplanationWords {
  static func text(of change: Blame.Change) -> String {
    switch change {
    case .changed: "code changed"
    case .new: "new code"
    case .gone: "code gone"
    }
  }

  /// Who is to blame for a reason that is called by something else, such as
  /// `code changed in: builtins_bind`; nil where that is in its title.
  static func blame(of reason: LaunchReason) -> String? {
    guard let blame = reason.blame, !(reason.isBlamed && isFunction(reason)) else { return nil }
    switch blame.change {
    case .changed: return "code changed in: \(name(of: blame.frame))"
    case .new: return "new code: \(name(of: blame.frame))"
    case .gone: return "code gone: \(name(of: blame.frame))"
    }
  }

  /// The same as Markdown, where it leads a sentence: the function, how its code differs, and how it
  /// comes to what the reason is called by.
  static func leadingBlame(of reason: LaunchReason) -> String? {
    guard let blame = reason.blame, !(reason.isBlamed && isFunction(reason)) else { return nil }
    let isAbove = reason.path.contains(blame.frame)
    return "\(Phrase.code(name(of: blame.frame))) (\(text(of: blame.change))), "
      + "\(isAbove ? "through" : "called by") \(markdown(of: reason))"
  }

  /// What differs in the files of the programs without a reason being made of it; functions first.
  ///
  /// - Parameters:
  ///   - explanation: With its code compared.
  ///   - most: How many names are told.
  /// - Returns: One line; nil where nothing is known, and where nothing differs but what was told.
  static func codeLine(of explanation: LaunchExplanation, atMost most: Int) -> String? {
    guard let code = explanation.code else { return nil }
    let functions = explanation.changedWithoutTime.map { function in
      name(of: function.frame)
        + (function.change == .changed ? "" : " (\(function.change.rawValue))")
    }
    // Where functions are compared, the size of their code says nothing more.
    let sections = code.sections.filter { $0.name != ".text" || code.uncompared.contains($0.file) }
    let loaded = explanation.libraries
    let needed =
      code.libraries.new.filter { !loaded.new.contains($0) }.map { "needs \($0)" }
      + code.libraries.gone.filter { !loaded.gone.contains($0) }.map { "no longer needs \($0)" }
    let all = functions + sections.map(text) + needed
    let shown = all.count > most ? all.prefix(most) + ["\(all.count - most) more"] : all[...]
    if code.isSameCode { return (["same code"] + shown).joined(separator: ", ") }
    return all.isEmpty ? nil : "changed without time: " + shown.joined(separator: ", ")
  }

  /// Such as `.rodata +1,280 bytes`.
  private static func text(of section: CodeDifference.SectionChange) -> String {
    let file = section.file == SampleReading.programName ? "" : "\(section.file) "
    if section.name == ".init_array" {
      return "\(file)initializers \(section.before / 8) → \(section.after / 8)"
    }
    let size = section.after - section.before
    return "\(file)\(section.name) \(size > 0 ? "+" : "−")\(grouped(abs(size))) "
      + (abs(size) == 1 ? "byte" : "bytes")
  }

  /// A number with commas between thousands.
  private static func grouped(_ number: some BinaryInteger) -> String {
    var digits = Substring(String(number))
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.insert(digits.suffix(3), at: 0)
      digits = digits.dropLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}
