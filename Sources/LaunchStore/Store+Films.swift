import Foundation
import GRDB
package import LaunchCore

extension Store {
  /// The filmed launch of each arm of a run whose Speed Index is the median, as `shown`.
  ///
  /// Launches that were disturbed or did not reach their state count where there are no others.
  private static let medianLaunches = """
    WITH filmed AS (
      SELECT run, block, position, arm, speed_index_ns,
        state_reached = 'not-reached' OR EXISTS (
          SELECT 1 FROM disturbance AS d
          WHERE d.run = l.run AND d.block = l.block AND d.position = l.position
        ) AS is_doubtful
      FROM (SELECT DISTINCT run, block, position FROM film WHERE run = ?1)
      JOIN launch AS l USING (run, block, position)
    ), judged AS (
      SELECT *, min(is_doubtful) OVER (PARTITION BY arm) AS are_doubtful FROM filmed
    ), ranked AS (
      SELECT *, count(*) OVER (PARTITION BY arm) AS n,
        row_number() OVER (PARTITION BY arm ORDER BY speed_index_ns, block, position) AS rank
      FROM judged WHERE is_doubtful = are_doubtful
    ), shown AS (
      SELECT run, block, position, arm FROM ranked WHERE rank = (n + 1) / 2
    )
    """

  /// Reads the films of a run: of each filmed arm that of the launch with the median Speed Index.
  ///
  /// - Parameter run: The id of the run.
  /// - Returns: In the order of the plan; none of arms whose launches could not be filmed.
  /// - Throws: ``StoreError``.
  package func films(of run: String) throws -> [(arm: Arm, film: Film)] {
    let sql = """
      \(Self.medianLaunches)
      SELECT arm, at_ns, progress, png FROM shown JOIN film USING (run, block, position)
      ORDER BY number
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

  /// Deletes the films of a run that has ended which nobody will see.
  static func keepMedianFilms(ofRun key: Int64, _ db: Database) throws {
    let sql = """
      \(medianLaunches)
      DELETE FROM film WHERE run = ?1
        AND (block, position) NOT IN (SELECT block, position FROM shown)
      """
    try db.execute(sql: sql, arguments: [key])
  }
}
