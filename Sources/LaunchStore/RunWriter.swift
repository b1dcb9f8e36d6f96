package import Foundation
import GRDB
package import LaunchCore

/// Writes the launches of one run, block by block.
///
/// Only complete blocks are ever committed, and only when the caller asks between two launches:
/// never between the preparation of a state and its launch. Nothing is checkpointed while the run
/// goes on. It is used from one thread. After an error the run is as it was after the last commit.
package final class RunWriter {
  /// How long complete blocks may wait for a commit.
  package static let commitInterval = Nanoseconds.milliseconds(100)

  /// The id of the run.
  package let run: String

  /// How many blocks of the run are committed, those before a resumption too.
  package private(set) var storedBlocks: Int

  private let store: Store
  private let key: Int64
  private var inserter: LaunchInserter
  private var completeBlocks: [[LaunchRecord]] = []
  private var block: [LaunchRecord] = []
  private var armsWithOutput: Set<Int>
  private var lastCommit: Nanoseconds?

  init(store: Store, run: String, key: Int64, storedBlocks: Int, armsWithOutput: Set<Int>) {
    self.store = store
    self.run = run
    self.key = key
    self.storedBlocks = storedBlocks
    self.armsWithOutput = armsWithOutput
    inserter = LaunchInserter(run: key)
  }

  /// Adds a launch to the current block, in memory only.
  package func append(_ record: LaunchRecord) {
    var record = record
    let isFirst = armsWithOutput.insert(record.arm).inserted
    if record.result.outcome == .ready, !isFirst { record.result.output.dropText() }
    block.append(record)
  }

  /// Ends the current block, and commits when the last commit is at least 100 ms ago.
  ///
  /// - Parameter now: The monotonic clock.
  /// - Throws: ``StoreError/cutShort(run:blocks:cause:)``.
  package func endBlock(at now: Nanoseconds) throws {
    if !block.isEmpty { completeBlocks.append(block) }
    block.removeAll()
    try commitIfDue(at: now)
  }

  /// Commits complete blocks when the last commit is at least 100 ms ago.
  ///
  /// Blocks that take longer than that call it between their launches too, so that what came
  /// before them does not wait for their end.
  ///
  /// - Parameter now: The monotonic clock.
  /// - Throws: ``StoreError/cutShort(run:blocks:cause:)``.
  package func commitIfDue(at now: Nanoseconds) throws {
    // A look that finds nothing to commit must not put off the block that ends next.
    guard !completeBlocks.isEmpty else { return }
    if let lastCommit, now - lastCommit < Self.commitInterval { return }
    try flush()
    lastCommit = now
  }

  /// Commits every complete block.
  ///
  /// - Throws: ``StoreError/cutShort(run:blocks:cause:)``; the blocks are kept for another try.
  package func flush() throws {
    guard !completeBlocks.isEmpty else { return }
    try reportingProgress {
      try store.write { db in
        try inserter.insert(completeBlocks, db)
      }
    }
    storedBlocks += completeBlocks.count
    completeBlocks.removeAll()
  }

  /// Commits every complete block, drops an incomplete one, and closes the run.
  ///
  /// - Parameters:
  ///   - status: How far the run came.
  ///   - date: When it ended; stored to the millisecond.
  /// - Throws: ``StoreError/cutShort(run:blocks:cause:)``.
  package func finish(status: RunRecord.Status, at date: Date) throws {
    try flush()
    block.removeAll()
    try reportingProgress {
      try store.write { db in
        let sql = "UPDATE run SET status = ?, finished_at = ? WHERE key = ?"
        try db.execute(sql: sql, arguments: [status.rawValue, Timestamp.text(date), key])
        // A run that was interrupted may go on, and then the median is another one.
        if status != .interrupted { try Store.keepMedianFilms(ofRun: key, db) }
      }
    }
    // The run is safe in the log already; the next run, or the last to close the file, tries again.
    try? store.checkpoint()
  }

  private func reportingProgress(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let cause as StoreError {
      // What was interned in the transaction is gone with it.
      inserter = LaunchInserter(run: key)
      throw StoreError.cutShort(run: run, blocks: storedBlocks, cause: cause)
    }
  }
}

extension CapturedOutput {
  /// Keeps only how much there was.
  fileprivate mutating func dropText() {
    stdout = CapturedStream(totalBytes: stdout.totalBytes)
    stderr = CapturedStream(totalBytes: stderr.totalBytes)
  }
}

/// A run that ended before it is stored, with everything that is stored of it.
package struct FinishedRun: Sendable {
  package var run: RunRecord

  /// In launch order.
  package var launches: [LaunchRecord]

  package var summaries: [MetricRow]

  package init(run: RunRecord, launches: [LaunchRecord], summaries: [MetricRow]) {
    self.run = run
    self.launches = launches
    self.summaries = summaries
  }
}
