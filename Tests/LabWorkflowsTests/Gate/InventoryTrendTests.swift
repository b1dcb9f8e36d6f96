import LaunchCore
import Testing

@testable import Gate

struct InventoryTrendTests {
  private static func library(_ name: String) -> GateThing { GateThing(kind: .library, name: name) }

  private static func initializer(_ name: String, in library: String = "program") -> GateThing {
    GateThing(kind: .initializer, name: name, library: library)
  }

  private static func night(
    _ things: [GateThing]? = nil,
    opened: Set<String>? = nil,
    counts: [GateRules.Figure: LaunchInventory.Count] = [:]
  ) -> LaunchInventory {
    LaunchInventory(target: "app", things: things, opened: opened, counts: counts)
  }

  /// What is said of each night after the first one, such as `libraries libfoo.so new needs_approval`.
  private func changes(
    _ nights: [LaunchInventory],
    rules: GateRules = GateRules(),
    approvals: [GateApproval] = []
  ) -> [[String]] {
    var trend = InventoryTrend(rules: rules, approvals: approvals, day: "2026-11-26")
    return nights.map { night in
      trend.changes(in: night).map {
        "\($0.rule) \($0.item) \($0.change ?? "") \($0.verdict.rawValue)"
      }
    }
  }

  @Test func `a thing is new once, and gone once`() {
    let old = [Self.library("libc.so.6")]
    let new = old + [Self.library("libfoo.so"), Self.initializer("warm_cache")]
    let found = changes([Self.night(old), Self.night(new), Self.night(new), Self.night(old)])
    #expect(
      found == [
        [],
        [
          "initializers warm_cache in program new needs_approval",
          "libraries libfoo.so new needs_approval",
        ], [],
        ["initializers warm_cache in program gone remark", "libraries libfoo.so gone remark"],
      ]
    )
  }

  @Test func `the rules and the approvals of a gate hold`() {
    var rules = GateRules()
    rules.libraries = .forbid
    rules.tasks = .ignore
    let task = GateThing(kind: .task, name: "load_theme", library: "program")
    let nights = [
      Self.night([]), Self.night([Self.library("libfoo.so"), Self.initializer("warm"), task]),
      Self.night([]),
    ]
    let approval = GateApproval(kind: .initializer, name: "warm", reason: "needed", by: "Ann")
    #expect(
      changes(nights, rules: rules, approvals: [approval]) == [
        [],
        ["initializers warm in program new approved", "libraries libfoo.so new failed"],
        ["initializers warm in program gone remark", "libraries libfoo.so gone remark"],
      ]
    )
  }

  @Test
  func `what is in a new library is told with it, and another order of objects changes nothing`() {
    let globals = "_GLOBAL__sub_I_"
    let old = [Self.initializer("\(globals)a")]
    let new = [
      Self.initializer("\(globals)b"), Self.library("libfoo.so"),
      Self.initializer("start", in: "libfoo.so"),
    ]
    #expect(
      changes([Self.night(old), Self.night(new)])[1] == ["libraries libfoo.so new needs_approval"]
    )
  }

  @Test func `the initializer of another file is new`() {
    let files = ["fonts.cc", "images.cc"].map { [Self.initializer("_GLOBAL__sub_I_\($0)")] }
    #expect(
      changes([Self.night(files[0]), Self.night(files[1])])[1] == [
        "initializers _GLOBAL__sub_I_images.cc in program new needs_approval",
        "initializers _GLOBAL__sub_I_fonts.cc in program gone remark",
      ]
    )
  }

  @Test func `one more initializer without a name is seen`() {
    let one = Self.initializer(BuiltObjects.unnamed)
    #expect(changes([Self.night([one, one]), Self.night([one, one, one])])[1].count == 1)
    #expect(changes([Self.night([one, one]), Self.night([one, one])])[1] == [])
  }

  @Test func `libraries that are opened are compared where all of them were seen`() {
    let opened = ["libplug.so", "libnew.so"]
    // Before the first night that sees them nothing is known of them.
    #expect(changes([Self.night([]), Self.night([], opened: ["libplug.so"])])[1] == [])
    let found = changes([
      Self.night([], opened: ["libplug.so"]), Self.night([]), Self.night([], opened: Set(opened)),
    ])
    #expect(found == [[], [], ["libraries libnew.so new needs_approval"]])
    // One that is linked now was there before.
    let linked = Self.night([Self.library("libplug.so")], opened: [])
    #expect(changes([Self.night([], opened: ["libplug.so"]), linked])[1] == [])
  }

  @Test func `a night whose files could not be read says nothing of them`() {
    let things = [Self.library("libfoo.so")]
    #expect(changes([Self.night(things), Self.night(), Self.night(things)]) == [[], [], []])
  }

  @Test func `a figure is compared with the night of its last change`() {
    // 4 % each, of which 5 % are allowed.
    let counts = [1_000_000.0, 1_040_000, 1_081_600, 1_081_600, 900_000]
    let found = changes(counts.map { Self.night(counts: [.relocations: .init($0)]) })
    #expect(
      found == [
        [], [], ["relocations relocations of own files +8.2 % failed"], [],
        ["relocations relocations of own files −17 % remark"],
      ]
    )
  }

  @Test func `launches that differ among themselves change only by more than that`() {
    func night(_ median: Double, spread: Double) -> LaunchInventory {
      Self.night(counts: [.systemCalls: .init(median, spread: spread)])
    }
    // 10 % are allowed, and half of it is too much.
    #expect(changes([night(1000, spread: 0), night(1150, spread: 50)])[1] == [])
    #expect(changes([night(1000, spread: 50), night(1150, spread: 0)])[1] == [])
    // The next level is that of a steady night.
    let found = changes([
      night(1000, spread: 50), night(1150, spread: 0), night(1150, spread: 49),
      night(1400, spread: 0),
    ])
    #expect(found[2] == [])
    #expect(found[3] == ["system_calls system calls +22 % failed"])
    // All launches of one night are above all of the other, by more than is allowed.
    let doubled = changes([night(1000, spread: 300), night(2000, spread: 300)])[1]
    #expect(doubled == ["system_calls system calls +100 % failed"])
    let halved = changes([night(2000, spread: 300), night(1000, spread: 300)])[1]
    #expect(halved == ["system_calls system calls −50 % remark"])
    #expect(changes([night(1000, spread: 300), night(1700, spread: 300)])[1] == [])
  }
}
