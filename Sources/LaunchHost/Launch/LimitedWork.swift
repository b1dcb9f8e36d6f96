import LaunchCore

/// Work that is cancelled when it takes too long, when a flag is set, or when what waits for it is cancelled.
package struct LimitedWork<Value: Sendable>: Sendable {
  /// How long it may take; nil for as long as it likes.
  let limit: Duration?

  /// Ends it when it is set.
  let interrupt: InterruptFlag?

  let work: @Sendable () async throws -> Value

  /// Why work was cancelled.
  package enum Obstacle: Sendable {
    case late, interrupted
  }

  package init(
    limit: Duration?,
    interrupt: InterruptFlag? = nil,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    self.limit = limit
    self.interrupt = interrupt
    self.work = work
  }

  /// Does it.
  ///
  /// - Returns: What came of it, and why it was cancelled. Work that ends at that moment may have
  ///   succeeded nevertheless.
  package func result() async -> (result: Result<Value, any Error>, obstacle: Obstacle?) {
    let task = Task { try await work() }
    let watch = Task {
      let obstacle = await obstacle()
      if obstacle != nil { task.cancel() }
      return obstacle
    }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    watch.cancel()
    return (result, await watch.value)
  }

  /// Waits for the first reason to cancel; nil when nobody needs one any more.
  private func obstacle() async -> Obstacle? {
    await withTaskGroup(of: Obstacle?.self) { group in
      if let limit {
        group.addTask { (try? await Task.sleep(for: limit)).map { .late } }
      }
      if let interrupt {
        group.addTask { (try? await interrupt.heeded()).map { .interrupted } }
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
