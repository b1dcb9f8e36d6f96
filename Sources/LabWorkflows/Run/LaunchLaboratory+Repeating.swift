import LabHost
import LabModel

extension LaunchLaboratory {
  /// Does something that takes launches, and does it again from its beginning when the spawner was
  /// lost meanwhile: a cold state is gone then, and nothing is known of the target.
  ///
  /// - Parameter body: What is done, such as to prepare a launch and to make it.
  /// - Returns: What `body` returns, and how often the spawner was lost before.
  /// - Throws: What `body` throws, and `HostError.spawnerLost` when that happened
  ///   `Spawner.toleratedLosses` times in a row.
  mutating func repeatingLost<Result>(
    _ body: (inout Self) throws -> Result
  ) throws -> (result: Result, losses: Int) {
    var losses = 0
    while true {
      do {
        return (try body(&self), losses)
      } catch HostError.spawnerLost(let status, _) {
        losses += 1
        guard losses < Spawner.toleratedLosses else {
          throw HostError.spawnerLost(status: status, times: losses)
        }
      }
    }
  }
}
