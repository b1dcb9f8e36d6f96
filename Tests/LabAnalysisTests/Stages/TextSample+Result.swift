@testable import Stages

// Brings a result to the form in which the index of the samples has it.

extension TextSample.Expected {
  init(_ result: LoaderLogResult, like expected: Self) {
    self.init(kind: Self.kind(of: result))
    imitation = expected.imitation == nil ? nil : !result.isStandard
    let block = result.blocks.first
    let values = block?.stages ?? []
    switch kind {
    case "dyld": blocks = result.blocks.map(TextSample.Block.init(dyld:))
    case "glibc", "none":
      let theirs = expected.blocks ?? []
      blocks = result.blocks.enumerated().map { index, block in
        // Synthetic samples do not say how their cycles scale.
        let isSaid = index >= theirs.count || theirs[index].saysScale
        return TextSample.Block(glibc: block, withScale: isSaid)
      }
      events = result.events.map { [$0.name, $0.text] }
    case "go.inittrace": inits = values.map(TextSample.Package.init)
    case "python.importtime", "v8.cpuprofile", "vim.startuptime":
      imports = values.map(TextSample.Module.init)
    case "node.nodetiming":
      marksMs = Dictionary(
        uniqueKeysWithValues: values.map { ($0.name, ($0.instant ?? $0.amount)?.printed ?? "") }
      )
      times = values.map { [$0.name, $0.amount?.seconds ?? ""] }
    case "jvm.classload":
      counts = Dictionary(
        uniqueKeysWithValues: values.map { ($0.name, $0.counters["classes"] ?? 0) }
      )
    case "jvm.startuptime": phases = values.map(TextSample.Phase.init)
    case "strace":
      calls = values.count
      first = values.first.map { [[$0.name, $0.instant?.printed ?? ""]] }
      last = values.last.map { [[$0.name, $0.instant?.printed ?? ""]] }
      times = expected.times == nil ? nil : values.map { [$0.name, $0.amount?.seconds ?? ""] }
    case "perf.trace": lines = values.count
    case "systemd.analyze":
      totalS = block?.total?.amount?.seconds
      stages = values.map { [$0.name, $0.amount?.seconds ?? ""] }
    default: break
    }
  }

  private init(kind: String) { self.kind = kind }

  private static func kind(of result: LoaderLogResult) -> String {
    guard let format = result.blocks.first?.format else {
      return result.events.isEmpty ? "none" : "glibc"
    }
    for family in ["dyld", "glibc"] where format.hasPrefix(family) { return family }
    return format
  }
}

extension TextSample.Block {
  init(dyld block: LoaderLogBlock) {
    self.init(block)
    total = block.total.map { .value(TextSample.Value($0)) }
    stages = block.stages.map(TextSample.Value.init)
    images = block.images.map(TextSample.Value.init)
  }

  init(glibc block: LoaderLogBlock, withScale: Bool) {
    self.init(block)
    pid = block.pid.map { "\($0)" }
    unit = block.total?.amount?.unit.rawValue
    total = block.total?.amount.flatMap { Int64($0.printed) }.map(TextSample.Total.number)
    let relocations = block.stages.first { $0.name == "time needed for relocation" }
    relocation = relocations?.amount.flatMap { Int64($0.printed) }
    relocationPct = relocations?.percent
    let loads = block.stages.first { $0.name == "time needed to load objects" }
    load = loads?.amount.flatMap { Int64($0.printed) }
    loadPct = loads?.percent
    guard withScale else { return }
    lastDigitDropped = block.lastDigitDropped
    totalCyclesCorrected = block.total?.cycles
  }

  private init(_ block: LoaderLogBlock) {
    self.init(format: block.format, flags: block.flags, counters: block.counters)
  }

  var saysScale: Bool { lastDigitDropped != nil || !hasSyntheticPid }

  private var hasSyntheticPid: Bool { ["10", "11", "77"].contains(pid) }
}

extension TextSample.Value {
  init(_ value: LoaderLogValue) {
    self.init(
      name: value.name,
      s: value.amount?.seconds,
      printedS: value.amount?.printedSeconds,
      resS: value.amount?.resolutionSeconds,
      pct: value.percent,
      flags: value.flags
    )
  }
}

extension TextSample.Package {
  init(_ value: LoaderLogValue) {
    self.init(
      name: value.name,
      startS: value.instant?.seconds,
      s: value.amount?.seconds,
      bytes: value.counters["bytes"],
      allocs: value.counters["allocs"]
    )
  }
}

extension TextSample.Module {
  init(_ value: LoaderLogValue) {
    self.init(
      name: value.name,
      depth: value.depth,
      selfS: value.own?.seconds,
      cumulativeS: value.amount?.seconds
    )
  }
}

extension TextSample.Phase {
  init(_ value: LoaderLogValue) {
    self.init(name: value.name, s: value.amount?.seconds, at: value.instant?.printed)
  }
}
