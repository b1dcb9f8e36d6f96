/// A build or an executable of a former night that is kept for comparisons to come.
package struct KeptRoom: Hashable, Sendable {
  /// The absolute path of the directory that holds it.
  package var path: String

  /// How much space it takes.
  package var bytes: Int64

  /// When it was last used, in nanoseconds of the clock of the file system.
  package var usedAt: Int64

  /// Whether it must stay whatever space it takes.
  package var isNeeded: Bool

  package init(path: String, bytes: Int64, usedAt: Int64, isNeeded: Bool) {
    self.path = path
    self.bytes = bytes
    self.usedAt = usedAt
    self.isNeeded = isNeeded
  }

  /// Which rooms go so that the rest takes no more space than a limit.
  ///
  /// Those that were not used for the longest time go first; of several that were last used at the
  /// same time, the first by path. Cost: O(n log n).
  ///
  /// - Parameters:
  ///   - rooms: Every room.
  ///   - limit: In bytes.
  /// - Returns: The rooms that go, in this order; when those that are needed take more than the
  ///   limit, all the others.
  package static func surplus(of rooms: [Self], limit: Int64) -> [Self] {
    var total = rooms.reduce(0) { $0 + $1.bytes }
    let candidates = rooms.filter { !$0.isNeeded }
      .sorted { ($0.usedAt, $0.path) < ($1.usedAt, $1.path) }
    var surplus: [Self] = []
    for room in candidates where total > limit {
      surplus.append(room)
      total -= room.bytes
    }
    return surplus
  }
}
