import Foundation
import GRDB
package import LaunchCore

extension Store {
  /// Reads the films of a run: of each filmed arm that of the launch with the median Speed Index.
  ///
  /// - Parameter run: The id of the run.
  /// - Returns: In the order of the plan; none of arms whose launches could not be filmed.
  /// - Throws: ``StoreError``.
  package func films(of run: String) throws -> [(arm: Arm, film: Film)] {
    let sql = """
      SELECT launch.arm, at_ns, progress, png FROM film JOIN launch USING (run, block, position)
      WHERE run = ? ORDER BY block, position, number
      """
    return try read { db in
      let key = try key(db, of: run)
      let arms = try arms(db, of: key)
      let rows = try StoredRow.fetchAll(db, sql: sql, arguments: [key])
      var frames: [Int: [Film.Frame]] = [:]
      for row in rows {
        frames[try row["arm"], default: []].append(
          Film.Frame(
            time: Nanoseconds(try row["at_ns"]),
            progress: try row["progress"],
            png: Array(try row["png"] as Data)
          )
        )
      }
      return arms.indices.compactMap { index in
        frames[index].map { (arm: arms[index], film: Film(frames: $0)) }
      }
    }
  }

  /// Keeps of each filmed arm the film of the launch with the median Speed Index only, since the
  /// pictures of the others are of no more use. Launches that did not reach their state count where
  /// none did.
  static func keepMedianFilms(ofRun key: Int64, _ db: Database) throws {
    let sql = """
      WITH filmed AS (
        SELECT block, position, arm, speed_index_ns, state_reached = 'not-reached' AS is_doubtful,
          min(state_reached = 'not-reached') OVER (PARTITION BY arm) AS are_doubtful
        FROM launch WHERE run = ?1 AND speed_index_ns IS NOT NULL
      ), ranked AS (
        SELECT block, position, count(*) OVER (PARTITION BY arm) AS n,
          row_number() OVER (PARTITION BY arm ORDER BY speed_index_ns, block, position) AS rank
        FROM filmed WHERE is_doubtful = are_doubtful
      )
      DELETE FROM film WHERE run = ?1
        AND (block, position) NOT IN (SELECT block, position FROM ranked WHERE rank = (n + 1) / 2)
      """
    try db.execute(sql: sql, arguments: [key])
  }
}
