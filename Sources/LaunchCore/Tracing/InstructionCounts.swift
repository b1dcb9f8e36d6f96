/// How many instructions the functions of one launch executed in user mode, and which called which.
package struct InstructionCounts: Hashable, Codable, Sendable {
  /// By function, without those of the functions that it called.
  package var own: [CodeFrame: Int64]

  /// By who called whom.
  package var calls: [Call: CallCount]

  package init(own: [CodeFrame: Int64] = [:], calls: [Call: CallCount] = [:]) {
    self.own = own
    self.calls = calls
  }

  package var total: Int64 { own.values.reduce(0, +) }

  /// A function that calls another, or itself.
  package struct Call: Hashable, Codable, Sendable {
    package var caller: CodeFrame
    package var callee: CodeFrame

    package init(caller: CodeFrame, callee: CodeFrame) {
      self.caller = caller
      self.callee = callee
    }
  }

  /// How often a function called another, and what that took with all that it called itself.
  package struct CallCount: Hashable, Codable, Sendable {
    package var times: Int64
    package var instructions: Int64

    package init(times: Int64, instructions: Int64) {
      self.times = times
      self.instructions = instructions
    }

    package static func + (one: Self, other: Self) -> Self {
      Self(
        times: one.times + other.times,
        instructions: one.instructions + other.instructions
      )
    }
  }

  /// Adds those of another process.
  package mutating func add(_ other: Self) {
    own.merge(other.own, uniquingKeysWith: +)
    calls.merge(other.calls, uniquingKeysWith: +)
  }

  /// Calls functions otherwise, and those that are called the same then are one.
  package func renamed(_ name: (CodeFrame) -> CodeFrame) -> Self {
    Self(
      own: Dictionary(own.map { (name($0.key), $0.value) }, uniquingKeysWith: +),
      calls: Dictionary(
        calls.map { (Call(caller: name($0.key.caller), callee: name($0.key.callee)), $0.value) },
        uniquingKeysWith: +
      )
    )
  }
}
