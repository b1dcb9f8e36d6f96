import Testing

@testable import LaunchCore

@Suite struct FilmTests {
  /// A histogram of 100 pixels with so many of them dark in each color, and the others light.
  private func histogram(dark: UInt32) -> ColorHistogram {
    var counts = [UInt32](repeating: 0, count: 3 * 256)
    for color in 0..<3 {
      counts[256 * color + 10] = dark
      counts[256 * color + 250] = 100 - dark
    }
    return ColorHistogram(counts: counts)
  }

  private func film(_ pictures: [(milliseconds: Int64, dark: UInt32)]) -> Film {
    Film(
      developing: pictures.map {
        (time: .milliseconds($0.milliseconds), histogram: histogram(dark: $0.dark), png: [])
      }
    )
  }

  /// To a millionth.
  private func progress(of film: Film) -> [Double] {
    film.frames.map { ($0.progress * 1e6).rounded() / 1e6 }
  }

  @Test func `progress is how much of what will be there is there`() {
    let film = film([(100, 0), (200, 10), (300, 30), (500, 40)])
    #expect(progress(of: film) == [0, 0.25, 0.75, 1])
    // 100 + 100 + 100 × 0.75 + 200 × 0.25
    #expect(film.speedIndex == .milliseconds(325))
  }

  @Test func `a first picture with content begins above nothing`() {
    // A plain window would be light.
    let film = film([(100, 20), (200, 40)])
    #expect(progress(of: film) == [0.5, 1])
    #expect(film.speedIndex == .milliseconds(150))
  }

  @Test func `what looks less like the end than a plain window has no progress`() {
    let film = film([(100, 0), (200, 90), (300, 40)])
    #expect(progress(of: film) == [0, 0, 1])
    #expect(film.speedIndex == .milliseconds(300))
  }

  @Test func `a window that never changes is all there at once`() {
    let film = film([(70, 0)])
    #expect(progress(of: film) == [1])
    #expect(film.speedIndex == .milliseconds(70))
  }

  @Test func `pictures of other sizes are compared by shares`() {
    var doubled = [UInt32](repeating: 0, count: 3 * 256)
    for color in 0..<3 {
      doubled[256 * color + 10] = 80
      doubled[256 * color + 250] = 120
    }
    let film = Film(developing: [
      (time: .milliseconds(10), histogram: histogram(dark: 0), png: []),
      (time: .milliseconds(20), histogram: histogram(dark: 40), png: []),
      (time: .milliseconds(30), histogram: ColorHistogram(counts: doubled), png: []),
    ])
    #expect(progress(of: film) == [0, 1, 1])
  }
}
