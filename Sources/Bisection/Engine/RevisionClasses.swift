/// The revisions of a range, and which of them can be told apart.
///
/// Revisions between which nothing can have changed form a stretch, and one of them stands for all.
/// Everything is kept by these revisions; in a range without such stretches that is every one.
struct RevisionClasses: Sendable {
  /// What became of a build.
  enum Status: Sendable {
    case unknown
    case built
    case broken
  }

  /// The revisions that stand for a stretch, ascending; good is the first, bad the last.
  private(set) var revisions: [Int]

  /// How likely the change is where the stretch of a revision begins; 0 for all others.
  private(set) var weights: [Double]

  private(set) var status: [Status]

  /// Whether equal builds join everything between them too; not where changes that cancel out are
  /// looked for.
  private let joinsApart: Bool

  /// The digests of usable builds.
  private var digests: [Int: String] = [:]

  /// The first revision of a stretch, and the place in ``revisions``; both by revision.
  private var firsts: [Int]
  private var places: [Int]

  /// Takes one weight per revision, of which the first is not used.
  ///
  /// A stretch is stood for by its last revision, the one of good by good itself. With `joinsApart`
  /// equal builds join what is between them, too; without it only neighbours do.
  init(weights given: [Double], joinsApart: Bool = true) {
    self.joinsApart = joinsApart
    let bad = given.count - 1
    var revisions = [0]
    var weights = [Double](repeating: 0, count: given.count)
    var firsts = Array(0..<given.count)
    var start: Int?
    for revision in 1..<given.count {
      if given[revision] > 0 { start = revision }
      guard let start, revision == bad || given[revision + 1] > 0 else { continue }
      revisions.append(revision)
      weights[revision] = given[start]
      firsts[revision] = start
    }
    self.revisions = revisions
    self.weights = weights
    self.firsts = firsts
    status = [Status](repeating: .unknown, count: given.count)
    places = []
    places = Self.places(of: revisions, count: given.count)
  }

  /// The index of bad.
  var last: Int { status.count - 1 }

  /// Whether good and bad are of one stretch.
  var isEmpty: Bool { revisions.count < 2 }

  func isBuilt(_ revision: Int) -> Bool { status[revision] == .built }

  /// Where the change is when it is in the stretch of a revision.
  func change(at revision: Int) -> Int { firsts[revision] }

  /// The revision that stands for the stretch before.
  func previous(_ revision: Int) -> Int { revisions[max(0, places[revision] - 1)] }

  /// The revisions strictly between two.
  func between(_ lower: Int, _ upper: Int) -> ArraySlice<Int> {
    let first = places[lower] + 1
    return revisions[first..<max(first, places[upper])]
  }

  /// The places where a change can be told from others: a run of broken revisions and the next that
  /// can be tested.
  var classes: [ClosedRange<Int>] {
    var found: [ClosedRange<Int>] = []
    var first: Int?
    for revision in revisions.dropFirst() {
      let start = first ?? revision
      first = start
      guard status[revision] != .broken else { continue }
      found.append(start...revision)
      first = nil
    }
    return found
  }

  /// The nearest built revision below or above another.
  func built(below revision: Int) -> Int? {
    revisions[..<places[revision]].last { status[$0] == .built }
  }

  func built(above revision: Int) -> Int? {
    revisions[(places[revision] + 1)...].first { status[$0] == .built }
  }

  // MARK: - Events

  /// Notes what became of a build; one that equals the nearest one beside it joins its stretch.
  mutating func record(_ revision: Int, isUsable: Bool, digest: String?) {
    status[revision] = isUsable ? .built : .broken
    guard isUsable, let digest else { return }
    digests[revision] = digest
    if let below = built(below: revision), digests[below] == digest, joins(below, revision) {
      join(revision, into: below)
    } else if let above = built(above: revision), digests[above] == digest, joins(revision, above) {
      join(revision, into: above)
    }
  }

  private func joins(_ lower: Int, _ upper: Int) -> Bool {
    joinsApart || between(lower, upper).isEmpty
  }

  /// Notes that a build cannot be launched.
  mutating func breakBuild(_ revision: Int) { status[revision] = .broken }

  /// Makes everything from one revision to another one stretch, stood for by the second.
  private mutating func join(_ revision: Int, into kept: Int) {
    let lower = min(revision, kept)
    let upper = max(revision, kept)
    let weight = weights[lower]
    let first = firsts[lower]
    for other in revisions[places[lower]...places[upper]] { weights[other] = 0 }
    revisions.removeAll { $0 >= lower && $0 <= upper && $0 != kept }
    weights[kept] = weight
    firsts[kept] = first
    places = Self.places(of: revisions, count: status.count)
  }

  private static func places(of revisions: [Int], count: Int) -> [Int] {
    var places = [Int](repeating: 0, count: count)
    for (place, revision) in revisions.enumerated() { places[revision] = place }
    return places
  }
}
