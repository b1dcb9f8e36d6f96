import LaunchCore
import Stages
import Testing

@Suite("Path segments")
struct PathSegmentTests {
  @Test("a segment lasts from its start to its end")
  func duration() {
    let segment = PathSegment(
      start: Nanoseconds(40),
      end: Nanoseconds(100),
      actor: .main,
      activity: .ownCode
    )
    #expect(segment.duration == Nanoseconds(60))
  }
}
