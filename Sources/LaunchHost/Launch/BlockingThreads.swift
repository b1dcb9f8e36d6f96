import Foundation

/// Runs tasks whose functions wait in system calls, each part of a task on a thread of its own.
///
/// The threads that Swift gives to tasks are as few as the processors: a launch that waits on one of them
/// keeps it from every other task. Threads of this kind are made as they are needed.
private final class BlockingThreads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Does work that may wait in system calls, such as launches, on a thread that nothing else needs.
///
/// - Parameter body: The work; tasks that it starts in a group have threads of their own.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
package func withBlockingThread<Result>(
  _ body: () async throws -> Result
) async throws -> Result {
  try await withTaskExecutorPreference(BlockingThreads()) {
    // Only what is continued goes to the threads.
    await Task.yield()
    return try await body()
  }
}
